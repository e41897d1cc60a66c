#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/columns/columns.h"
#include "data/log/pair_dictionary.h"
#include "testing/errors.h"
#include "testing/full_disk.h"
#include "testing/run_command.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"

namespace ultr::simulate_test {
namespace {

namespace fs = std::filesystem;
using testing::config_message;
using testing::data_message;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::read_text;

// More sessions than are made at a time, and no whole number of blocks.
constexpr const char* sizes =
    "sessions: 17000, valid_sessions: 300, test_sessions: 1, queries: 8, candidates: 7, positions: "
    "5, user: dbn";

class SimulateTest : public ::testing::Test {
 protected:
  SimulateTest() {
    folder_.write("made.yaml", fmt::format("seed: 5\ndata: {{format: simulation, {}}}\n", sizes));
  }
  void run(const std::string& output, const std::vector<std::string>& overrides = {}) {
    ::testing::internal::CaptureStdout();
    try {
      testing::run_command(
          "simulate",
          fmt::format("{{config: '{}', overrides: {}, output: '{}'}}", path("made.yaml").string(),
                      testing::yaml_list(overrides), path(output).string()));
    } catch (...) {
      ::testing::internal::GetCapturedStdout();
      throw;
    }
    said_ = ::testing::internal::GetCapturedStdout();
  }
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  const testing::TemporaryFolder folder_;
  std::string said_;
};

TEST_F(SimulateTest, WritesTheSessionsThatAnExperimentWouldHave) {
  run("made");
  EXPECT_THAT(said_, HasSubstr("made: 17301 sessions, 5 documents each, in "));
  const ExperimentData data =
      testing::simulate(fmt::format("{{{}}}", sizes), {.seed = 5, .threads = 2});
  const Dataset& dataset = data.dataset;
  const PairDictionary dictionary = PairDictionary::load(path("made/train"));
  EXPECT_EQ(dictionary.id(), dataset.dictionary.id());
  EXPECT_EQ(dictionary.queries(), dataset.dictionary.queries());
  EXPECT_EQ(dictionary.documents(), dataset.dictionary.documents());
  for (const auto& [name, log] :
       {std::pair("train", &dataset.train), std::pair("valid", &dataset.valid),
        std::pair("test", &dataset.test)}) {
    std::string why;
    const auto mapped = columns_mapper().map(path("made") / name, {}, why);
    ASSERT_TRUE(mapped) << why;
    EXPECT_EQ(mapped->dictionary_id, dataset.dictionary.id());
    ASSERT_EQ(mapped->log.sessions(), log->sessions()) << name;
    for (std::size_t i = 0; i < log->sessions(); ++i) {
      const SessionView session = (*log)[i], written = mapped->log[i];
      ASSERT_EQ(written.query, session.query) << name << " " << i;
      ASSERT_TRUE(std::ranges::equal(written.rows, session.rows));
      ASSERT_TRUE(std::ranges::equal(written.positions, session.positions));
      ASSERT_TRUE(std::ranges::equal(written.clicks, session.clicks));
    }
  }
}

TEST_F(SimulateTest, AnyNumberOfThreadsWritesTheSameBytes) {
  run("one", {"threads=1"});
  run("three", {"threads=3"});
  for (const auto& entry : fs::recursive_directory_iterator(path("one"))) {
    if (!entry.is_regular_file()) continue;
    const fs::path file = fs::relative(entry.path(), path("one"));
    EXPECT_EQ(read_text(entry.path()), read_text(path("three") / file)) << file;
  }
}

TEST_F(SimulateTest, PartsWithoutSessionsAreNotWritten) {
  run("made", {"data.valid_sessions=0", "data.test_sessions=0"});
  EXPECT_TRUE(fs::exists(path("made/train")));
  EXPECT_FALSE(fs::exists(path("made/valid")));
  EXPECT_FALSE(fs::exists(path("made/test")));
}

TEST_F(SimulateTest, WhatFailsLeavesNothing) {
  fs::create_directory(path("there"));
  const auto expect_nothing_new = [&] {
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
  };
  EXPECT_THAT(data_message([&] { run("there"); }),
              EndsWith("there: already exists; expected a new name"));
  expect_nothing_new();
  EXPECT_EQ(config_message([&] { run("new", {"data.sessions=1,2"}); }),
            "the overrides make a sweep of 2 runs; expected one value for each key");
  EXPECT_EQ(
      config_message([&] { run("new", {"data={format: tiangong, train: x}"}); }),
      "data.format is 'tiangong'; expected 'simulation', which makes data, or 'feature_lists'");
  expect_nothing_new();
  {
    const testing::FullDisk full(100000);
    EXPECT_THAT(data_message([&] { run("new"); }), HasSubstr("cannot be written"));
  }
  expect_nothing_new();
}

/// A written log can be read by the documents' ids, as any log.
TEST_F(SimulateTest, LogsReadBack) {
  run("made");
  for (const char* part : {"train", "valid"}) {
    std::string why;
    const auto mapped = columns_mapper().map(path("made") / part, {}, why);
    ASSERT_TRUE(mapped) << why;
    std::size_t lists = 0;
    read_columns_log(path("made") / part, {}, [&](const RawList& list) {
      const SessionView session = mapped->log[lists++];
      EXPECT_TRUE(std::ranges::equal(list.documents, session.rows)) << "ids are rows here";
      EXPECT_TRUE(std::ranges::equal(list.clicks, session.clicks));
      EXPECT_EQ(list.query, session.query);
    });
    EXPECT_EQ(lists, mapped->log.sessions());
  }
}

/// Lists with clicks are tables of sessions, features and judgements that speak of the same names.
TEST_F(SimulateTest, ListsWithClicksAreTables) {
  const auto write = [&](const std::string& learn_from) {
    folder_.write("made.yaml",
                  "data: {format: feature_lists, reader: {type: synthetic, train_queries: 5, "
                  "valid_queries: 0, test_queries: 3, shortest: 4, longest: 4}, learn_from: " +
                      learn_from + "}\nloss: naive\n");
  };
  const auto lines = [&](const std::string& file) {
    const std::string text = read_text(path("made") / file);
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto run_lists = [&] {
    testing::run_command("simulate",
                         fmt::format("{{config: '{}', output: '{}', format: table}}",
                                     path("made.yaml").string(), path("made").string()));
  };
  write("{type: simulated_clicks, sessions: 50}");
  EXPECT_THAT(config_message(run_lists), HasSubstr("aggregate: false"));
  EXPECT_FALSE(fs::exists(path("made")));
  write("{type: simulated_clicks, sessions: 50, aggregate: false, positions: 3}");
  ::testing::internal::CaptureStdout();
  run_lists();
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              EndsWith("80 sessions, 32 documents, 3 judged lists\n"));
  EXPECT_EQ(lines("train.csv"), 1 + 50 * 3);
  EXPECT_EQ(lines("test.csv"), 1 + 30 * 3);
  EXPECT_EQ(lines("features.csv"), 1 + 8 * 4);
  EXPECT_EQ(lines("judged.csv"), 1 + 3 * 4);
  EXPECT_THAT(read_text(path("made/features.csv")), ::testing::StartsWith("query,document,f1,f2,"));
  EXPECT_THAT(read_text(path("made/judged.csv")),
              ::testing::StartsWith("query,document,label\nq6,d21,"));
}

/// Tables have the names and the order of features of the files that the lists were read from.
TEST_F(SimulateTest, TablesOfListsAreWrittenAsTheListsWereRead) {
  folder_.write("lists.csv",
                "query,document,label,height,price,rating\n"
                "shoes,\"red, high\",1,2,100.5,7\n"
                "shoes,blue,2,0,200.5,4\n"
                "hats,straw,0,1,50.25,3\n"
                "hats,felt,2,3,75.5,9\n");
  folder_.write("made.yaml",
                "data: {format: feature_lists, reader: {type: table, columns: {features: [height, "
                "price, rating]}}, train: lists.csv, test: lists.csv, bias_features: [1], "
                "learn_from: {type: simulated_clicks, sessions: 20, aggregate: false}}\n"
                "loss: naive\n");
  ::testing::internal::CaptureStdout();
  testing::run_command("simulate", fmt::format("{{config: '{}', output: '{}', format: table}}",
                                               path("made.yaml").string(), path("made").string()));
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(read_text(path("made/features.csv")),
            "query,document,f1,f2,f3\n"
            "shoes,\"red, high\",2,100.5,7\n"
            "shoes,blue,0,200.5,4\n"
            "hats,straw,1,50.25,3\n"
            "hats,felt,3,75.5,9\n");
  EXPECT_EQ(read_text(path("made/judged.csv")),
            "query,document,label\n"
            "shoes,\"red, high\",1\n"
            "shoes,blue,2\n"
            "hats,straw,0\n"
            "hats,felt,2\n");
  EXPECT_THAT(read_text(path("made/train.csv")),
              ::testing::ContainsRegex("\ns[0-9]+,shoes,\"red, high\",[12],[01]\n"));
}

}  // namespace
}  // namespace ultr::simulate_test
