#include <fmt/core.h>
#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "layers/transformer_encoder.h"
#include "testing/golden.h"

// A transformer with the parameters of golden/bert.json, in float64.

namespace ultr::transformer_golden_test {
namespace {

constexpr double tolerance = 1e-10;
using Numbers = std::vector<double>;

/// Appends the numbers of nested arrays, row by row.
void flatten(const nlohmann::json& values, Numbers& to) {
  if (!values.is_array()) return to.push_back(testing::golden_number(values));
  for (const auto& value : values) flatten(value, to);
}
Numbers flat(const nlohmann::json& values) {
  Numbers numbers;
  flatten(values, numbers);
  return numbers;
}

void expect_near(const Numbers& actual, const Numbers& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))
        << what << " [" << i << "]";
}

/// A case of the file: an encoder and its heads with their parameters, and sequences on a tape.
class Case {
 public:
  explicit Case(const nlohmann::json& given)
      : given_(given),
        encoder_(shape(), layout(), setting),
        words_(encoder_, 0.15, 0, setting, 100),
        head_("head", encoder_.shape().width, 1, Initialisation::glorot, setting, 101) {
    for (const CheckpointEntry& entry : entries()) {
      const Numbers values = flat(given["parameters"][entry.name]);
      assign(entry, {entry.name, array_shape(entry), {values.begin(), values.end()}});
    }
    bind_sequences();
  }

  std::vector<CheckpointEntry> entries() const {
    std::vector<CheckpointEntry> all = encoder_.checkpoint();
    for (const CheckpointEntry& entry : words_.checkpoint()) all.push_back(entry);
    all.push_back({"head.weight", &head_.weights(), true});
    all.push_back({"head.bias", &head_.bias()});
    return all;
  }
  Tensor hidden() const { return encoder_(inputs_); }
  Tensor logits() const { return head_.score(encoder_.first_tokens(inputs_)); }
  /// The summed log-probabilities of the masked words of each sequence.
  Tensor masked_words() const { return words_.encode(inputs_); }
  Tape& tape() { return tape_; }
  Tensor constants(const Numbers& values) {
    return tape_.constant(Shape::vector(static_cast<std::int64_t>(values.size())), values);
  }
  /// Returns a field of all sequences, flattened.
  Numbers of_sequences(const char* field) const {
    Numbers all;
    for (const auto& sequence : given_["sequences"]) flatten(sequence[field], all);
    return all;
  }

 private:
  TransformerShape shape() const {
    const auto& config = given_["config"];
    return {.layers = config["layers"],
            .width = config["width"],
            .heads = config["heads"],
            .inner = config["inner"],
            .pre_norm = config["norm"] == "pre",
            .activation = transformer_activation(config["activation"].get<std::string>()),
            .dropout = 0};
  }
  SequenceLayout layout() const {
    const auto& config = given_["config"];
    return {.vocabulary = config["vocabulary"],
            .max_tokens = config["positions"],
            .types = config["types"]};
  }

  void bind_sequences() {
    for (const auto& sequence : given_["sequences"]) {
      const auto first = static_cast<std::uint32_t>(packed_.tokens.size());
      for (std::size_t i = 0; i < sequence["tokens"].size(); ++i) {
        packed_.tokens.push_back(sequence["tokens"][i]);
        packed_.types.push_back(sequence["types"][i]);
        packed_.places.push_back(static_cast<std::uint32_t>(i));
      }
      packed_.offsets.push_back(static_cast<std::uint32_t>(packed_.tokens.size()));
      for (const auto& masked : sequence["masked"]) {
        masked_.places.push_back(first + masked[0].get<std::uint32_t>());
        masked_.words.push_back(masked[1]);
      }
      masked_.offsets.push_back(static_cast<std::uint32_t>(masked_.places.size()));
    }
    const auto index = [&](const std::vector<std::uint32_t>& values) {
      const Index bound = tape_.index(static_cast<std::int64_t>(values.size()));
      tape_.bind(bound, values);
      return bound;
    };
    const auto segments = [&](const std::vector<std::uint32_t>& offsets) {
      const auto count = static_cast<std::int64_t>(offsets.size());
      const Segments made = make_segments(tape_, count, count - 1);
      tape_.bind(made.offsets, offsets);
      return made;
    };
    inputs_ = {.tape = &tape_,
               .tokens = index(packed_.tokens),
               .places = index(packed_.places),
               .types = index(packed_.types),
               .sequences = segments(packed_.offsets)};
    inputs_.masked = {index(masked_.places), index(masked_.words), segments(masked_.offsets)};
  }

