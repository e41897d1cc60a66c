#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/gzip.h"

namespace ultr::ultr_run_error_test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::Matcher;
using ::testing::StartsWith;

constexpr int usage = 2, wrong_data = 3;

/// Mistakes of users: one line on standard error, an exit code, and nothing created.
class UltrRunErrorTest : public testing::UltrRun {
 protected:
  UltrRunErrorTest() {
    folder_.write("good.yaml",
                  "data: {format: simulation, sessions: 300, valid_sessions: 0, test_sessions: 0}\n"
                  "train: {epochs: 1}\n");
    folder_.write("log.yaml", "data: {format: tiangong, train: log.txt}\n");
    folder_.write("log.txt", good_line);
  }

  void expect_error(const std::vector<std::string>& arguments, int exit_code,
                    const Matcher<std::string>& message) const {
    const std::size_t files = folder_.size();
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code) << finished.errors;
    EXPECT_THAT(finished.errors, AllOf(StartsWith("error: "), EndsWith("\n")));
    EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1)
        << finished.errors;
    EXPECT_THAT(finished.errors.substr(std::min<std::size_t>(7, finished.errors.size())), message);
    EXPECT_EQ(finished.output, "");
    EXPECT_EQ(folder_.size(), files) << "something was created";
  }
  /// Expects the error message of a configuration with this text, in config.yaml.
  void expect_config_error(const std::string& text, const std::string& message) const {
    folder_.write("config.yaml", text);
    expect_error({"config.yaml"}, usage, message + "\n");
    expect_error({"config.yaml", "--dry-run"}, usage, message + "\n");
  }
  /// Expects the error message of a log with this text, in log.txt.
  void expect_log_error(const std::string& text, const Matcher<std::string>& message) const {
    folder_.write("log.txt", text);
    expect_error({"log.yaml"}, wrong_data, message);
  }

  static constexpr const char* good_line = "1\t7\t[5, 6, 7]\t[1, 1, 1]\t[1, 0, 0]\n";
};

TEST_F(UltrRunErrorTest, Convert) {
  expect_error({"convert"}, usage, HasSubstr("format is required"));
  expect_error({"convert", "svmlight", "log.txt"}, usage, HasSubstr("--output is required"));
  expect_error({"convert", "parquet", "log.txt", "-o", "out"}, usage,
               StartsWith("there is no format 'parquet'; expected one of svmlight, "));
  expect_error({"convert", "svmlight", "log.txt", "-o", "out", "--set", "max_feature=3"}, usage,
               HasSubstr("max_features"));
  expect_error({"convert", "svmlight", "gone.txt", "-o", "out"}, wrong_data,
               StartsWith("gone.txt: there is no such file"));
  expect_error({"convert", "svmlight", "log.txt", "-o", "out"}, wrong_data,
               HasSubstr("log.txt:1: "));
  expect_error({"convert", "tiangong", "log.txt", "-o", "log.txt"}, wrong_data,
               StartsWith("log.txt: already exists"));
}

TEST_F(UltrRunErrorTest, PropensitiesThatTheDataNeed) {
  folder_.write("bias.csv", "position,examination\n1,1\n2,\n3,0.5\n");
  folder_.write("config.yaml",
                "data: {format: tiangong, train: log.txt}\n"
                "loss: {type: ips, propensities: bias.csv, clip: 0}\n");
  const std::size_t files = folder_.size();
  const Finished finished = run({"config.yaml"});
  EXPECT_EQ(finished.exit_code, wrong_data);
  EXPECT_THAT(finished.errors,
              HasSubstr("bias.csv: has propensities for 2 of the 3 positions that the data show, "
                        "and none for 2; expected one for each"));
  EXPECT_EQ(folder_.size(), files) << "something was created";
}

TEST_F(UltrRunErrorTest, Usage) {
  expect_error({}, usage, "no configuration; expected ultr-run CONFIG [KEY=VALUE ...]\n");
  expect_error({"--unknown"}, usage, HasSubstr("--unknown"));
  expect_error({"--dry-run"}, usage, StartsWith("no configuration"));
  expect_error({"good.yaml", "seed"}, usage, "option 'seed': expected key=value\n");
  expect_error({"missing.yaml"}, usage, "missing.yaml: cannot be read; expected a YAML file\n");
  expect_error({"."}, usage, ".: is a directory; expected a YAML file\n");
}

