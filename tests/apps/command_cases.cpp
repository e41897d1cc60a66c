#include "apps/command_cases.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "apps/run_fixture.h"
#include "commands/command_table.h"
#include "data/gzip.h"

namespace ultr::testing {
namespace {

namespace fs = std::filesystem;

/// Returns a table without its column `seconds`.
std::string without_seconds(const std::string& csv) {
  std::istringstream lines(csv);
  std::string text;
  std::size_t dropped = std::string::npos;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::size_t column = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++column) {
      if (text.find('\n') == std::string::npos && cell == "seconds") dropped = column;
      if (column != dropped) text += cell + ",";
    }
    text += "\n";
  }
  return text;
}

bool says_that_it_is_complete(const Finished& finished) {
  return finished.errors.find("is finished") != std::string::npos ||
         finished.errors.find("already exists") != std::string::npos;
}

}  // namespace

void PrintTo(const CommandCase& command, std::ostream* stream) { *stream << command.name; }

std::string name_of_case(const ::testing::TestParamInfo<CommandCase>& command) {
  return command.param.name;
}

std::vector<CommandCase> command_cases() {
  const Words train = {"train", "shop.yaml", "output=out", "checkpoint.every=1 epoch"};
  const Words trained = {"shop.yaml", "output=run"};
  return {
      {.name = "train", .arguments = train, .resumes = true},
      {.name = "em",
       .arguments = {"train", "shop.yaml", "output=out", "optimizer=em"},
       .resumes = true},
      {.name = "sweep",
       .arguments = {"train", "shop.yaml", "output=out", "seed=1,2"},
       .resumes = true},
      {.name = "resume",
       .arguments = {"resume", "out"},
       .before = {train},
       .resumes = true,
       .after_kill = true},
      {.name = "choose",
       .arguments = {"choose", "shop.yaml", "--model", "pbm", "--model", "gctr", "--output", "out"},
       .resumes = true},
      {.name = "convert",
       .arguments = {"convert", "table", "clicks.csv.gz", "--set",
                     "columns={session: sid, query: term, document: sku, position: rank, "
                     "click: clicked}",
                     "--output", "out"}},
      {.name = "simulate", .arguments = {"simulate", "simulation.yaml", "--output", "out"}},
      {.name = "simulate_table",
       .arguments = {"simulate", "simulation.yaml", "--format", "table", "--output", "out"}},
      {.name = "diagnose", .arguments = {"diagnose", "shop.yaml", "--output", "out"}},
      {.name = "estimate_bias",
       .arguments = {"estimate-bias", "shop.yaml", "--resamples", "3", "--output", "out"}},
      {.name = "predict",
       .arguments = {"predict", "run", "--data", "clicks.csv", "--output", "out"},
       .before = {trained}},
      {.name = "relevance",
       .arguments = {"relevance", "run", "--output", "out"},
       .before = {trained}},
      {.name = "labels",
       .arguments = {"labels", "run", "--format", "csv", "--output", "out"},
       .before = {trained}},
      {.name = "evaluate",
       .arguments = {"evaluate", "run", "--data", "clicks.csv", "--output", "out"},
       .before = {trained}},
      {.name = "compare",
       .arguments = {"compare", "run", "other", "--metric", "test.ll", "--output", "out"},
       .before = {trained, {"shop.yaml", "model=gctr", "output=other"}}},
  };
}

std::map<std::string, std::string> bits_of(const fs::path& path) {
  if (fs::is_regular_file(path)) return {{"", read_text(path)}};
  std::map<std::string, std::string> bits;
  if (!fs::exists(path)) return bits;
  const bool of_runs = fs::exists(path / "config.yaml") || fs::exists(path / "sweep.txt");
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    const std::string name = entry.path().filename();
    const bool has_times = name == "report.html" || name == "config.yaml" ||
                           name.starts_with("comparison.") || name.ends_with(".checkpoint");
    const bool has_links = name == "comparison.html";  // from its folder to those of the runs
    if (!entry.is_regular_file() || has_links || (of_runs && has_times)) continue;
    std::string text = read_text(entry.path());
    if (name == "metrics.csv") text = without_times(text);
    if (name == "models.csv") text = without_seconds(text);
    if (name == "results.json") {
      const auto all = nlohmann::json::parse(text);
      text.clear();
      for (const char* part : {"train", "valid", "test"})
        if (all.contains(part)) text += all[part].dump();
    }
    bits[fs::relative(entry.path(), path)] = text;
  }
  return bits;
}

void expect_same_bits(const std::map<std::string, std::string>& actual,
                      const std::map<std::string, std::string>& expected) {
  for (const auto& [name, bits] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end())
      ADD_FAILURE() << "no file '" << name << "'";
    else
      EXPECT_TRUE(found->second == bits) << "other bits in '" << name << "'";
  }
  for (const auto& [name, bits] : actual)
    EXPECT_TRUE(expected.contains(name)) << "there is a file '" << name << "', too";
}

