#include "runs/onnx/onnx_export.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include "base/error.h"
#include "base/random.h"
#include "data/features/feature_lists_builder.h"
#include "models/model_fixture.h"
#include "runs/onnx/onnx_walker.h"
#include "training/boosting_fitter.h"
#include "training/predictor.h"

namespace ultr::onnx_export_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr std::int64_t features = 3;

FeatureScaling scaling(bool log1p) {
  FeatureListsBuilder builder(features);
  builder.start_list(1);
  for (const float x : {1.f, 2.f, 4.f}) builder.add({})[1] = x;
  FeatureScalingOptions options;
  options.log1p = log1p;
  options.standardise = true;
  return {builder.build(), options};
}

TrainableModel model(const std::string& type, const std::string& options) {
  return testing::build_model(
      type,
      {.rows = 2, .positions = 4, .features = FeatureTable(std::vector<float>(features), features)},
      options);
}

/// Exports a model and reads the file back.
onnx::ModelProto exported(const TrainableModel& model, bool log1p = false) {
  onnx::ModelProto file;
  const auto written = relevance_onnx(model, scaling(log1p));
  EXPECT_TRUE(written && file.ParseFromString(*written));
  return file;
}

std::vector<std::string> operators(const onnx::ModelProto& file) {
  std::vector<std::string> types;
  for (const onnx::NodeProto& node : file.graph().node()) types.push_back(node.op_type());
  return types;
}

const onnx::TensorProto& constant(const onnx::ModelProto& file, const std::string& name) {
  for (const onnx::TensorProto& tensor : file.graph().initializer())
    if (tensor.name() == name) return tensor;
  throw Error("no constant " + name);
}

TEST(OnnxExportTest, EveryTowerIsAValidFile) {
  for (const std::string tower :
       {"linear", "{type: mlp, widths: [4, 2], activation: elu}",
        "{type: deep_cross, widths: [4], activation: tanh}",
        "{type: deep_cross, structure: parallel, cross_layers: 1, widths: [4]}",
        "{type: boosted_trees, rounds: 3}"})
    for (const bool log1p : {false, true}) {
      const onnx::ModelProto file = exported(model("pbm", "attraction: " + tower), log1p);
      EXPECT_NO_THROW(onnx::checker::check_model(file)) << tower;
      EXPECT_EQ(file.opset_import(0).version(), 13);
      ASSERT_EQ(file.graph().input_size(), 1);
      const onnx::ValueInfoProto &input = file.graph().input(0), &output = file.graph().output(0);
      EXPECT_EQ(input.name(), "features");
      EXPECT_EQ(input.type().tensor_type().elem_type(), onnx::TensorProto::FLOAT);
      EXPECT_EQ(input.type().tensor_type().shape().dim(0).dim_param(), "documents");
      EXPECT_EQ(input.type().tensor_type().shape().dim(1).dim_value(), features);
      EXPECT_EQ(output.name(), "relevance");
      EXPECT_EQ(output.type().tensor_type().shape().dim_size(), 1);
      EXPECT_EQ(file.metadata_props(0).key(), "features");
      EXPECT_EQ(file.metadata_props(0).value(), "3");
    }
}

TEST(OnnxExportTest, OperatorsAreTheTowers) {
  const TrainableModel mlp = model("pbm", "attraction: {type: mlp, widths: [4, 2], dropout: 0.5}");
  const std::vector<std::string> scaled = {"Cast",  "Abs", "Less", "Greater", "Where",
                                           "Where", "Sub", "Div",  "Cast"};
  std::vector<std::string> expected = scaled;
  expected.insert(expected.end(), {"Gemm", "Relu", "Gemm", "Relu", "Gemm", "Reshape", "Identity"});
  EXPECT_EQ(operators(exported(mlp)), expected) << "dropout is for training";
  EXPECT_THAT(operators(exported(mlp, true)), Contains("Log"));
}