TEST_F(UltrRunErrorTest, Configuration) {
  expect_config_error("seed: 1\noptimzer: adam\n",
                      "config.yaml:2:1: unknown key 'optimzer'; did you mean 'optimizer'?");
  expect_config_error("train:\n  epochs: 3\n  batchsize: 4\n",
                      "config.yaml:3:3: unknown key 'train.batchsize'; did you mean "
                      "'train.batch_size'?");
  expect_config_error("train:\n  epochs: many\n",
                      "config.yaml:2:11: train.epochs is 'many'; expected a whole number");
  expect_config_error("train: {epochs: 0}\n",
                      "config.yaml:1:17: train.epochs is '0'; expected a whole number at least 1 "
                      "and at most 1000000000");
  expect_config_error("seed: 1\nseed: 2\n", "config.yaml:2:1: key 'seed' is given twice");
  expect_config_error("train: {epochs: 3\nseed: 1\n",
                      "config.yaml:2:5: not valid YAML: end of map flow not found");
  expect_config_error("- a list\n", "config.yaml:1:1: expected a map of options");
  expect_config_error("name: a/b\n",
                      "name is 'a/b'; expected one without '/' that does not start with a dot, "
                      "since it names a folder");
  expect_config_error("evaluate: {cutoffs: [3, 3]}\n",
                      "evaluate.cutoffs has 3 twice; expected each once");
  expect_config_error("data: tiangong\n", "data.train is missing; expected files to train on");
}

TEST_F(UltrRunErrorTest, TextThatIsNotUtf8IsRefusedBeforeTraining) {
  expect_error({"good.yaml", "name=\xff"}, usage,
               "option 'name=\\xff': is not UTF-8; expected text in UTF-8\n");
  expect_error({"good.yaml", "name=\"a\\nb\""}, usage,
               "name is 'a\\nb'; expected one without control characters\n");
  expect_error({"good.yaml", "report.title=caf\xe9"}, usage, HasSubstr("is not UTF-8"));
  expect_error({"good.yaml", "name=\xff", "seed=1,2"}, usage, HasSubstr("is not UTF-8"));
  folder_.write("caf\xe9.yaml", testing::read_text(path("good.yaml")));
  expect_error({"caf\xe9.yaml"}, usage,
               "name is 'caf\\xe9'; expected UTF-8, since results name the run\n");
}

TEST_F(UltrRunErrorTest, Types) {
  folder_.write("config.yaml", "model: pmb\n");
  expect_error({"config.yaml"}, usage,
               AllOf(StartsWith("config.yaml:1:8: model is 'pmb'; expected one of gctr, "),
                     EndsWith(" (did you mean 'pbm'?)\n")));
}

TEST_F(UltrRunErrorTest, Overrides) {
  expect_error({"good.yaml", "trian.epochs=3"}, usage,
               "option 'trian.epochs=3': unknown key 'trian'; did you mean 'train'?\n");
  expect_error({"good.yaml", "train.epoch=3"}, usage,
               "option 'train.epoch=3': unknown key 'train.epoch'; did you mean 'train.epochs'?\n");
  expect_error({"good.yaml", "seed=-1"}, usage, StartsWith("option 'seed=-1': seed is '-1'; "));
}

TEST_F(UltrRunErrorTest, OutputIsRefusedBeforeDataAreRead) {
  std::filesystem::create_directory(path("full"));
  folder_.write("full/file", "x");
  folder_.write("log.txt", "this is no log\n");
  expect_error({"log.yaml", "output=log.txt"}, usage,
               "output log.txt is a file; expected a new or empty folder\n");
  expect_error({"log.yaml", "output=log.txt/run"}, usage,
               "output log.txt/run cannot be created (Not a directory); expected a folder that can "
               "be written to\n");
  expect_error({"log.yaml", "output=full"}, usage,
               "output full is not empty; expected a new or empty folder\n");
  expect_error({"log.yaml", "output=/proc/x"}, usage,
               "output /proc/x cannot be created (No such file or directory); expected a folder "
               "that can be written to\n");
  expect_error({"log.yaml", "output=full", "--dry-run"}, usage, HasSubstr("is not empty"));
}

