#include "experiment/run_directory.h"

#include <nlohmann/json.hpp>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "options/config_tree.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "testing/working_folder.h"

namespace ultr::run_directory_test {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::read_text;
using ::testing::StartsWith;
using testing::TemporaryFolder;

/// Returns the error message for a refused folder.
std::string refusal(const fs::path& output) {
  try {
    const RunDirectory folder(output.string(), "name");
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << output << " was not refused";
  return "";
}

TEST(RunDirectoryTest, CreatesNothingBeforeCreate) {
  const TemporaryFolder parent;
  const fs::path output = parent.path() / "a/b/c";
  RunDirectory folder(output.string(), "name");
  EXPECT_EQ(folder.path(), output);
  EXPECT_EQ(parent.size(), 0u);
  folder.create();
  EXPECT_TRUE(fs::is_empty(output));
}

TEST(RunDirectoryTest, AnEmptyFolderIsUsedAndStays) {
  const TemporaryFolder parent;
  RunDirectory folder(parent.path().string(), "name");
  EXPECT_TRUE(fs::is_directory(parent.path()));
  folder.create();
  folder.write("file", "text");
  EXPECT_EQ(read_text(parent.path() / "file"), "text");
  EXPECT_EQ(parent.size(), 1u) << "no temporary file is left";
}

TEST(RunDirectoryTest, APathThatLeadsBackOutOfANewFolderIsShortened) {
  const TemporaryFolder parent;
  RunDirectory folder((parent.path() / "new/../output").string(), "name");
  folder.create();
  EXPECT_EQ(folder.path(), parent.path() / "output");
  EXPECT_EQ(parent.size(), 1u);
}

TEST(RunDirectoryTest, WithoutOutputTheFirstFreeNumberIsTaken) {
  const TemporaryFolder parent;
  const testing::WorkingFolder in(parent.path());
  EXPECT_EQ(RunDirectory("", "pbm").path(), "runs/pbm/1");
  EXPECT_EQ(parent.size(), 0u);
  RunDirectory("", "pbm").create();
  EXPECT_EQ(RunDirectory("", "pbm").path(), "runs/pbm/2");
  EXPECT_EQ(RunDirectory("", "dbn").path(), "runs/dbn/1");
}

TEST(RunDirectoryTest, RunsThatStartTogetherTakeDifferentNumbers) {
  const TemporaryFolder parent;
  const testing::WorkingFolder in(parent.path());
  RunDirectory first("", "pbm"), second("", "pbm"), third("", "pbm");
  for (RunDirectory* folder : {&third, &first, &second}) folder->create();
  EXPECT_EQ(third.path(), "runs/pbm/1");
  EXPECT_EQ(first.path(), "runs/pbm/2");
  EXPECT_EQ(second.path(), "runs/pbm/3");
}

TEST(RunDirectoryTest, RefusesFilesAndFilledFolders) {
  const TemporaryFolder parent;
  const fs::path file = parent.write("file", "x");
  EXPECT_EQ(refusal(file),
            "output " + file.string() + " is a file; expected a new or empty folder");
  EXPECT_EQ(refusal(parent.path()),
            "output " + parent.path().string() + " is not empty; expected a new or empty folder");
  EXPECT_EQ(refusal(file / "below"),
            "output " + (file / "below").string() +
                " cannot be created (Not a directory); expected a folder that can be written to");
  EXPECT_EQ(parent.size(), 1u);
}

TEST(RunDirectoryTest, ReportsFoldersThatCannotBeCreated) {
  EXPECT_THAT(refusal("/proc/x"), StartsWith("output /proc/x cannot be created ("));
  EXPECT_THAT(refusal("/proc/x/y"), StartsWith("output /proc/x/y cannot be created ("));
  const TemporaryFolder parent;
  const fs::path deep = parent.path() / "new" / std::string(300, 'x');
  EXPECT_THAT(refusal(deep), EndsWith("(File name too long); expected a folder that can be "
                                      "written to"));
  EXPECT_EQ(parent.size(), 0u) << "what was made on the way is removed";
}

TEST(RunDirectoryTest, OfTwoRunsWithOneFolderTheSecondIsRefused) {
  const TemporaryFolder parent;
  const std::string output = (parent.path() / "run").string();
  RunDirectory first(output, "name"), second(output, "name");
  first.create();
  first.write("file", "x");
  EXPECT_THAT([&] { second.create(); },
              ::testing::ThrowsMessage<ConfigError>(EndsWith("is not empty; expected a new or "
                                                             "empty folder")));
}

TEST(RunDirectoryTest, AnotherRunIsRefusedBeforeTheFirstHasWrittenAnything) {
  const TemporaryFolder parent;
  const std::string output = (parent.path() / "run").string();
  RunDirectory first(output, "name"), second(output, "name");
  first.create();
  EXPECT_THAT([&] { second.create(); },
              ::testing::ThrowsMessage<ConfigError>(HasSubstr("another process is working on it")));
  EXPECT_THAT([&] { RunDirectory::of_run(output); },
              ::testing::ThrowsMessage<ConfigError>(HasSubstr("another process is working on it")));
}

TEST(RunDirectoryTest, AFolderThatWasRemovedIsAnError) {
  const TemporaryFolder parent;
  const fs::path output = parent.path() / "run";
  RunDirectory folder(output.string(), "name");
  folder.create();
  folder.write("file", "x");
  folder.expect_unmoved();
  fs::remove_all(output);
  const auto is_missed = ::testing::ThrowsMessage<DataError>(
      output.string() + ": was removed or renamed during the run; expected the folder to stay");
  EXPECT_THAT([&] { folder.write("file", "x"); }, is_missed);
  EXPECT_FALSE(fs::exists(output));
  fs::create_directory(output);
  EXPECT_THAT([&] { folder.expect_unmoved(); }, is_missed);
}

TEST(RunDirectoryTest, AFolderOfARunStaysUnchanged) {
  const TemporaryFolder parent;
  const fs::path file = parent.write("config.yaml", "seed: 1\n");
  RunDirectory folder = RunDirectory::of_run(parent.path());
  folder.create();
  EXPECT_EQ(folder.path(), parent.path());
  EXPECT_EQ(read_text(file), "seed: 1\n");
  EXPECT_EQ(parent.size(), 1u);
}

TEST(RunDirectoryTest, NumbersThatDoNotExistAreEmpty) {
  const TemporaryFolder parent;
  const RunDirectory folder(parent.path().string(), "name");
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EpochResult epoch{.stage = "pbm", .epoch = 1, .learning_rate = 0.5, .train_loss = -nan};
  ClickEvaluation nothing;
  nothing.loss = nan;
  epoch.valid.emplace(nothing);
  folder.write_metrics({epoch});
  EXPECT_THAT(read_text(parent.path() / "metrics.csv"),
              EndsWith("\n1,0.5,,,,,,,,0,pbm,0.000000,0.0\n"));
}

TEST(RunDirectoryTest, MetricsHaveOneRowPerEpoch) {
  const TemporaryFolder parent;
  const RunDirectory folder(parent.path().string(), "name");
  EpochResult validated{.stage = "pbm",
                        .epoch = 2,
                        .learning_rate = 0.25,
                        .train_loss = 0.1,
                        .best = true,
                        .seconds = 0.5,
                        .sessions_per_second = 10};
  ClickEvaluation evaluation;
  evaluation.loss = 0.75;
  // Two documents at rank 1 and one at rank 2, all clicked.
  for (const std::size_t rank : {0, 0, 1}) {
    evaluation.conditional.add(rank, true, std::log(rank == 0 ? 1 / 2. : 1 / 4.), -1);
    evaluation.unconditional.add(rank, true, 0, -1);
  }
  validated.valid.emplace(evaluation);
  folder.write_metrics(
      {{.stage = "first", .epoch = 1, .learning_rate = 0.5, .train_loss = 1 / 3.}, validated});
  const std::string csv = read_text(parent.path() / "metrics.csv");
  const double ll = (2 * std::log(1 / 2.) + std::log(1 / 4.)) / 3;
  EXPECT_EQ(csv,
            "epoch,learning_rate,train_loss,valid_loss,valid_ll,valid_ppl,valid_cond_ppl,"
            "valid_ppl_rank_mean,valid_cond_ppl_rank_mean,best,stage,seconds,sessions_per_second\n"
            "1,0.5,0.3333333333333333,,,,,,,0,first,0.000000,0.0\n" +
                fmt::format("2,0.25,0.1,0.75,{},1,{},1,{},1,pbm,0.500000,10.0\n", ll, std::exp(-ll),
                            evaluation.conditional.perplexity_rank_mean()));
}

TEST(RunDirectoryTest, EpochsCanBeAppendedToMetrics) {
  const TemporaryFolder parent;
  const RunDirectory folder(parent.path().string(), "name");
  EpochResult first{.stage = "pbm", .epoch = 1, .train_loss = 0.5};
  EpochResult second{.stage = "pbm", .epoch = 2, .train_loss = 0.25};
  ClickEvaluation evaluation;
  evaluation.loss = 0.75;
  second.valid.emplace(evaluation);
  folder.write_metrics({first, second});
  const std::string whole = read_text(parent.path() / "metrics.csv");
  folder.write_metrics({first});
  folder.append_metrics(second);
  EXPECT_EQ(read_text(parent.path() / "metrics.csv"), whole);
}

/// Covers every registered model.
TEST(RunDirectoryTest, ModelsAreFilesThatReadBack) {
  const ExperimentData data = testing::small_simulation();
  for (const ModelType& type : model_types()) {
    const TrainableModel model = testing::model_for(type.name, data.dataset);
    const TemporaryFolder parent;
    const RunDirectory folder(parent.path().string(), "name");
    folder.write_model(model, data.dataset.dictionary);
    const fs::path written = parent.path() / "model";
    const auto json = nlohmann::json::parse(read_text(written / "model.json"));
    EXPECT_EQ(json["type"], type.name);
    EXPECT_EQ(json["rows"], data.dataset.dictionary.rows());
    EXPECT_EQ(json["positions"], 5);
    EXPECT_EQ(json["parameters"].size(), model.parameters().size());
    for (const Parameter* parameter : model.parameters()) {
      const auto& description = json["parameters"][parameter->name()];
      EXPECT_EQ(description["file"], parameter->name() + ".npy");
      EXPECT_EQ(description["rows"], parameter->rows());
      EXPECT_EQ(description["columns"], parameter->columns());
      EXPECT_EQ(read_npy<float>(written / (parameter->name() + ".npy")), parameter->values());
    }
    EXPECT_EQ(PairDictionary::load(written).documents(), data.dataset.dictionary.documents());
    EXPECT_EQ(PairDictionary::load(written).queries(), data.dataset.dictionary.queries());
  }
}

}  // namespace
}  // namespace ultr::run_directory_test