TEST(OnnxExportTest, ConstantsAreTheParametersAndTheScaling) {
  const TrainableModel linear = model("two_tower", "attraction: linear");
  Parameter& weights = testing::parameter_called(linear, "attraction.weights");
  weights.assign(std::vector<float>{1, -2, 0.5f});
  const onnx::ModelProto file = exported(linear);
  const onnx::TensorProto& saved = constant(file, "attraction.weights");
  EXPECT_THAT(std::vector<std::int64_t>(saved.dims().begin(), saved.dims().end()),
              ElementsAre(features, 1));
  const std::vector<float> values = weights.values();
  EXPECT_EQ(saved.raw_data(), std::string(reinterpret_cast<const char*>(values.data()), 12));
  const std::vector<double> high = {0, 4, 0};
  EXPECT_EQ(constant(file, "scaling.high").raw_data(),
            std::string(reinterpret_cast<const char*>(high.data()), 24));
}

/// Rows of raw features, of several magnitudes, with sentinels.
std::vector<float> raw_features(std::size_t rows) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  std::vector<float> values;
  for (std::size_t i = 0; i < rows * features; ++i) {
    const double power = std::pow(10, 3 * random.normal());
    values.push_back(static_cast<float>(random.normal() * power));
    if (i % 11 == 0) values.back() = std::copysign(3e38f, values.back());
  }
  return values;
}

/// Returns the model's logits of raw features.
std::vector<double> predicted(const TrainableModel& model, const FeatureScaling& scaling,
                              std::vector<float> raw) {
  const auto rows = static_cast<std::uint32_t>(raw.size() / features);
  scaling.apply(raw);
  raw.insert(raw.begin(), features, 0.0f);
  SessionLog log;
  const std::vector<std::uint16_t> positions = {0};
  const std::vector<std::uint8_t> clicks = {0};
  for (std::uint32_t row = 1; row <= rows; ++row) {
    const std::vector<std::uint32_t> its = {row};
    log.add({.rows = its, .positions = positions, .clicks = clicks});
  }
  log.set_features(FeatureTable(std::move(raw), features));
  return Predictor(model, 1).relevance(log);
}

/// Trees that split on all features, of values that the raw features have after scaling.
void add_trees(const TrainableModel& model, std::vector<float> scaled) {
  TreeTower& tower = *tree_towers(model).front();
  tower.shift(0.25f);
  RandomStream random(2, RandomPurpose::testing, 0, 0);
  for (int tree = 0; tree < 3; ++tree) {
    RegressionTree nodes;
    for (std::uint32_t split = 0; split < 7; ++split)
      nodes.push_back(
          {.feature = static_cast<std::int32_t>(split % features),
           .value =
               scaled[random.bits() % (scaled.size() / features) * features + split % features],
           .left = 2 * split + 1,
           .right = 2 * split + 2,
           .missing_left = split % 2 == 0});
    for (int leaf = 0; leaf < 8; ++leaf)
      nodes.push_back({.value = static_cast<float>(random.normal())});
    tower.add(nodes);
  }
}

TEST(OnnxExportTest, GraphsComputeTheLogits) {
  const std::vector<float> raw = raw_features(300);
  for (const std::string tower :
       {"linear", "{type: mlp, widths: [4, 2], activation: elu}",
        "{type: deep_cross, widths: [4], activation: tanh}",
        "{type: deep_cross, structure: parallel, cross_layers: 1, widths: [4]}",
        "{type: boosted_trees, rounds: 3}"})
    for (const bool log1p : {false, true}) {
      const TrainableModel trained = model("pbm", "attraction: " + tower);
      const bool of_trees = tower.find("trees") != std::string::npos;
      const double tolerance = of_trees ? 1e-6 : 1e-5;  // networks compute in float32
      if (of_trees) {
        std::vector<float> scaled = raw;
        scaling(log1p).apply(scaled);
        add_trees(trained, scaled);
      }
      const auto ours = predicted(trained, scaling(log1p), raw);
      const auto theirs = testing::run_onnx(exported(trained, log1p).graph(), raw, features);
      ASSERT_EQ(theirs.size(), ours.size());
      double largest = 0;
      for (const double x : ours) largest = std::max(largest, std::abs(x));
      EXPECT_GT(largest, 0.1) << tower;
      for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_NEAR(theirs[i], ours[i], tolerance * std::max(1.0, largest)) << tower << i;
    }
}