TEST_F(UltrRunErrorTest, FilesOfData) {
  expect_error({"log.yaml", "data.train=missing.txt"}, wrong_data,
               StartsWith("missing.txt: there is no such file; looked for "));
  expect_error({"log.yaml", "data.train=missing.txt", "--dry-run"}, wrong_data,
               StartsWith("missing.txt: there is no such file; looked for "));
  expect_error({"log.yaml", "data.train=."}, wrong_data,
               EndsWith(": is a directory; expected a file\n"));
  expect_error({"log.yaml", "data.valid=missing.txt"}, wrong_data, StartsWith("missing.txt: "));
  folder_.write("empty.txt", "");
  for (const char* key : {"train", "valid", "test", "labels"})
    expect_error({"log.yaml", "data." + std::string(key) + "=empty.txt"}, wrong_data,
                 HasSubstr("empty.txt: "));
  expect_error({"log.yaml", "data.labels=log.txt"}, wrong_data,
               EndsWith("log.txt:1: the list has no relevance labels; expected judged lists\n"));
}

TEST_F(UltrRunErrorTest, ADryRunRefusesWhatTheRunRefuses) {
  folder_.write("nonsense.txt", "nonsense\n");
  const std::string lists = "data={format: feature_lists, reader: synthetic}";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"good.yaml", "model=two_tower", "optimizer=em"},
        {"good.yaml", "model={type: pbm, attraction: linear}"},
        {"good.yaml", "optimizer=em", "train.loss_mean=sessions"},
        {"good.yaml", lists},
        {"log.yaml", "data.labels=log.txt"},
        {"log.yaml", "data.train=nonsense.txt"},
        {"log.yaml", "data.test=nonsense.txt"}}) {
    SCOPED_TRACE(arguments.back());
    const Finished ran = run(arguments);
    EXPECT_THAT(ran.exit_code, ::testing::AnyOf(usage, wrong_data)) << ran.errors;
    const std::size_t at = ran.errors.rfind("error: ");
    ASSERT_NE(at, std::string::npos) << ran.errors;
    std::vector<std::string> dry = arguments;
    dry.emplace_back("--dry-run");
    expect_error(dry, ran.exit_code, ran.errors.substr(at + 7));
    dry.emplace_back("seed=1,2");
    expect_error(dry, ran.exit_code, ran.errors.substr(at + 7));
  }
}

TEST_F(UltrRunErrorTest, ALaterStageThatCannotBeTrainedIsRefusedBeforeTheFirst) {
  folder_.write("stages.yaml",
                "data: {format: simulation, sessions: 300, valid_sessions: 0, test_sessions: 0}\n"
                "loss: {type: affine}\noptimizer: em\n");
  const std::size_t files = folder_.size();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"stages.yaml", "--dry-run"}, {"stages.yaml", "output=run"}}) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, usage);
    EXPECT_THAT(finished.errors, HasSubstr("error: optimizer: 'em' cannot fit 'affine'"));
    EXPECT_EQ(folder_.size(), files) << "something was created";
  }
}

TEST_F(UltrRunErrorTest, ADryRunKnowsThatListsHaveNoFeatures) {
  folder_.write("one_hot.yaml",
                "data: {format: feature_lists, reader: {type: one_hot, documents: 20},\n"
                "       learn_from: {type: simulated_clicks, sessions: 100}}\n"
                "loss: {type: naive, relevance: linear}\n");
  expect_error({"one_hot.yaml", "--dry-run"}, usage,
               "relevance: 'linear' needs features, which the data do not have\n");
}

TEST_F(UltrRunErrorTest, ASectionForgottenInFrontOfAKeyIsNamed) {
  expect_error({"good.yaml", "lr=0.1"}, usage,
               "option 'lr=0.1': unknown key 'lr'; did you mean 'optimizer.lr'?\n");
  expect_error({"good.yaml", "epochs=3"}, usage,
               "option 'epochs=3': unknown key 'epochs'; did you mean 'train.epochs'?\n");
}

