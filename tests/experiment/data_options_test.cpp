#include "experiment/data_options.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/readers.h"
#include "options/config_tree.h"
#include "options/write.h"
#include "testing/errors.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "testing/working_folder.h"

namespace ultr::data_options_test {
namespace {

namespace fs = std::filesystem;
using testing::data_message;
using testing::TemporaryFolder;
using testing::WorkingFolder;

/// A scope in which $ULTR_DATA_DIR is set.
class DataFolderVariable {
 public:
  explicit DataFolderVariable(const fs::path& folder) {
    if (const char* value = std::getenv("ULTR_DATA_DIR")) before_ = value;
    setenv("ULTR_DATA_DIR", folder.c_str(), 1);
  }
  ~DataFolderVariable() {
    if (before_)
      setenv("ULTR_DATA_DIR", before_->c_str(), 1);
    else
      unsetenv("ULTR_DATA_DIR");
  }

 private:
  std::optional<std::string> before_;
};

/// Returns the options of `tiangong`, read from YAML.
Choice tiangong(const std::string& yaml) {
  Choice choice(testing::registry().data(), "tiangong", "format");
  testing::configure(*choice.options, yaml);
  return choice;
}

std::string config_message(const Choice& choice) {
  try {
    choice.as<DataOptions>().check();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* four_lists =
    "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n"
    "1\t7\t[6, 5]\t[1, 1]\t[1, 0]\n"
    "2\t8\t[5, 6, 7]\t[1, 1, 1]\t[0, 0, 1]\n"
    "2\t8\t[7]\t[1]\t[0]\n";

TEST(FindDataFileTest, LooksBesideTheConfigurationFirstThenInTheDataFolder) {
  const TemporaryFolder config, working, data, elsewhere;
  fs::create_directories(working.path() / "here");
  fs::create_directories(working.path() / "shared/data");
  const WorkingFolder in(working.path() / "here");
  const DataFolderVariable variable(data.path());
  const auto found = [&] { return find_data_file("log.txt", config.path()); };

  working.write("shared/data/log.txt", "x");
  EXPECT_EQ(found(), fs::canonical(working.path() / "shared/data/log.txt"));
  data.write("log.txt", "x");
  EXPECT_EQ(found(), fs::canonical(data.path() / "log.txt"));
  working.write("here/log.txt", "x");
  EXPECT_EQ(found(), fs::canonical(working.path() / "here/log.txt"));
  config.write("log.txt", "x");
  EXPECT_EQ(found(), fs::canonical(config.path() / "log.txt"));
  const fs::path absolute = elsewhere.write("log.txt", "x");
  EXPECT_EQ(find_data_file(absolute.string(), config.path()), fs::canonical(absolute));
}

TEST(FindDataFileTest, ErrorsNameAllPlacesSearched) {
  const TemporaryFolder config, data;
  const WorkingFolder in(config.path());
  const DataFolderVariable variable(data.path());
  const std::string message =
      data_message([&] { find_data_file("a/log.txt", config.path() / "c"); });
  EXPECT_EQ(message, "a/log.txt: there is no such file; looked for " +
                         (config.path() / "c/a/log.txt").string() + ", " +
                         (config.path() / "a/log.txt").string() + ", " +
                         (data.path() / "a/log.txt").string() + ", " +
                         (config.path().parent_path() / "shared/data/a/log.txt").string());
  EXPECT_EQ(data_message([] { find_data_file("/no/log.txt", "/"); }),
            "/no/log.txt: there is no such file; looked for /no/log.txt");
}

TEST(DataOptionsTest, EveryReaderFeatureListsAndTheSimulationAreSources) {
  std::vector<std::string> names, expected;
  for (const OptionType& type : testing::registry().data()) names.push_back(type.name);
  for (const ReaderType& reader : reader_types()) expected.push_back(reader.name);
  expected.emplace_back("feature_lists");
  expected.emplace_back("simulation");
  EXPECT_EQ(names, expected);
}

TEST(DataOptionsTest, FilesBecomeAbsoluteAndAreReadWithoutTheConfigurationsFolder) {
  const TemporaryFolder folder;
  folder.write("log.txt", four_lists);
  const Choice choice = tiangong("{train: log.txt, valid: [log.txt, log.txt], test: log.txt}");
  choice.as<DataOptions>().locate_files(folder.path());
  const std::string path = fs::canonical(folder.path() / "log.txt").string();
  EXPECT_THAT(write_options(*choice.options), ::testing::HasSubstr("train: [" + path + "]"));
  const Dataset dataset = choice.as<DataOptions>().load({}).dataset;
  EXPECT_EQ(dataset.train.sessions(), 4u);
  EXPECT_EQ(dataset.valid.sessions(), 8u);
  EXPECT_EQ(dataset.test.sessions(), 4u);
  EXPECT_EQ(dataset.dictionary.rows(), 1 + 2 + 3);
  EXPECT_EQ(dataset.positions, 3u);
  EXPECT_EQ(choice.as<DataOptions>().load({}).truth, nullptr);
}

TEST(DataOptionsTest, TrainingOnlyLooksForAndLoadsNothingElse) {
  const TemporaryFolder folder;
  folder.write("log.txt", four_lists);
  const Choice choice = tiangong("{train: log.txt, valid: gone.txt, test: gone.txt, labels: gone}");
  choice.as<DataOptions>().keep_training_only();
  choice.as<DataOptions>().locate_files(folder.path());
  EXPECT_EQ(choice.as<DataOptions>().load({}).dataset.train.sessions(), 4u);

  const Choice simulation(testing::registry().data(), "simulation", "format");
  testing::configure(*simulation.options, "{sessions: 20, valid_sessions: 5, test_sessions: 5}");
  simulation.as<DataOptions>().keep_training_only();
  const Dataset simulated = std::move(simulation.as<DataOptions>().load({}).dataset);
  EXPECT_EQ(simulated.train.sessions(), 20u);
  EXPECT_EQ(simulated.valid.sessions() + simulated.test.sessions(), 0u);
}

TEST(DataOptionsTest, MissingFilesAreAnError) {
  const TemporaryFolder folder;
  const Choice choice = tiangong("{train: log.txt}");
  EXPECT_THAT(data_message([&] { choice.as<DataOptions>().locate_files(folder.path()); }),
              ::testing::StartsWith("log.txt: there is no such file; looked for "));
}

TEST(DataOptionsTest, RulesReachTheReader) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.txt", four_lists + std::string("broken\n")).string();
  const auto load = [&](const std::string& rules) {
    return tiangong("{train: " + log + ", " + rules + "}").as<DataOptions>().load({}).dataset;
  };
  EXPECT_EQ(data_message([&] { load("max_positions: 2"); }),
            log +
                ":3: the list shows a document at position 3; expected at most "
                "data.max_positions = 2 (or data.long_lists: truncate)");
  EXPECT_THAT(data_message([&] { load("on_error: fail"); }),
              ::testing::StartsWith(log + ":5: 1 fields; expected "));
  const Dataset dataset = load("max_positions: 2, long_lists: truncate, on_error: skip");
  EXPECT_EQ(dataset.train.sessions(), 4u);
  EXPECT_EQ(dataset.positions, 2u);
  EXPECT_EQ(dataset.notes.size(), 2u);
}

/// Returns the last report of progress while data are loaded: "3 of 4 sessions, reading".
std::string progress_of(const Choice& choice) {
  std::string last;
  std::uint64_t before = 0;
  choice.as<DataOptions>().load({.progress = [&](std::string_view work, std::string_view unit,
                                                 std::uint64_t done, std::uint64_t all) {
    EXPECT_GE(done, before) << "it counts on from file to file";
    before = done;
    last = fmt::format("{} of {} {}, {}", done, all, unit, work);
  }});
  return last;
}

TEST(DataOptionsTest, ReadingAndSimulatingReportProgress) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += four_lists;
  const std::string log = folder.write("log.txt", lines).string();
  const std::size_t bytes = lines.size();
  EXPECT_EQ(progress_of(tiangong(fmt::format("{{train: {0}, valid: [{0}, {0}]}}", log))),
            fmt::format("{0} of {0} bytes, reading", 3 * bytes));
  EXPECT_EQ(
      progress_of(tiangong(fmt::format("{{train: {}, split: {{test: 0.5, by: time}}}}", log))),
      fmt::format("{0} of {0} bytes, reading", 2 * bytes));
  const Choice simulation(testing::registry().data(), "simulation", "format");
  testing::configure(*simulation.options, "{sessions: 20, valid_sessions: 5, test_sessions: 5}");
  EXPECT_EQ(progress_of(simulation), "30 of 30 sessions, simulating");
}

TEST(DataOptionsTest, SharesAreHeldOutBySeed) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += four_lists;
  const std::string log = folder.write("log.txt", lines).string();
  const Choice choice = tiangong("{train: " + log + ", split: {valid: 0.25, test: 0.5}}");
  const Dataset one = choice.as<DataOptions>().load({.seed = 1}).dataset;
  EXPECT_EQ(one.train.sessions() + one.valid.sessions() + one.test.sessions(), 400u);
  EXPECT_NEAR(static_cast<double>(one.valid.sessions()), 0.25 * 400,
              4 * std::sqrt(0.25 * 0.75 * 400));
  EXPECT_NEAR(static_cast<double>(one.test.sessions()), 0.5 * 400, 4 * std::sqrt(0.5 * 0.5 * 400));
  const auto again = choice.as<DataOptions>().load({.seed = 1, .threads = 2}).dataset;
  EXPECT_EQ(testing::sessions_of(again.train), testing::sessions_of(one.train));
  const auto other = choice.as<DataOptions>().load({.seed = 2}).dataset;
  EXPECT_NE(testing::sessions_of(other.train), testing::sessions_of(one.train));
}

TEST(DataOptionsTest, ContradictionsAreWrongConfigurations) {
  EXPECT_EQ(config_message(tiangong("{train: a, split: {valid: 0.1, test: 0.1}}")), "");
  EXPECT_EQ(config_message(tiangong("{}")), "data.train is missing; expected files to train on");
  EXPECT_EQ(config_message(tiangong("{train: a, valid: b, split: {valid: 0.1}}")),
            "data.valid and data.split.valid are both given; expected one of them");
  EXPECT_EQ(config_message(tiangong("{train: a, test: b, split: {test: 0.1}}")),
            "data.test and data.split.test are both given; expected one of them");
  EXPECT_EQ(config_message(tiangong("{train: a, split: {valid: 0.5, test: 0.5}}")),
            "data.split leaves nothing to train on; expected shares that sum below 1");
  EXPECT_EQ(config_message(Choice(testing::registry().data(), "simulation", "format")), "");
}

}  // namespace
}  // namespace ultr::data_options_test
