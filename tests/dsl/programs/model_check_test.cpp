#include "dsl/programs/model_check.h"

#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/gather.h"
#include "models/model_fixture.h"

namespace ultr::model_check_test {
namespace {

constexpr std::int64_t rows = 1000000, positions = 4;

Shard small_shard() {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{500000, 7, 500000}, std::vector<std::uint16_t>{0, 1, 2},
           std::vector<std::uint8_t>{1, 0, 0}});
  log.add({std::vector<std::uint32_t>{7, 999999}, std::vector<std::uint16_t>{0, 3},
           std::vector<std::uint8_t>{0, 1}});
  return testing::pack_all(log);
}

TEST(ModelCheckTest, ChecksTheEntriesThatTheShardTouches) {
  const TrainableModel model = testing::build_model("pbm", {.rows = rows, .positions = positions});
  testing::randomise(model, -1, 1, 2);
  const GradientReport report = check_model_gradient(model, small_shard());
  EXPECT_EQ(report.entries, 3u + 1 + 4);  // displayed rows, the baseline, positions
  EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
}

TEST(ModelCheckTest, RestoresTheModel) {
  const TrainableModel model = testing::build_model("dbn", {.rows = rows, .positions = positions});
  std::vector<std::vector<float>> before;
  for (const Parameter* parameter : model.parameters()) before.push_back(parameter->values());
  check_model_gradient(model, small_shard());
  std::size_t i = 0;
  for (const Parameter* parameter : model.parameters()) {
    EXPECT_EQ(parameter->values(), before[i++]);
    EXPECT_EQ(parameter->view().precision, Precision::float32);
    EXPECT_EQ(parameter->view().rows, parameter->rows());
  }
}

TEST(ModelCheckTest, ChecksTheMeanThatIsAskedFor) {
  const TrainableModel model = testing::build_model("gctr", {.rows = rows, .positions = positions});
  const auto slope = [&](LossMean mean) {
    return check_model_gradient(model, small_shard(), mean).worst.analytic;
  };
  // d/dx of -c log σ(x) - (1-c) log(1-σ(x)) is σ(x) - c. Both slopes are divided by the five
  // documents.
  EXPECT_NEAR(slope(LossMean::documents), (5 * 0.5 - 2) / 5, 1e-12);
  EXPECT_NEAR(slope(LossMean::sessions), ((3 * 0.5 - 1) / 3 + (2 * 0.5 - 1) / 2) / 5, 1e-12);
}

/// A layer that drops half of its gradient.
class ForgetfulLayer final : public LogitLayer {
 public:
  ForgetfulLayer() : value_("click", 1, 1) {}
  Logits logits(const Inputs& inputs) const override {
    const Tensor x = read(inputs.tape(), value_.view());
    return {unary(
                "half", x, [](auto v) { return v; },
                [](auto gradient, auto, auto) { return gradients(gradient * 0.5); }),
            std::nullopt};
  }
  std::vector<Parameter*> parameters() override { return {&value_}; }
  void shift(float by) override { value_.value(0) += by; }

 private:
  DenseParameter value_;
};

/// A layer whose gradient covers only the half of its value that is not stopped.
class StoppedLayer final : public LogitLayer {
 public:
  StoppedLayer() : value_("click", 1, 1) { value_.fill(0.75f); }
  Logits logits(const Inputs& inputs) const override {
    const Tensor x = read(inputs.tape(), value_.view());
    return {x * 0.5 + stop_gradient(x) * 0.5, std::nullopt};
  }
  std::vector<Parameter*> parameters() override { return {&value_}; }
  void shift(float by) override { value_.value(0) += by; }

 private:
  DenseParameter value_;
};

class OneLayerModel final : public ExaminationModel {
 public:
  explicit OneLayerModel(std::shared_ptr<const LogitLayer> layer)
      : click_("click", std::move(layer)) {}
  Examination story(const Session& s) const override { return {click_(s), s.always()}; }

 private:
  LogitParameter click_;
};

TEST(ModelCheckTest, FindsAWrongGradient) {
  const auto layer = std::make_shared<ForgetfulLayer>();
  const TrainableModel model("forgetful", std::make_unique<OneLayerModel>(layer),
                             {{"click", Domain::global, ClickEffect::raises, false, layer}},
                             {.rows = rows, .positions = positions});
  const GradientReport report = check_model_gradient(model, small_shard());
  EXPECT_GT(report.worst.error, 0.01);
  EXPECT_EQ(report.worst.parameter, "click");
  EXPECT_NEAR(report.worst.analytic, report.worst.numeric / 2, 1e-8);
}

TEST(ModelCheckTest, HoldsStoppedValuesConstant) {
  const auto layer = std::make_shared<StoppedLayer>();
  const TrainableModel model("stopped", std::make_unique<OneLayerModel>(layer),
                             {{"click", Domain::global, ClickEffect::raises, false, layer}},
                             {.rows = rows, .positions = positions});
  const GradientReport report = check_model_gradient(model, small_shard());
  EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
  const double click = 1 / (1 + std::exp(-0.75));
  EXPECT_NEAR(report.worst.analytic, (5 * click - 2) / 5 / 2, 1e-12);
}

TEST(ModelCheckTest, WorksForTablesOfAnyDomainAndType) {
  for (const std::string options :
       {"{examination: embedding, attraction: table}",
        "{examination: {type: embedding, baseline: false}, attraction: {type: embedding}}"}) {
    const TrainableModel model =
        testing::build_model("pbm", {.rows = rows / 1000, .positions = positions}, options);
    SessionLog log;
    log.add({std::vector<std::uint32_t>{500, 7}, std::vector<std::uint16_t>{0, 3},
             std::vector<std::uint8_t>{1, 0}});
    const GradientReport report = check_model_gradient(model, testing::pack_all(log));
    EXPECT_LT(report.entries, 10u) << options;
    EXPECT_LE(report.worst.error, 1e-8) << options << ": " << report.to_string();
  }
}

}  // namespace
}  // namespace ultr::model_check_test
