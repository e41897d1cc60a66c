#include "layers/layers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "base/random.h"
#include "layers/listed_inputs.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::layers_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::logits_of;
using ::testing::Not;

constexpr std::int64_t entries = 6;

/// A type of layer with some of its options.
struct LayerCase {
  std::string name, type, yaml;
};

void PrintTo(const LayerCase& layer, std::ostream* out) { *out << layer.name; }

bool has_hidden_layers(const std::string& type) { return type == "mlp" || type == "deep_cross"; }
bool is_tower(const std::string& type) { return type == "linear" || has_hidden_layers(type); }

/// Default options of a type, but with narrow hidden layers, so that checks are fast.
std::string small(const OptionType& type) {
  return has_hidden_layers(type.name) ? "{widths: [7, 4]}" : "{}";
}

/// Every registered type with its defaults, and further variants of embeddings and towers, but no
/// trees, which have no gradients and no domains but documents (tree_tower_test.cpp), and no
/// transformers, which read words (transformer_tower_test.cpp).
std::vector<LayerCase> all_layers() {
  std::vector<LayerCase> all;
  for (const OptionType& type : layer_types())
    if (type.name != "boosted_trees" && type.name != "transformer")
      all.push_back({type.name, type.name, small(type)});
  const auto add = [&](const std::string& name, const std::string& yaml) {
    all.push_back({"embedding_" + name, "embedding", "{" + yaml + "}"});
  };
  add("without_baseline", "baseline: false");
  for (const int dimension : {1, 16})
    for (const std::string baseline : {"true", "false"}) {
      const std::string suffix =
          (dimension > 1 ? "_of_vectors" : "") + std::string(baseline == "true" ? "" : "_alone");
      const std::string rest = fmt::format(", dimension: {}, baseline: {}", dimension, baseline);
      if (dimension > 1) add("plain" + suffix, "compression: none" + rest);
      add("hash" + suffix, "compression: hash, ratio: 2" + rest);
      add("product" + suffix, "compression: quotient_remainder, ratio: 2" + rest);
      add("sum" + suffix, "compression: quotient_remainder, ratio: 2, combine: sum" + rest);
    }
  for (const std::string type : {"mlp", "deep_cross"}) {
    for (const std::string activation : {"elu", "tanh"})
      all.push_back({type + "_" + activation, type,
                     fmt::format("{{widths: [3, 1], activation: {}}}", activation)});
    all.push_back({type + "_with_dropout", type, "{widths: [9, 7, 6], dropout: [0, 0.1, 0.5]}"});
  }
  all.push_back({"deep_cross_parallel", "deep_cross",
                 "{structure: parallel, cross_layers: 3, widths: [8, 6], dropout: 0.3}"});
  return all;
}

/// Tests of every layer, over every domain.
class EveryLayerTest : public ::testing::TestWithParam<std::tuple<LayerCase, Domain>> {
 protected:
  EveryLayerTest() : choice_(layer_types(), std::get<0>(GetParam()).type) {
    const std::string& yaml = std::get<0>(GetParam()).yaml;
    read_options(parse_config(yaml, "test"), options());
    // A single entry cannot be compressed.
    if (domain() == Domain::global && yaml.find("ratio") != std::string::npos)
      read_options(parse_config("ratio: 1", "test"), options());
  }

  Domain domain() const { return std::get<1>(GetParam()); }
  LayerOptions& options() const { return choice_.as<LayerOptions>(); }
  std::unique_ptr<LogitLayer> build() const {
    return options().build({.name = "parameter",
                            .domain = domain(),
                            .entries = domain() == Domain::global ? 1 : entries,
                            .features = testing::listed_columns(domain()),
                            .start = 0.5,
                            .seed = 3});
  }

  Choice choice_;
  const std::vector<std::uint32_t> documents_ = {4, 0, 2, 4, 5};
};

TEST_P(EveryLayerTest, GivesFiniteLogitsNearTheStart) {
  const auto logits = logits_of(*build(), documents_);
  ASSERT_EQ(logits.size(), documents_.size());
  for (const double logit : logits) {
    ASSERT_TRUE(std::isfinite(logit));
    if (!is_tower(std::get<0>(GetParam()).type)) {
      EXPECT_NEAR(logit, 0.5, 0.1);
    }
  }
  // Towers have random weights, so only a document whose features are all 0 has the initial logit.
  const bool of_documents = domain() == Domain::document || domain() == Domain::document_rank;
  if (is_tower(std::get<0>(GetParam()).type) && of_documents) {
    EXPECT_EQ(logits_of(*build(), {0})[0], 0.5);
  }
}