Finished run_in(const fs::path& folder, const Words& arguments, const Words& before) {
  const TemporaryFolder rescued;  // for models that their run could not write into its folder
  Words words = {"120", "/usr/bin/env", "TMPDIR=" + rescued.path().string()};
  words.insert(words.end(), before.begin(), before.end());
  words.emplace_back(ULTR_RUN);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program("/usr/bin/timeout", words, folder);
}

void expect_one_error(const Finished& finished) {
  EXPECT_THAT(finished.exit_code, ::testing::AnyOf(1, 2, 3)) << finished.errors;
  const auto error = finished.errors.rfind("error: ");
  ASSERT_NE(error, std::string::npos) << finished.errors;
  EXPECT_EQ(finished.errors.find('\n', error), finished.errors.size() - 1) << finished.errors;
  EXPECT_EQ(finished.errors.find("filesystem error"), std::string::npos) << finished.errors;
  EXPECT_NO_THROW(static_cast<void>(nlohmann::json(finished.errors).dump())) << "is not UTF-8";
}

CommandCaseTest::CommandCaseTest() { prepare(prepared_.path()); }

void CommandCaseTest::prepare(const fs::path& folder) const {
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  std::string log = "sid,term,sku,rank,clicked\n";
  for (int i = 0; i < 200; ++i)
    for (int rank = 1; rank <= 3; ++rank)
      log += fmt::format("s{},\"shoes, {}\",Schuh {},{},{}\n", i, i % 3, (i + rank) % 5, rank,
                         (i * rank) % 7 < 2 ? 1 : 0);
  write("clicks.csv", log);
  write("clicks.csv.gz", gzip(log));
  write("shop.yaml",
        "data:\n"
        "  format: table\n"
        "  train: clicks.csv\n"
        "  columns: {session: sid, query: term, document: sku, position: rank, click: clicked}\n"
        "  split: {valid: 0.2, test: 0.2}\n"
        "model: pbm\n"
        "train: {epochs: 3, batch_size: 32}\n"
        "threads: 1\n");
  write("simulation.yaml",
        "name: shop\n"
        "data: {format: simulation, sessions: 300, valid_sessions: 60, test_sessions: 60, "
        "queries: 5, positions: 5}\n"
        "model: pbm\n"
        "threads: 1\n");
  const auto& before = GetParam().before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool killed = GetParam().after_kill && i + 1 == before.size();
    Words environment;
    if (killed)
      environment = {"/usr/bin/env", "FAULT_FOLDER=" + fs::canonical(folder).string(), "FAULT=kill",
                     "FAULT_AT=80", std::string("LD_PRELOAD=") + ULTR_FILE_FAULTS};
    const Finished finished = run_in(folder, before[i], environment);
    EXPECT_EQ(finished.exit_code, killed ? 137 : 0) << finished.errors;
  }
}

void CommandCaseTest::expect_no_harm(const fs::path& folder, const Finished& finished,
                                     const std::map<std::string, std::string>& expected) const {
  const fs::path output = folder / "out";
  // A choice of models goes on without those that cannot be fitted, and names them.
  const auto says = [&](const char* words) {
    return finished.output.find(words) != std::string::npos;
  };
  if (finished.exit_code == 0 && (says(" not fitted: ") || says("\nnot fitted\n- "))) return;
  if (finished.exit_code == 0) {
    expect_same_bits(bits_of(output), expected);
    return;
  }
  const bool is_killed = finished.exit_code > 128;
  if (!is_killed) expect_one_error(finished);
  const bool resumes = GetParam().resumes &&
                       (fs::exists(output / "config.yaml") || fs::exists(output / "sweep.txt"));
  const Words arguments = resumes ? Words{"--resume", "out"} : GetParam().arguments;
  Finished again = run_in(folder, arguments);
  if (again.exit_code != 0) expect_one_error(again);
  if (again.exit_code != 0 && !says_that_it_is_complete(again)) {  // the user begins anew
    EXPECT_THAT(again.errors, ::testing::AnyOf(::testing::HasSubstr("has no checkpoint"),
                                               ::testing::HasSubstr("is not empty"),
                                               ::testing::HasSubstr(" runs failed")));
    fs::remove_all(output);
    again = run_in(folder, GetParam().arguments);
    EXPECT_EQ(again.exit_code, 0) << again.errors;
  }
  SCOPED_TRACE(finished.errors + again.errors);
  expect_same_bits(bits_of(output), expected);
}

}  // namespace ultr::testing

namespace ultr::command_cases {
namespace {

TEST(CommandCasesTest, EveryCommandHasOne) {
  std::set<std::string> names;
  for (const testing::CommandCase& command : testing::command_cases())
    names.insert(command.arguments.front());
  for (const Command& command : command_table())
    EXPECT_TRUE(names.contains(command.name)) << command.name << " needs an entry";
}

}  // namespace
}  // namespace ultr::command_cases
