#include "experiment/experiment_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/data_options.h"
#include "models/model_fixture.h"
#include "models/models.h"
#include "optim/optim.h"
#include "options/config_tree.h"
#include "options/write.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::experiment_options_test {
namespace {

using testing::config_message;
using testing::configure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExperimentOptionsTest, DefaultsEqualThoseOfTheThesis) {
  const ExperimentOptions options(testing::registry());
  EXPECT_EQ(options.train.batch_size, 512);
  EXPECT_EQ(options.train.epochs, 100);
  EXPECT_EQ(options.train.early_stopping, 1);
  EXPECT_EQ(options.train.mean(), LossMean::documents);
  EXPECT_EQ(options.optimizer.type, "adamw");
  EXPECT_EQ(options.optimizer.as<OptimizerOptions>().learning_rate, 0.003);
  EXPECT_EQ(options.optimizer.as<OptimizerOptions>().weight_decay, 1e-4);
}

TEST(ExperimentOptionsTest, RankingOptionsFollowTheirWords) {
  EvaluateOptions options;
  EXPECT_EQ(options.ranking(), RankingOptions());
  configure(options, "{cutoffs: [2, 7], gain: linear, without_relevant: skip, relevant: 3}");
  EXPECT_THAT(options.ranking().cutoffs, ElementsAre(2, 7));
  EXPECT_EQ(options.ranking().gain, Gain::linear);
  EXPECT_EQ(options.ranking().without_relevant, WithoutRelevant::skip);
  EXPECT_EQ(options.ranking().relevant, 3);
}

TEST(ExperimentOptionsTest, LossMeanIsChosenByAWord) {
  TrainOptions options;
  configure(options, "loss_mean: sessions");
  EXPECT_EQ(options.mean(), LossMean::sessions);
}

TEST(ExperimentOptionsTest, ALossTakesThePlaceOfTheModel) {
  ExperimentOptions options(testing::registry());
  EXPECT_EQ(options.loss.type, likelihood_loss);
  EXPECT_TRUE(options.trains_click_model());
  EXPECT_EQ(&options.trained(), options.model.options.get());
  EXPECT_THAT(write_options(options), HasSubstr("\nmodel:"));
  configure(options, "loss: naive");
  EXPECT_FALSE(options.trains_click_model());
  EXPECT_EQ(&options.trained(), options.loss.options.get());
  EXPECT_THAT(write_options(options), Not(HasSubstr("\nmodel:")));
}

TEST(ExperimentOptionsTest, ALossIsOneOfTheTableWithItsOwnOptions) {
  const auto message = [](const std::string& yaml) {
    return config_message([&] {
      ExperimentOptions options(testing::registry());
      configure(options, yaml);
    });
  };
  EXPECT_THAT(message("{loss: naive, model: pbm}"), HasSubstr("unknown key 'model'"));
  EXPECT_THAT(message("{loss: regresion_em}"), HasSubstr("(did you mean 'regression_em'?)"));
  EXPECT_THAT(message("{loss: {type: naive, bse: softmax}}"),
              HasSubstr("unknown key 'loss.bse'; did you mean 'loss.base'?"));
  EXPECT_THAT(message("{loss: {type: naive, base: listwise}}"),
              HasSubstr("loss.base is 'listwise'; expected one of pointwise, "));
}

TEST(ExperimentOptionsTest, LossesRoundTripThroughYaml) {
  const Registry& registry = testing::registry();
  for (const OptionType& loss : registry.losses()) {
    ExperimentOptions options(registry), again(registry);
    configure(options, "loss: " + loss.name);
    const std::string text = write_options(options);
    configure(again, text);
    EXPECT_EQ(again.loss.type, loss.name);
    EXPECT_EQ(write_options(again), text);
  }
}

TEST(ExperimentOptionsTest, FilesOfLossesAreFoundBesideTheConfiguration) {
  const testing::TemporaryFolder folder;
  const auto file = std::filesystem::canonical(folder.write("bias.csv", "position,p\n1,1\n"));
  ExperimentOptions options(testing::registry());
  configure(options, "loss: {type: ips, propensities: bias.csv}");
  options.locate_files(folder.path());
  EXPECT_THAT(write_options(options), HasSubstr("propensities: " + file.string() + "\n"));
  configure(options, "loss: {type: ips, propensities: other.csv}");
  EXPECT_THAT(testing::data_message([&] { options.locate_files(folder.path()); }),
              HasSubstr("other.csv: there is no such file"));
}

TEST(ExperimentOptionsTest, PropensitiesAreGivenOnce) {
  const auto message = [](const std::string& loss) {
    ExperimentOptions options(testing::registry());
    configure(options, "{loss: " + loss + "}");
    return testing::config_message([&] { options.check(); });
  };
  EXPECT_EQ(message("{type: ips}"),
            "loss: propensities is missing; expected a CSV file of propensities, or an estimator");
  EXPECT_EQ(message("{type: pbm, propensities: x.csv, estimator: ctr}"),
            "loss: propensities are given by x.csv and estimator is ctr; expected one of them");
}

/// Every model with every source of data and optimizer: what is written reads back as the same.
TEST(ExperimentOptionsTest, RoundTripsThroughYaml) {
  const Registry& registry = testing::registry();
  for (const OptionType& data : registry.data())
    for (const OptionType& model : registry.models())
      for (const OptionType& optimizer : registry.optimizers()) {
        ExperimentOptions options(registry), again(registry);
        configure(options, "{seed: 9007199254740992, name: 'a: b', data: " + data.name +
                               ", model: " + model.name + ", optimizer: " + optimizer.name +
                               ", evaluate: {cutoffs: []}}");
        const std::string text = write_options(options);
        configure(again, text);
        EXPECT_EQ(write_options(again), text);
      }
}

std::string check_message(const std::string& yaml) {
  ExperimentOptions options(testing::registry());
  configure(options, yaml);
  try {
    options.check();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(ExperimentOptionsTest, NamesMustNameAFolder) {
  EXPECT_EQ(check_message("name: pbm-1 (b)"), "");
  const std::string expected =
      "; expected one without '/' that does not start with a dot, since it names a folder";
  EXPECT_EQ(check_message("name: a/b"), "name is 'a/b'" + expected);
  EXPECT_EQ(check_message("name: .."), "name is '..'" + expected);
  EXPECT_EQ(check_message("name: \"a/\\nb\""), "name is 'a/\\nb'" + expected) << "one line";
}

TEST(ExperimentOptionsTest, CutoffsAreDistinct) {
  EXPECT_EQ(check_message("evaluate: {cutoffs: [5, 10]}"), "");
  EXPECT_EQ(check_message("evaluate: {cutoffs: [5, 10, 5]}"),
            "evaluate.cutoffs has 5 twice; expected each once");
}

TEST(ExperimentOptionsTest, DataAreChecked) {
  EXPECT_EQ(check_message("data: tiangong"), "data.train is missing; expected files to train on");
}

}  // namespace
}  // namespace ultr::experiment_options_test
