#include "runs/onnx_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include "base/error.h"
#include "data/features/feature_lists_builder.h"
#include "models/model_fixture.h"

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
        "{type: deep_cross, structure: parallel, cross_layers: 1, widths: [4]}"})
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
