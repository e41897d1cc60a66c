#include "layers/embedding.h"

#include <cmath>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/reductions.h"
#include "base/random.h"
#include "layers/hash_compression.h"
#include "layers/listed_inputs.h"
#include "layers/quotient_remainder.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "testing/errors.h"

namespace ultr::embedding_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::logits_of;

EmbeddingOptions options(bool baseline = true, double spread = 0.01) {
  EmbeddingOptions options;
  options.baseline = baseline;
  options.spread = spread;
  return options;
}

LayerSetting setting(std::int64_t rows) {
  return {.name = "attraction",
          .domain = Domain::document,
          .entries = rows,
          .unknown = 1,
          .start = 1.25};
}

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

TEST(EmbeddingTest, ALogitIsTheBaselinePlusTheRowsOffset) {
  Embedding layer(options(), setting(4));
  Parameter &baseline = *layer.parameters()[0], &rows = *layer.parameters()[1];
  baseline.fill(0.5f);
  rows.assign(std::vector<float>{0, 1, -2, 4});
  EXPECT_THAT(logits_of(layer, {3, 1, 1, 2, 0}),
              ElementsAre(0.5 + 4, 0.5 + 1, 0.5 + 1, 0.5 - 2, 0.5));
}

TEST(EmbeddingTest, WithoutBaselineALogitIsTheRow) {
  Embedding layer(options(false), setting(4));
  ASSERT_EQ(layer.parameters().size(), 1u);
  layer.parameters()[0]->assign(std::vector<float>{0, 1, -2, 4});
  EXPECT_THAT(logits_of(layer, {3, 2, 0}), ElementsAre(4, -2, 0));
}

TEST(EmbeddingTest, TheUnknownRowStartsExactlyAtTheStart) {
  for (const bool baseline : {true, false}) {
    const Embedding layer(options(baseline, 0.3), setting(50));
    const auto logits = logits_of(layer, first_rows(50));
    EXPECT_EQ(logits[0], 1.25);
    EXPECT_NE(logits[1], 1.25);
    EXPECT_NE(logits[1], logits[2]);
  }
}

TEST(EmbeddingTest, WithoutSpreadAllRowsStartAtTheStart) {
  for (const bool baseline : {true, false})
    EXPECT_THAT(logits_of(Embedding(options(baseline, 0), setting(50)), first_rows(50)),
                Each(1.25));
}

TEST(EmbeddingTest, StartsAreNormalWithTheGivenSpread) {
  constexpr std::size_t rows = 20001;
  constexpr double spread = 0.2, n = rows - 1;
  const auto logits = logits_of(Embedding(options(true, spread), setting(rows)), first_rows(rows));
  double sum = 0, squares = 0;
  for (std::size_t row = 1; row < rows; ++row) {
    sum += logits[row] - 1.25;
    squares += (logits[row] - 1.25) * (logits[row] - 1.25);
  }
  EXPECT_NEAR(sum / n, 0, 4.5 * spread / std::sqrt(n));
  EXPECT_NEAR(squares / n, spread * spread, 4.5 * spread * spread * std::sqrt(2 / n));
}

TEST(EmbeddingTest, TheStartIsAFunctionOfSeedAndParameterNumber) {
  const auto start = [](std::uint64_t seed, std::uint32_t number) {
    LayerSetting s = setting(20);
    s.seed = seed;
    s.number = number;
    return logits_of(Embedding(options(), s), first_rows(20));
  };
  EXPECT_EQ(start(1, 0), start(1, 0));
  EXPECT_NE(start(1, 0), start(2, 0));
  EXPECT_NE(start(1, 0), start(1, 1));
}

TEST(EmbeddingTest, ShiftMovesAllLogits) {
  for (const bool baseline : {true, false}) {
    Embedding layer(options(baseline, 0), setting(5));
    layer.shift(-0.75f);
    EXPECT_THAT(logits_of(layer, first_rows(5)), Each(1.25 - 0.75));
  }
}

TEST(EmbeddingTest, OnlyOffsetsDecay) {
  Embedding layer(options(), setting(5));
  const auto parameters = layer.parameters();
  EXPECT_EQ(parameters[0]->name(), "attraction.baseline");
  EXPECT_FALSE(parameters[0]->decays());
  EXPECT_EQ(parameters[1]->name(), "attraction");
  EXPECT_TRUE(parameters[1]->decays());
}

TEST(EmbeddingTest, TheGradientOfRowsIsSparse) {
  Embedding layer(options(), setting(1000));
  Tape tape;
  const testing::ListedInputs inputs(tape, {7, 3, 7});
  tape.backward(sum(inputs.logits_of(layer)));
  ASSERT_EQ(tape.sparse_gradients().size(), 1u);
  const SparseGradient& sparse = tape.sparse_gradients()[0];
  EXPECT_EQ(sparse.parameter, &layer.parameters()[1]->view());
  EXPECT_THAT(sparse.rows, ElementsAre(7, 3, 7));
  ASSERT_EQ(tape.dense_gradients().size(), 1u);
  EXPECT_EQ(tape.dense_gradients()[0].parameter, &layer.parameters()[0]->view());
  EXPECT_EQ(*static_cast<const float*>(tape.dense_gradients()[0].values), 3);
}

