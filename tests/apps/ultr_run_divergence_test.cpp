#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

// Training that diverges: logits grow in each step, since weight decay is so large that it turns
// their signs.

namespace ultr::ultr_run_divergence_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class UltrRunDivergenceTest : public testing::UltrRun {
 protected:
  UltrRunDivergenceTest() {
    folder_.write("diverging.yaml",
                  "data: {format: simulation, sessions: 300, valid_sessions: 60,\n"
                  "       test_sessions: 60, queries: 5, positions: 5}\n"
                  "model: pbm\n"
                  "optimizer: {type: sgd, lr: 0.1, weight_decay: 23}\n"
                  "train: {epochs: 100, batch_size: 50, early_stopping: 0}\n"
                  "threads: 1\n");
  }
};

TEST_F(UltrRunDivergenceTest, TheBestEpochIsKeptAndTheRunFails) {
  const Finished finished = run({"diverging.yaml", "output=run"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors,
              AllOf(HasSubstr("\npbm: training diverges: the validation loss of epoch 6 is "),
                    HasSubstr("\nerror: training diverged after epoch "),
                    HasSubstr(", and the parameters are those of epoch 1: the training loss is not "
                              "finite; a smaller optimizer.lr or optimizer.clip_norm may help\n")));
  EXPECT_THAT(std::string(results("run")["divergence"]),
              StartsWith("training diverged after epoch "));
  EXPECT_LT(results("run")["test"]["ppl"], 2);
  EXPECT_FALSE(fs::exists(path("run/checkpoints")));

  run_well({"diverging.yaml", "train.epochs=1", "output=best"});
  for (const auto& entry : fs::directory_iterator(path("best/model")))
    EXPECT_EQ(testing::read_text(entry.path()),
              testing::read_text(path("run/model") / entry.path().filename()))
        << entry.path();
  EXPECT_FALSE(results("best").contains("divergence"));
}

TEST_F(UltrRunDivergenceTest, ABestEpochThatPredictsNothingFails) {
  const Finished finished =
      run({"diverging.yaml", "optimizer.weight_decay=80", "train.epochs=1", "output=run"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors,
              HasSubstr("error: training diverged: the best epoch has perplexity "));
  EXPECT_GT(results("run")["valid"]["ppl"], 1e6);
  EXPECT_THAT(std::string(results("run")["divergence"]), EndsWith("optimizer.clip_norm may help"));
}

}  // namespace
}  // namespace ultr::ultr_run_divergence_test