TEST_F(UltrRunErrorTest, LossesWithOtherOptionsAreSwept) {
  folder_.write("ranker.yaml",
                "data: {format: feature_lists, reader: {type: synthetic, train_queries: 20},\n"
                "       learn_from: {type: simulated_clicks, sessions: 200}}\n"
                "loss: {type: naive, base: pointwise}\n"
                "train: {epochs: 1}\n");
  expect_error({"ranker.yaml", "loss={type: pbm, base: pointwise}"}, usage,
               HasSubstr("'loss.base' goes with loss.type '"));
  const Finished swept = run({"ranker.yaml", "loss.type=naive,pbm", "output=sweep"});
  EXPECT_EQ(swept.exit_code, 0) << swept.errors;
  EXPECT_THAT(swept.errors, HasSubstr("ranker.yaml:3:21: 'loss.base' goes with loss.type '"));
  EXPECT_TRUE(std::filesystem::exists(path("sweep/loss.type=pbm/results.json")));
}

TEST_F(UltrRunErrorTest, LinesOfData) {
  const std::string good = good_line, second = "log.txt:2: ";
  expect_log_error(good + "1\t7\t[5, 6]\t[1, 1", HasSubstr(second + "4 fields; expected "));
  expect_log_error(good + "1\t7\t[5, 6]\t[1, 1]\t[1, ", HasSubstr(second));
  expect_log_error(good + "1\tseven\t[5]\t[1]\t[0]\n",
                   HasSubstr(second + "the query id is 'seven'"));
  expect_log_error(good + "1\t7\t[5, x]\t[1, 1]\t[0, 0]\n",
                   HasSubstr(second + "a document id is 'x'"));
  expect_log_error(good + "1\t7\t[5, 6]\t[1, 1]\t[0]\n",
                   HasSubstr(second + "1 clicks for 2 documents; expected equally many"));
  expect_log_error(good + "1\t7\t[5]\t[1]\t[2]\n", HasSubstr(second + "a click is '2'"));
}

TEST_F(UltrRunErrorTest, ListsThatAreTooLong) {
  expect_error({"log.yaml", "data.max_positions=2"}, wrong_data,
               HasSubstr("log.txt:1: the list shows a document at position 3; expected at most "
                         "data.max_positions = 2"));
  const Finished cut = run({"log.yaml", "data.max_positions=2", "data.long_lists=truncate",
                            "train.epochs=1", "output=cut"});
  EXPECT_EQ(cut.exit_code, 0);
  EXPECT_THAT(cut.errors, HasSubstr("log.txt: 1 of 1 lists were cut to 2 positions\n"));
  EXPECT_EQ(results("cut")["train"]["documents"], 2);
}

TEST_F(UltrRunErrorTest, MalformedLinesCanBeLeftOut) {
  folder_.write("log.txt", good_line + std::string("nonsense\n") + good_line);
  const Finished finished =
      run({"log.yaml", "data.on_error=skip", "train.epochs=1", "output=skipped"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.errors, HasSubstr("log.txt: 1 of 3 lines were left out; the first: "));
  EXPECT_EQ(results("skipped")["train"]["sessions"], 2);
}

TEST_F(UltrRunErrorTest, CompressedFilesCutInHalf) {
  std::string log;
  for (int i = 0; i < 2000; ++i)
    log += "1\t" + std::to_string(i * i) + "\t[5, 6, 7]\t[1, 1, 1]\t[1, 0, 0]\n";
  const std::string whole = testing::gzip(log);
  folder_.write("log.txt", whole);
  run_well({"log.yaml", "--dry-run"});
  expect_log_error(whole.substr(0, whole.size() / 2),
                   AllOf(HasSubstr("log.txt:"), HasSubstr("expected a whole file")));
}

TEST_F(UltrRunErrorTest, ALossThatIsNotFinite) {
  const Finished finished = run({"good.yaml", "optimizer.lr=1e38", "train.epochs=9", "output=run"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, EndsWith("error: the training loss is not finite; a smaller "
                                        "optimizer.lr or optimizer.clip_norm may help\n"));
  EXPECT_FALSE(std::filesystem::exists(path("run/results.json")));
}

}  // namespace
}  // namespace ultr::ultr_run_error_test
