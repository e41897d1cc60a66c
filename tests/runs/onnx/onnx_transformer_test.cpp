#include "runs/onnx/onnx_transformer.h"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include "base/error.h"
#include "base/random.h"
#include "data/features/feature_lists_builder.h"
#include "models/model_fixture.h"
#include "runs/onnx/onnx_export.h"
#include "runs/onnx/onnx_walker.h"
#include "testing/errors.h"
#include "training/predictor.h"

namespace ultr::onnx_transformer_test {
namespace {

using ::testing::ElementsAre;
using testing::OnnxTensor;

constexpr std::int64_t rows = 13, vocabulary = 14;

/// Documents of 0 to 11 words, of which some are outside the vocabulary.
TokenColumns documents() {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  TokenColumnsBuilder words;
  for (std::size_t count = 0; count + 1 < rows; ++count) {
    std::vector<std::uint32_t> tokens;
    std::vector<std::uint8_t> types;
    for (std::size_t i = 0; i < count; ++i) {
      tokens.push_back(static_cast<std::uint32_t>(5 + random.below(vocabulary)));
      types.push_back(static_cast<std::uint8_t>(3 * i / count));
    }
    words.add(tokens, types);
  }
  return words.build();
}

/// A model that ranks by a transformer with large random weights.
TrainableModel model(const std::string& options) {
  FeatureTable table(std::vector<float>(rows, 0.0f), 1);
  table.set_tokens({documents(), vocabulary});
  TrainableModel made = testing::build_model(
      "pbm", {.rows = rows, .positions = 4, .features = table},
      "attraction: {type: transformer, layers: 2, width: 8, heads: 2, inner: 6, max_tokens: 9, " +
          options + "}");
  testing::randomise(made, -1, 1, 3);
  return made;
}

/// Exports the model, which reads no features.
std::optional<std::string> onnx_of(const TrainableModel& model,
                                   std::size_t most_bytes = most_onnx_bytes) {
  FeatureListsBuilder builder(1);
  builder.start_list(1);
  builder.add({});
  return relevance_onnx(model, {builder.build(), {}}, {}, most_bytes);
}

onnx::ModelProto exported(const TrainableModel& model) {
  onnx::ModelProto file;
  const auto written = onnx_of(model);
  EXPECT_TRUE(written && file.ParseFromString(*written));
  return file;
}

/// The inputs of the graph, for the documents of some rows, padded to the longest of them, or to
/// `tokens` if that is not 0.
std::map<std::string, OnnxTensor> sequences(const std::vector<std::size_t>& of, double padding,
                                            std::size_t tokens = 0) {
  // Unknown tokens and types are left to the graph.
  const SequenceLayout layout{.vocabulary = 1 << 30, .max_tokens = 9, .types = 3};
  const TokenColumns columns = documents();
  PackedSequences packed;
  for (const std::size_t row : of) {
    const DocumentTokens words = words_of(columns, row - 1);
    packed.append(layout, {words.tokens, words.types});
  }
  for (std::size_t i = 0; i < of.size(); ++i) tokens = std::max(tokens, packed.length(i));
  OnnxTensor ids{.shape = {of.size(), tokens}, .is_float = false}, types = ids, mask = ids;
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t k = 0; k < tokens; ++k) {
      const bool is_token = k < packed.length(i);
      const std::size_t at = packed.offsets[i] + k;
      ids.add(is_token ? packed.tokens[at] : padding);
      types.add(is_token ? packed.types[at] : padding);
      mask.add(is_token ? 1 : 0);
    }
  return {{"input_ids", ids}, {"token_type_ids", types}, {"attention_mask", mask}};
}

std::vector<std::size_t> all_rows() {
  std::vector<std::size_t> all;
  for (std::size_t row = 1; row < rows; ++row) all.push_back(row);
  return all;
}

TEST(OnnxTransformerTest, GraphsComputeTheLogits) {
  for (const std::string norm : {"post", "pre"})
    for (const std::string& activation : transformer_activations())
      for (const char* types : {"types: 3", "types: 2"}) {
        const std::string options =
            fmt::format("norm: {}, activation: {}, {}", norm, activation, types);
        const TrainableModel trained = model(options);
        const onnx::ModelProto file = exported(trained);
        EXPECT_NO_THROW(onnx::checker::check_model(file)) << options;
        std::vector<double> ours = relevance_logits(trained, rows, 1);
        ours.erase(ours.begin());  // of no document
        const OnnxTensor theirs = testing::run_onnx(file.graph(), sequences(all_rows(), 0));
        EXPECT_THAT(theirs.shape, ElementsAre(ours.size()));
        EXPECT_THAT(theirs.values, ::testing::Pointwise(::testing::DoubleNear(2e-6), ours))
            << options;
        const auto [least, most] = std::minmax_element(ours.begin(), ours.end());
        EXPECT_GT(*most - *least, 0.05) << options;
      }
}

TEST(OnnxTransformerTest, PaddingChangesNothing) {
  const onnx::ModelProto file = exported(model("norm: pre, activation: gelu"));
  const auto padded = testing::run_onnx(file.graph(), sequences(all_rows(), 0)).values;
  const auto others = testing::run_onnx(file.graph(), sequences(all_rows(), 7)).values;
  EXPECT_EQ(padded, others) << "of other tokens";
  for (const std::size_t row : all_rows()) {
    const auto alone = testing::run_onnx(file.graph(), sequences({row}, 0)).values;
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_NEAR(alone[0], padded[row - 1], 1e-6) << row;
  }
}

TEST(OnnxTransformerTest, DropoutAndMaskedWordsAreForTraining) {
  const onnx::ModelProto plain = exported(model("norm: pre"));
  const onnx::ModelProto file =
      exported(model("norm: pre, dropout: 0.5, pretraining: masked_words"));
  EXPECT_EQ(file.graph().node_size(), plain.graph().node_size());
  EXPECT_EQ(file.graph().initializer_size(), plain.graph().initializer_size());
}

TEST(OnnxTransformerTest, FilesSayWhatTheyRead) {
  const onnx::ModelProto file = exported(model("norm: post, cls_token: 4, unknown_token: 3"));
  EXPECT_EQ(file.opset_import_size(), 1);
  EXPECT_EQ(file.opset_import(0).version(), 13);
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& input : file.graph().input()) {
    names.push_back(input.name());
    const auto& tensor = input.type().tensor_type();
    EXPECT_EQ(tensor.elem_type(), onnx::TensorProto::INT64);
    EXPECT_EQ(tensor.shape().dim(0).dim_param(), "documents");
    EXPECT_EQ(tensor.shape().dim(1).dim_param(), "tokens");
  }
  EXPECT_THAT(names, ElementsAre("input_ids", "token_type_ids", "attention_mask"));
  EXPECT_EQ(file.graph().output(0).name(), "relevance");
  std::map<std::string, std::string> metadata;
  for (const auto& entry : file.metadata_props()) metadata[entry.key()] = entry.value();
  const std::map<std::string, std::string> expected = {{"vocabulary", "14"}, {"max_tokens", "9"},
                                                       {"types", "3"},       {"unknown_token", "3"},
                                                       {"cls_token", "4"},   {"sep_token", "3"}};
  EXPECT_EQ(metadata, expected);
}

TEST(OnnxTransformerTest, MoreTokensThanPlacesFail) {
  const onnx::ModelProto file = exported(model("norm: post"));
  EXPECT_NO_THROW(testing::run_onnx(file.graph(), sequences({3}, 0, 9)));
  EXPECT_THROW(testing::run_onnx(file.graph(), sequences({3}, 0, 10)), Error);
}

TEST(OnnxTransformerTest, FilesThatAreTooLargeAreRefused) {
  const TrainableModel trained = model("norm: post");
  const std::size_t bytes = onnx_of(trained)->size();
  EXPECT_EQ(onnx_of(trained, bytes)->size(), bytes);
  for (const std::size_t most : {bytes - 1, bytes / 2, std::size_t{100}})
    EXPECT_EQ(
        testing::message_of<Error>([&] { static_cast<void>(onnx_of(trained, most)); }),
        fmt::format("it would have more than {} bytes, the most that ONNX files can hold", most));
}

}  // namespace
}  // namespace ultr::onnx_transformer_test
