#include "commands/convert.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/stop_signals.h"
#include "commands/built_in_registry.h"
#include "data/columns/columns.h"
#include "data/format_samples.h"
#include "data/read_features.h"
#include "data/readers.h"
#include "options/config_tree.h"
#include "testing/errors.h"
#include "testing/run_command.h"

namespace ultr::convert_test {
namespace {

namespace fs = std::filesystem;

using testing::Conversion;
using testing::convert_dataset;
using testing::data_message;
using ::testing::ElementsAre;
using testing::read_text;
using testing::TemporaryFolder;

/// Converts and returns what it says on standard output.
std::string converted(const Conversion& conversion) {
  ::testing::internal::CaptureStdout();
  convert_dataset(conversion);
  return ::testing::internal::GetCapturedStdout();
}

/// The columns as the summary lists them.
std::string columns_of(const FeatureLists& lists) {
  std::string text;
  if (!lists.columns().positions.empty()) text += ", positions";
  if (!lists.columns().clicks.empty()) text += ", clicks";
  if (!lists.columns().labels.empty()) text += ", labels";
  if (!lists.columns().propensities.empty()) text += ", propensities";
  return text;
}

TEST(ConvertTest, EveryFormatBecomesColumns) {
  const Registry registry = built_in_registry();
  std::set<std::string> names;
  std::vector<OptionType> formats = feature_conversions(registry);
  for (OptionType& log : click_log_conversions(registry)) formats.push_back(std::move(log));
  for (const OptionType& format : formats) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    const TemporaryFolder folder;
    const auto file = write_sample(folder, format.name);
    const std::string output = folder.path() / "made" / "columns";
    const std::string said = converted({format.name, {file}, output, {}});
    const FeatureLists lists = read_columns(output);
    EXPECT_EQ(lists.lists(), 2u) << format.name;
    EXPECT_THAT(said, ::testing::StartsWith(
                          fmt::format("{}: 2 lists, {} documents, ", output, lists.documents())));
  }
}

TEST(ConvertTest, SaysWhichColumnsListsWithFeaturesHave) {
  for (const OptionType& format : feature_conversions(built_in_registry())) {
    const TemporaryFolder folder;
    const auto file = write_sample(folder, format.name);
    const std::string output = folder.path() / "made";
    const std::string said = converted({format.name, {file}, output, {}});
    const FeatureLists lists = read_columns(output);
    EXPECT_EQ(said, fmt::format("{}: 2 lists, {} documents, {} features{}\n", output,
                                lists.documents(), lists.features(), columns_of(lists)));
  }
}

TEST(ConvertTest, FeatureFormatsKeepAllTheyRead) {
  for (const OptionType& format : feature_conversions(built_in_registry())) {
    const TemporaryFolder folder;
    const auto file = write_sample(folder, format.name);
    converted({format.name, {file}, folder.path() / "converted", {}});
    testing::expect_equal(read_columns(folder.path() / "converted"),
                          testing::read_features(format.name, {file}).lists);
  }
}

TEST(ConvertTest, WordsAreKept) {
  for (const std::string format : {"baidu_clicks", "baidu_annotations"}) {
    const TemporaryFolder folder;
    const auto file = write_sample(folder, format);
    const std::string output = folder.path() / "made";
    EXPECT_THAT(converted({format, {file}, output, {"words=true"}}),
                ::testing::EndsWith(", words\n"));
    const FeatureLists lists = read_columns(output);
    EXPECT_TRUE(lists.has_words());
    testing::expect_equal(lists, testing::read_features(format, {file}, "{words: true}").lists);
    converted({"columns", {output}, folder.path() / "again", {}});
    testing::expect_equal(read_columns(folder.path() / "again"), lists);
  }
}

TEST(ConvertTest, TablesKeepFeaturesLabelsAndNames) {
  const TemporaryFolder folder;
  const auto file = folder.write("judged.csv",
                                 "query,document,label,price,height\nred shoes,A,2,1.5,10\n"
                                 "red shoes,B,0,2,20\nhat,C,1,3,10\n");
  const std::string output = folder.path() / "columns";
  const std::vector<std::string> set = {"columns.features=[price]",
                                        "columns.bias_features=[height]"};
  EXPECT_EQ(converted({"table", {file}, output, set}),
            output + ": 2 lists, 3 documents, 3 pairs, labels, 2 features\n");
  const FeatureLists lists = read_columns(output);
  EXPECT_THAT(lists.columns().labels, ElementsAre(2, 0, 1));
  EXPECT_THAT(lists.columns().features, ElementsAre(1.5, 10, 2, 20, 3, 10));
  EXPECT_TRUE(lists.columns().clicks.empty());
  IdNames names;
  std::vector<std::string> notes;
  ColumnsFormat().read({output}, {.names = &names}, notes);
  EXPECT_EQ(names.text(lists[0].query), "red shoes");
  EXPECT_EQ(names.size(), 5u) << "two queries and three documents";
  converted({"columns", {output}, folder.path() / "copied", {}});
  EXPECT_EQ(IdNames::load(folder.path() / "copied").size(), 5u);
}

TEST(ConvertTest, ASignalEndsItWithNothingWritten) {
  // The program starts anew for the exit, since threads do not survive a fork.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);
        TemporaryFolder folder;
        const fs::path pipe = folder.path() / "pipe";
        mkfifo(pipe.c_str(), 0600);
        // The signal comes when files are looked for: before that, it would end the test.
        std::thread writer([&] {
          std::ofstream stream(pipe);  // opens when the conversion does, which waits for signals
          std::raise(SIGINT);
          stream << "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n";
        });
        try {
          convert_dataset({"tiangong", {pipe}, folder.path() / "columns", {}});
        } catch (const Interrupted& interrupted) {
          writer.join();
          std::fprintf(stderr, "%s; %zu files", interrupted.what(), folder.size());
          fs::remove_all(folder.path());
          std::_Exit(interrupted.signal());
        }
        std::_Exit(1);
      },
      ::testing::ExitedWithCode(SIGINT), "stopped by SIGINT; nothing was written; 1 files");
}