TEST_P(EveryLayerTest, GradientsAgreeWithFiniteDifferences) {
  const auto layer = build();
  std::vector<std::vector<double>> values;
  RandomStream random(2, RandomPurpose::testing, 0, 0);
  for (Parameter* parameter : layer->parameters()) {
    const std::vector<float> numbers = parameter->values();
    values.emplace_back(numbers.begin(), numbers.end());
    // Moves values off the kinks of relu, which biases of 0 may hit.
    for (double& x : values.back()) x += 0.4 * random.uniform() - 0.2;
    parameter->overlay(values.back());
  }
  Tape tape(Precision::float64);
  testing::ListedInputs inputs(tape, documents_);
  inputs.use_noise(4);
  const Tensor logits = inputs.logits_of(*layer);
  const Tensor loss =
      sum(square(logits) * tape.constant(Shape::vector(5), std::array{1., 2., 3., 4., 5.})) / 15;
  tape.backward(loss);

  std::vector<CheckedValues> checked;
  for (std::size_t p = 0; p < values.size(); ++p) {
    const Parameter& parameter = *layer->parameters()[p];
    std::vector<double> gradient(values[p].size(), 0.0);
    for (const DenseGradient& dense : tape.dense_gradients())
      for (std::size_t i = 0; dense.parameter == &parameter.view() && i < gradient.size(); ++i)
        gradient[i] += static_cast<const double*>(dense.values)[i];
    for (const SparseGradient& sparse : tape.sparse_gradients())
      for (std::size_t i = 0; sparse.parameter == &parameter.view() && i < sparse.rows.size(); ++i)
        for (std::size_t c = 0; c < static_cast<std::size_t>(sparse.columns); ++c)
          gradient[sparse.rows[i] * static_cast<std::size_t>(sparse.columns) + c] +=
              static_cast<const double*>(
                  sparse.values)[i * static_cast<std::size_t>(sparse.columns) + c];
    EXPECT_THAT(gradient, Not(Each(0.0))) << parameter.name();
    checked.push_back({parameter.name(), values[p], gradient});
  }
  const GradientReport report = check_gradient(
      [&] {
        tape.replay();
        return loss.item();
      },
      checked);
  EXPECT_GT(report.entries, 0u);
  EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
  for (Parameter* parameter : layer->parameters()) parameter->overlay({});
}

TEST_P(EveryLayerTest, ShiftMovesEveryLogit) {
  const auto layer = build();
  const auto before = logits_of(*layer, documents_);
  layer->shift(1.5f);
  const auto after = logits_of(*layer, documents_);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i] + 1.5, 1e-6);
}

TEST_P(EveryLayerTest, FormulasNameEveryParameter) {
  const auto layer = build();
  const bool of_documents = domain() == Domain::document || domain() == Domain::document_rank;
  const std::string& type = std::get<0>(GetParam()).type;
  // Towers with hidden layers have no formula. Neither have towers over documents: it would need
  // features.
  if (has_hidden_layers(type) || (type == "linear" && of_documents)) {
    EXPECT_EQ(layer->formula(), "");
    return;
  }
  for (const Parameter* parameter : layer->parameters())
    EXPECT_THAT(layer->formula(), HasSubstr(parameter->name()));
}

TEST_P(EveryLayerTest, ParametersHaveNamesOfTheirOwn) {
  const auto layer = build();
  std::set<std::string> names;
  for (const Parameter* parameter : layer->parameters()) {
    EXPECT_TRUE(parameter->name().starts_with("parameter"));
    EXPECT_TRUE(names.insert(parameter->name()).second) << parameter->name();
  }
  EXPECT_THAT(names, Not(IsEmpty()));
}

TEST_P(EveryLayerTest, TakesAStartBetweenZeroAndOne) {
  EXPECT_FALSE(options().start);
  read_options(parse_config("start: 0.125", "test"), options());
  EXPECT_EQ(options().start, 0.125);
  for (const std::string wrong : {"0", "1", "-0.5", "much"})
    EXPECT_THROW(read_options(parse_config("start: " + wrong, "test"), options()), ConfigError);
}

INSTANTIATE_TEST_SUITE_P(
    Layers, EveryLayerTest,
    ::testing::Combine(::testing::ValuesIn(all_layers()),
                       ::testing::Values(Domain::global, Domain::rank, Domain::rank_pair,
                                         Domain::document, Domain::document_rank,
                                         Domain::rank_viewed, Domain::rank_skipped, Domain::dwell)),
    [](const auto& test) {
      std::string name = std::get<0>(test.param).name + "_of_" + to_string(std::get<1>(test.param));
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

TEST(LayersTest, TheTableHasDistinctNamesWithHelp) {
  std::set<std::string> names;
  for (const OptionType& type : layer_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_THAT(type.help, Not(IsEmpty()));
  }
  EXPECT_TRUE(names.contains("embedding"));
  EXPECT_TRUE(names.contains("table"));
}

TEST(LayersTest, DomainsHaveNames) {
  EXPECT_EQ(to_string(Domain::global), "global");
  EXPECT_EQ(to_string(Domain::rank), "rank");
  EXPECT_EQ(to_string(Domain::rank_pair), "rank pair");
  EXPECT_EQ(to_string(Domain::document), "document");
  EXPECT_EQ(to_string(Domain::rank_viewed), "rank and view");
  EXPECT_EQ(to_string(Domain::rank_skipped), "rank and skip");
  EXPECT_EQ(to_string(Domain::dwell), "dwell time");
}

}  // namespace
}  // namespace ultr::layers_test