// Vectors and compressions
// ---------------------------------------------------------------------------------------------

/// Embeddings of every kind, as YAML.
std::vector<std::string> all_kinds() {
  std::vector<std::string> all;
  for (const std::string compression :
       {"compression: none", "compression: hash, ratio: 1", "compression: hash, ratio: 7",
        "compression: quotient_remainder, ratio: 1", "compression: quotient_remainder, ratio: 7",
        "compression: quotient_remainder, ratio: 7, combine: sum"})
    for (const std::string dimension : {"1", "5", "16"})
      for (const std::string baseline : {"true", "false"})
        all.push_back("{" + compression + ", dimension: " + dimension + ", baseline: " + baseline +
                      "}");
  return all;
}

class EveryEmbeddingTest : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::int64_t rows = 100, unknown = 4;

  EveryEmbeddingTest() { read_options(parse_config(GetParam(), "test"), options_); }

  LayerSetting setting() const {
    LayerSetting setting = embedding_test::setting(rows);
    setting.unknown = unknown;
    setting.seed = 11;
    setting.number = 3;
    return setting;
  }

  /// Computes an entry's logit in double precision and in the simplest way: its vector times the
  /// projection, plus the baseline.
  double reference(Embedding& layer, std::uint32_t entry) const {
    std::map<std::string, const Parameter*> called;
    for (const Parameter* parameter : layer.parameters()) called[parameter->name()] = parameter;
    const auto number = [&](const std::string& name, std::int64_t row, std::size_t column) {
      return static_cast<double>(called.at(name)->row(row)[column]);
    };
    const bool known = entry >= unknown;
    const std::int64_t i = std::int64_t{entry} - unknown;
    const std::string& compression = options_.compression.type;
    double logit = options_.baseline ? number("attraction.baseline", 0, 0) : 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(options_.dimension); ++c) {
      double x = 0;
      if (compression == "none") {
        x = number("attraction", entry, c);
      } else if (compression == "hash") {
        const auto key =
            static_cast<std::uint32_t>(RandomStream(11, RandomPurpose::hashing, 3, 0).bits());
        const std::int64_t table = static_cast<std::int64_t>(
            (rows - unknown) / options_.compression.as<HashOptions>().ratio);
        const double hash = murmur3(static_cast<std::uint32_t>(i), key) / std::pow(2., 32);
        x = number("attraction",
                   known ? 1 + static_cast<std::int64_t>(hash * static_cast<double>(table)) : 0, c);
      } else {
        const auto& chosen = options_.compression.as<QuotientRemainderOptions>();
        const auto divisor = static_cast<std::int64_t>((rows - unknown) / chosen.ratio);
        const double high = number("attraction.quotient", known ? 1 + i / divisor : 0, c);
        const double low = number("attraction.remainder", known ? 1 + i % divisor : 0, c);
        x = chosen.combine == "product" ? high * low : high + low;
      }
      logit += options_.dimension > 1
                   ? x * number("attraction.projection", static_cast<std::int64_t>(c), 0)
                   : x;
    }
    return logit;
  }

  EmbeddingOptions options_;
};

TEST_P(EveryEmbeddingTest, LogitsFollowTheFormula) {
  Embedding layer(options_, setting());
  std::uint32_t number = 0;
  for (Parameter* parameter : layer.parameters()) {
    RandomStream random(1, RandomPurpose::testing, number++, 0);
    for (std::int64_t row = 0; row < parameter->rows(); ++row)
      for (float& x : parameter->row(row)) x = static_cast<float>(random.normal());
  }
  const auto logits = logits_of(layer, first_rows(rows));
  for (std::uint32_t entry = 0; entry < rows; ++entry)
    EXPECT_NEAR(logits[entry], reference(layer, entry), 1e-5) << "entry " << entry;
}

TEST_P(EveryEmbeddingTest, StartsNearTheStartAndUnknownEntriesAtIt) {
  options_.spread = 0.25;
  Embedding layer(options_, setting());
  const auto logits = logits_of(layer, first_rows(rows));
  double squares = 0;
  for (std::int64_t entry = 0; entry < rows; ++entry) {
    const double offset = logits[static_cast<std::size_t>(entry)] - 1.25;
    if (entry < unknown) {
      EXPECT_NEAR(offset, 0, options_.baseline ? 0 : 1e-6);
      continue;
    }
    EXPECT_NE(offset, 0);
    squares += offset * offset;
  }
  // The mean square is spread², up to sampling noise: at worst 13 rows are drawn.
  const double mean_square = squares / (rows - unknown);
  EXPECT_GT(mean_square, 0.25 * 0.25 / 4);
  EXPECT_LT(mean_square, 0.25 * 0.25 * 4);
}