TEST(ConvertTest, TakesOptionsOfTheFormat) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.txt", "1 qid:7 1:1\noops\n2 qid:8 2:1\n");
  const std::string output = folder.path() / "columns";
  ::testing::internal::CaptureStderr();
  converted({"svmlight", {file}, output, {"on_error=skip"}});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::StartsWith(file.string() + ": 1 of 3 lines were left out; the first: "));
  EXPECT_EQ(read_columns(output).lists(), 2u);

  const auto log = folder.write("log.txt", "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n");
  converted({"tiangong", {log}, folder.path() / "cut", {"max_positions=1", "long_lists=truncate"}});
  EXPECT_THAT(read_columns(folder.path() / "cut").columns().clicks, ElementsAre(0));
}

TEST(ConvertTest, RefusesWhatIsWrongAndWritesNothing) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.txt", "1 qid:7 0:1\n");
  const std::string output = folder.path() / "columns";
  const auto config_message = [](const Conversion& conversion) -> std::string {
    try {
      convert_dataset(conversion);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(config_message({"parquet", {file}, output, {}}),
            "there is no format 'parquet'; expected one of svmlight, lightgbm, baidu_clicks, "
            "baidu_annotations, columns, table, tiangong, yandex, open_bandit");
  EXPECT_EQ(config_message({"svmlight", {file}, output, {}, true}),
            "there is no format 'svmlight' of click logs; expected one of table, tiangong, yandex, "
            "open_bandit, baidu_clicks, columns");
  EXPECT_THAT(config_message({"svmlight", {file}, output, {"on_eror=skip"}}),
              ::testing::HasSubstr("on_error"));
  EXPECT_EQ(
      data_message([&] {
        convert_dataset({"svmlight", {file}, output, {}});
      }),
      file.string() + ":1: a feature index is '0'; expected a whole number from 1 to 2147483647");
  EXPECT_THAT(data_message([&] {
                convert_dataset({"svmlight", {"gone"}, output, {}});
              }),
              ::testing::StartsWith("gone: there is no such file"));
  EXPECT_EQ(folder.size(), 1u);
  EXPECT_EQ(data_message([&] {
              convert_dataset({"svmlight", {file}, folder.path(), {}});
            }),
            folder.path().string() + ": already exists; expected a new name");
}

}  // namespace
}  // namespace ultr::convert_test