  const LayerSetting setting{.name = "relevance", .domain = Domain::document};
  const nlohmann::json& given_;
  TransformerEncoder encoder_;
  MaskedWordHead words_;
  AffineLayer head_;
  Tape tape_{Precision::float64};
  PackedSequences packed_;
  MaskedTokens masked_;
  SequenceInputs inputs_;
};

/// Sums the gradients of a parameter, laid out like its array in a checkpoint.
Numbers gradient_of(const Tape& tape, const CheckpointEntry& entry) {
  const Parameter& parameter = *entry.parameter;
  const auto columns = static_cast<std::size_t>(parameter.columns());
  Numbers sum(static_cast<std::size_t>(parameter.rows()) * columns, 0.0);
  for (const DenseGradient& dense : tape.dense_gradients())
    for (std::size_t i = 0; dense.parameter == &parameter.view() && i < sum.size(); ++i)
      sum[i] += static_cast<const double*>(dense.values)[i];
  for (const SparseGradient& sparse : tape.sparse_gradients())
    for (std::size_t i = 0; sparse.parameter == &parameter.view() && i < sparse.rows.size(); ++i)
      for (std::size_t c = 0; c < columns; ++c)
        sum[sparse.rows[i] * columns + c] +=
            static_cast<const double*>(sparse.values)[i * columns + c];
  if (!entry.transposed) return sum;
  Numbers transposed;
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < sum.size() / columns; ++r)
      transposed.push_back(sum[r * columns + c]);
  return transposed;
}

TEST(TransformerGoldenTest, HiddenStatesLogitsAndWordsAgree) {
  ULTR_NEEDS_GOLDEN();
  const auto golden = testing::read_golden("bert.json");
  for (const auto& given : golden["cases"]) {
    SCOPED_TRACE(given["config"].dump());
    Case test(given);
    expect_near(test.hidden().values(), test.of_sequences("hidden"), "hidden");
    expect_near(test.logits().values(), test.of_sequences("logit"), "logit");
    Numbers sums;
    for (const auto& sequence : given["sequences"]) {
      sums.push_back(0);
      for (const double log_p : flat(sequence["masked_log_probs"])) sums.back() += log_p;
    }
    expect_near(test.masked_words().values(), sums, "masked_log_probs");
  }
}

TEST(TransformerGoldenTest, GradientsOfAllParametersAgree) {
  ULTR_NEEDS_GOLDEN();
  const auto golden = testing::read_golden("bert.json");
  for (const auto& given : golden["cases"]) {
    SCOPED_TRACE(given["config"].dump());
    Case test(given);
    const Tensor coefficients = test.constants(test.of_sequences("coefficient"));
    const Tensor objective = sum(coefficients * test.logits()) - sum(test.masked_words());
    const double expected = testing::golden_number(given["objective"]);
    EXPECT_NEAR(objective.item(), expected, tolerance * std::abs(expected));
    test.tape().backward(objective);
    EXPECT_EQ(test.entries().size(), given["gradients"].size());
    for (const CheckpointEntry& entry : test.entries())
      expect_near(gradient_of(test.tape(), entry), flat(given["gradients"][entry.name]),
                  entry.name);
  }
}

}  // namespace
}  // namespace ultr::transformer_golden_test
