#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "base/files/npy.h"
#include "data/formats/dataset_reader.h"
#include "data/formats/tiangong.h"
#include "data/log/dataset.h"
#include "options/config_tree.h"
#include "studies/study.h"
#include "testing/golden.h"

namespace ultr::ultr_run_data_test {
namespace {

namespace fs = std::filesystem;

/// The repository's configurations on real sessions.
class UltrRunDataTest : public testing::UltrRun {
 protected:
  void SetUp() override {
    ULTR_NEEDS_DATA();
    setenv("ULTR_DATA_DIR", testing::data_folder()->c_str(), 1);
  }
  static std::string tiangong(const std::string& model) {
    return (fs::path(ULTR_SOURCE_DIR) / "configs/tiangong" / (model + ".yaml")).string();
  }
};

TEST_F(UltrRunDataTest, GctrPredictsTheClickRateOfTraining) {
  run_well({tiangong("gctr"), "output=gctr"});
  Dataset dataset;
  DatasetReader(read_tiangong, {})
      .read_train({*testing::data_folder() / "tiangong/train.txt"}, {}, dataset);
  const auto logit = static_cast<double>(read_npy<float>(path("gctr/model/click.npy")).at(0));
  EXPECT_NEAR(1 / (1 + std::exp(-logit)), dataset.train.click_rate(), 1e-3);
}

TEST_F(UltrRunDataTest, PbmPredictsBetterThanGctr) {
  run_well({tiangong("gctr"), "output=gctr"});
  run_well({tiangong("pbm"), "output=pbm"});
  EXPECT_LT(results("pbm")["test"]["ppl"], results("gctr")["test"]["ppl"]);
  EXPECT_LT(results("pbm")["test"]["cond_ppl"], results("gctr")["test"]["cond_ppl"]);
  EXPECT_TRUE(results("pbm")["test"]["ranking"]["ndcg@10"].is_number());
}

TEST_F(UltrRunDataTest, AnyNumberOfThreadsGivesTheSameResults) {
  for (const std::string model : {"pbm", "dbn"}) {
    run_well({tiangong(model), "threads=1", "output=" + model + "1"});
    run_well({tiangong(model), "threads=2", "output=" + model + "2"});
    expect_same_results(model + "1", model + "2");
  }
}

using ConfigurationGradientsSlowTest = UltrRunDataTest;

TEST_F(ConfigurationGradientsSlowTest, AgreeInEveryConfiguration) {
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(ULTR_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const ConfigNode tree = read_config(entry.path());
    if (is_study(tree) || tree.find("analysis") != nullptr) continue;
    const std::string config = entry.path().string();
    const std::string text = testing::read_text(config);
    if (text.find("format: simulation") != std::string::npos) continue;
    std::vector<std::string> arguments = {config, "--check-gradients"};
    // Gradients are checked on 32 lists, each of which still has a hundred sessions of clicks.
    if (text.find("type: simulated_clicks") != std::string::npos)
      arguments.emplace_back("data.learn_from.sessions=20000");
    if (text.find("type: distill") != std::string::npos)
      arguments.emplace_back("loss.teacher=.");  // derivatives are those at any targets
    const testing::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << config << finished.errors;
    EXPECT_THAT(finished.output, ::testing::HasSubstr("gradients agree")) << config;
    if (config.find("/yandex/") == std::string::npos && config.find("/baidu/") == std::string::npos)
      EXPECT_EQ(finished.errors, "") << "the real sessions are there";
    else
      EXPECT_THAT(finished.errors, ::testing::HasSubstr("checking on simulated sessions instead"));
  }
}

}  // namespace
}  // namespace ultr::ultr_run_data_test