TEST_P(EveryEmbeddingTest, TheStartIsAFunctionOfTheSeed) {
  const auto start = [&](std::uint64_t seed) {
    LayerSetting other = setting();
    other.seed = seed;
    return logits_of(Embedding(options_, other), first_rows(rows));
  };
  EXPECT_EQ(start(1), start(1));
  EXPECT_NE(start(1), start(2));
}

TEST_P(EveryEmbeddingTest, CompressionSavesRows) {
  Embedding layer(options_, setting());
  std::int64_t total = 0;
  for (const Parameter* parameter : layer.parameters())
    if (dynamic_cast<const EmbeddingTable*>(parameter) != nullptr) {
      total += parameter->rows();
      EXPECT_EQ(parameter->columns(), options_.dimension);
      EXPECT_TRUE(parameter->decays());
    }
  if (GetParam().find("ratio: 7") != std::string::npos) {
    EXPECT_LE(total, rows / 7 + 7 + 3);
  } else {
    EXPECT_GE(total, rows - unknown);
  }
}

TEST_P(EveryEmbeddingTest, LogitsCanBeSetOneByOneOnlyIfNoneShareNumbers) {
  Embedding layer(options_, setting());
  const auto logits = layer.entry_logits();
  ASSERT_EQ(logits.has_value(), options_.compression.type == "none" && options_.dimension == 1);
  if (!logits) return;
  EXPECT_EQ(logits->values, layer.parameters().back());
  EXPECT_EQ(logits->baseline != nullptr, options_.baseline);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryEmbeddingTest, ::testing::ValuesIn(all_kinds()));

TEST(EmbeddingTest, TheProjectionStartsWithLengthOne) {
  EmbeddingOptions wide = options();
  wide.dimension = 20;
  Embedding layer(wide, setting(5));
  const Parameter& projection = *layer.parameters()[1];
  EXPECT_EQ(projection.name(), "attraction.projection");
  double square = 0;
  for (const float w : projection.values())
    square += static_cast<double>(w) * static_cast<double>(w);
  EXPECT_NEAR(square, 1, 1e-6);
}

TEST(EmbeddingTest, FormulasSayHowLogitsFollow) {
  const auto formula = [](const std::string& yaml) {
    EmbeddingOptions options;
    read_options(parse_config(yaml, "test"), options);
    return Embedding(options, setting(11)).formula();
  };
  EXPECT_EQ(formula("{}"), "attraction.baseline + attraction[e]");
  EXPECT_EQ(formula("baseline: false"), "attraction[e]");
  EXPECT_EQ(formula("dimension: 4"),
            "attraction.baseline + sum(attraction.projection * (attraction[e]))");
  EXPECT_EQ(formula("{compression: quotient_remainder, ratio: 5, baseline: false}"),
            "attraction.quotient[0 if e < 1 else 1 + (e - 1) // 2] * "
            "attraction.remainder[0 if e < 1 else 1 + (e - 1) % 2]");
}

TEST(EmbeddingTest, RefusesMeaninglessOptions) {
  const auto message = [](const std::string& yaml) {
    try {
      EmbeddingOptions options;
      read_options(parse_config(yaml, "f.yaml"), options);
      Embedding(options, setting(11));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no ConfigError");
  };
  EXPECT_EQ(message("dimension: 0"),
            "f.yaml:1:12: dimension is '0'; expected a whole number at least 1 and at most 65536");
  EXPECT_EQ(message("{compression: hash, ratio: 0.5}"),
            "f.yaml:1:28: ratio is '0.5'; expected at least 1");
  EXPECT_EQ(message("combine: sum"),
            "f.yaml:1:1: 'combine' goes with compression 'quotient_remainder', but compression is "
            "'none'");
  EXPECT_EQ(message("{compression: hash, combine: sum}"),
            "f.yaml:1:21: 'combine' goes with compression 'quotient_remainder', but compression is "
            "'hash'");
  EXPECT_EQ(message("ratio: 10"),
            "f.yaml:1:1: 'ratio' goes with compression 'hash', but compression is 'none'");
  EXPECT_EQ(message("{compression: quotient_remainder, ratio: 11}"),
            "attraction: a compression ratio of 11 leaves no row for 10 entries (one per "
            "document); expected at most 10");
}

TEST(EmbeddingTest, HasNoMoreEntriesThanCanBeNumbered) {
  EmbeddingOptions few_rows;
  read_options(parse_config("{compression: hash, ratio: 1000000000}", "f.yaml"), few_rows);
  const std::int64_t most = std::int64_t{1} << 32;
  EXPECT_EQ(few_rows.build(setting(most))->parameters().back()->rows(), 1 + 4);
  EXPECT_EQ(testing::config_message([&] { few_rows.build(setting(most + 1)); }),
            "attraction: 4294967297 entries (one per document); expected at most 4294967296 per "
            "process");
}

}  // namespace
}  // namespace ultr::embedding_test