TEST(OnnxExportTest, TreesReadMissingValuesAndCategories) {
  FeatureScalingOptions options;
  options.missing = "keep";
  FeatureListsBuilder builder(features);
  builder.allow_missing(0);
  builder.start_list(1);
  builder.add({});
  const FeatureScaling keeping(builder.build(), options);
  const TrainableModel trees =
      model("pbm", "attraction: {type: boosted_trees, rounds: 2, leaves: 8, categorical: [2]}");
  TreeTower& tower = *tree_towers(trees).front();
  for (const bool missing_left : {false, true}) {
    const auto by = [&](const Categories& right, std::uint32_t left, std::uint32_t after) {
      return TreeNode{.feature = 1,
                      .left = left,
                      .right = after,
                      .missing_left = missing_left,
                      .categories = std::make_shared<const Categories>(right)};
    };
    tower.add({by({1, 2, 5}, 1, 2),
               by({}, 3, 4),
               {.feature = 0, .value = 0.5f, .left = 5, .right = 6, .missing_left = !missing_left},
               {.value = 1},
               {.value = 2},
               by({2}, 7, 8),
               {.value = 4},
               {.value = 8},
               {.value = 16}});
  }
  std::vector<float> raw;
  for (const float a : {0.f, 1.f, std::nanf(""), -3e38f})
    for (const float category : {0.f, 1.f, 2.f, 5.f, 6.f, std::nanf("")})
      raw.insert(raw.end(), {a, category, 0});
  onnx::ModelProto file;
  const auto written = relevance_onnx(trees, keeping);
  ASSERT_TRUE(written && file.ParseFromString(*written));
  EXPECT_NO_THROW(onnx::checker::check_model(file));
  const auto ours = predicted(trees, keeping, raw);
  EXPECT_THAT(testing::run_onnx(file.graph(), raw, features),
              ::testing::Pointwise(::testing::DoubleNear(1e-5), ours));
  EXPECT_GT(std::set<double>(ours.begin(), ours.end()).size(), 5u);
}

TEST(OnnxExportTest, TreesWithoutATreeAreTheirStart) {
  const TrainableModel trees = model("pbm", "attraction: {type: boosted_trees, start: 0.5}");
  const auto logits = testing::run_onnx(exported(trees).graph(), {1, 2, 3, 4, 5, 6}, features);
  EXPECT_THAT(logits, ElementsAre(0, 0));
}

TEST(OnnxExportTest, OnlyTowersOverFeaturesAloneAreExported) {
  const auto is_exported = [](const std::string& type, const std::string& options) {
    return relevance_onnx(model(type, options), scaling(false)).has_value();
  };
  EXPECT_TRUE(is_exported("pbm", "attraction: linear"));
  EXPECT_FALSE(is_exported("pbm", "{}")) << "a table of documents";
  EXPECT_FALSE(is_exported("pbm", "examination: linear")) << "of ranks, not of documents";
  EXPECT_FALSE(is_exported("drctr", "attraction: linear")) << "a document at a rank";
  EXPECT_FALSE(is_exported("dbn", "{attraction: linear, satisfaction: linear}")) << "two towers";
}

TEST(OnnxExportTest, BiasFeaturesAreLeftOut) {
  const std::vector<std::int64_t> numbers = {2};
  const TrainableModel biased =
      testing::build_model("pbm",
                           {.rows = 2,
                            .positions = 4,
                            .features = FeatureTable(std::vector<float>(features), features, 1)},
                           "{attraction: linear, examination: linear}");
  onnx::ModelProto file;
  const auto written = relevance_onnx(biased, scaling(false), BiasColumns(numbers, features));
  ASSERT_TRUE(written && file.ParseFromString(*written));
  EXPECT_NO_THROW(onnx::checker::check_model(file));
  EXPECT_EQ(file.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), features)
      << "bias features are given with the others";
  const onnx::TensorProto& kept = constant(file, "relevance_features");
  ASSERT_EQ(kept.raw_data().size(), 2 * sizeof(std::int64_t));
  const auto* columns = reinterpret_cast<const std::int64_t*>(kept.raw_data().data());
  EXPECT_EQ(columns[0], 0);
  EXPECT_EQ(columns[1], 2);
  EXPECT_THAT(operators(file), Contains("Gather"));
}

}  // namespace
}  // namespace ultr::onnx_export_test
