#include "optim/optimizer.h"

#include <bit>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/optim.h"
#include "optim/stepping_types.h"

namespace ultr::optimizer_test {
namespace {

using ::testing::Each;

/// Everything in a table's records: values, states and gradients, as bits.
std::vector<std::uint32_t> all_bits(const EmbeddingTable& table) {
  std::vector<std::uint32_t> bits;
  const std::int64_t used = table.gradient_offset() + table.columns();
  for (std::int64_t row = 0; row < table.rows(); ++row)
    for (std::int64_t i = 0; i < used; ++i)
      bits.push_back(std::bit_cast<std::uint32_t>(table.record(row)[i]));
  return bits;
}

/// Rows that a step reads, and their gradients.
struct Reads {
  std::vector<std::uint32_t> rows;
  std::vector<float> gradients;
};

Reads random_reads(std::int64_t rows, std::int64_t columns, int count, std::uint32_t step) {
  RandomStream random(5, RandomPurpose::testing, step, static_cast<std::uint64_t>(columns));
  Reads reads;
  for (int i = 0; i < count; ++i) {
    reads.rows.push_back(
        static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(rows))));
    for (std::int64_t c = 0; c < columns; ++c)
      reads.gradients.push_back(static_cast<float>(random.normal()));
  }
  return reads;
}

/// A table with distinct values and room for the states of an optimizer.
std::unique_ptr<EmbeddingTable> make_table(const Optimizer& optimizer, std::int64_t rows,
                                           std::int64_t columns = 1) {
  auto table = std::make_unique<EmbeddingTable>("attraction", rows, columns);
  std::vector<float> values = table->values();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i)) + 0.1f;
  table->assign(values);
  optimizer.attach(std::vector<Parameter*>{table.get()});
  return table;
}

void lazy_step(Optimizer& optimizer, EmbeddingTable& table, const Reads& reads, double rate,
               std::uint32_t owners = 1) {
  optimizer.begin_step(rate);
  for (std::uint32_t owner = 0; owner < owners; ++owner) {
    table.add_gradients(reads.rows, reads.gradients.data(), {owner, owners});
    optimizer.update_rows(table, reads.rows, 1, {owner, owners});
  }
}

void dense_step(Optimizer& optimizer, EmbeddingTable& table, const Reads& reads, double rate,
                std::uint32_t owners = 1) {
  optimizer.begin_step(rate);
  for (std::uint32_t owner = 0; owner < owners; ++owner) {
    table.add_gradients(reads.rows, reads.gradients.data(), {owner, owners});
    optimizer.update_all_rows(table, 1, {owner, owners});
  }
}

/// An ε that float32 does not have must not divide a gradient of 0 by 0.
template <class Options>
void expect_no_step_without_a_gradient() {
  Options options;
  options.epsilon = 1e-46;
  options.weight_decay = 0;
  const std::unique_ptr<Optimizer> optimizer = options.build();
  const auto table = make_table(*optimizer, 3);
  const std::vector<float> values = table->values();
  dense_step(*optimizer, *table, {{0, 1, 2}, {0, 0, 0}}, 0.1);
  EXPECT_EQ(table->values(), values);
}

TEST(OptimizerTest, AParameterWithoutGradientsStaysWithAnyEpsilon) {
  expect_no_step_without_a_gradient<AdamOptions>();
  expect_no_step_without_a_gradient<AdamWOptions>();
  expect_no_step_without_a_gradient<AdagradOptions>();
}

/// Tests of every registered optimizer with its defaults.
class EveryOptimizerTest : public ::testing::TestWithParam<OptionType> {
 protected:
  std::unique_ptr<Optimizer> build() const {
    return static_cast<OptimizerOptions&>(*options_).build();
  }
  double rate() const { return static_cast<OptimizerOptions&>(*options_).learning_rate; }

  std::unique_ptr<Options> options_ = GetParam().make();
};

TEST_P(EveryOptimizerTest, ARowReadSeveralTimesIsUpdatedOnceWithTheSum) {
  constexpr std::size_t length = 53;  // longer than three registers
  constexpr std::uint32_t repeated = 60;
  for (const std::int64_t columns : {1, 3, 20})
    for (const auto& [first, second] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 1}, {0, 15}, {15, 16}, {7, 8}, {3, 40}, {0, 52}, {51, 52}, {47, 48}}) {
      // All other rows are read once. Halves are exact, so the sum is too.
      Reads twice, once;
      for (std::uint32_t i = 0; i < length; ++i) {
        const bool is_repeated = i == first || i == second;
        twice.rows.push_back(is_repeated ? repeated : i);
        if (i != second) once.rows.push_back(twice.rows.back());
        for (std::int64_t c = 0; c < columns; ++c) {
          twice.gradients.push_back(is_repeated ? 0.5f : 0.25f * static_cast<float>(i));
          if (i != second) once.gradients.push_back(is_repeated ? 1.0f : twice.gradients.back());
        }
      }
      const auto one = build(), other = build();
      const auto table = make_table(*one, 64, columns), expected = make_table(*other, 64, columns);
      for (int step = 0; step < 3; ++step) {
        lazy_step(*one, *table, twice, 0.1);
        lazy_step(*other, *expected, once, 0.1);
      }
      EXPECT_EQ(all_bits(*table), all_bits(*expected))
          << columns << " columns, entries " << first << " and " << second;
    }
}

TEST_P(EveryOptimizerTest, ResumesFromItsStepsAndParameterStates) {
  constexpr std::int64_t rows = 40;
  const auto reads = [](int step) {
    return random_reads(rows, 3, 30, static_cast<std::uint32_t>(step));
  };
  const auto one = build();
  const auto table = make_table(*one, rows, 3);
  for (int step = 0; step < 4; ++step) lazy_step(*one, *table, reads(step), 0.1);

  const auto other = build();
  const auto copy = make_table(*other, rows, 3);
  std::vector<float> kept(static_cast<std::size_t>(rows * table->kept_per_row()));
  table->copy_kept(0, kept);
  copy->assign_kept(0, kept);
  other->set_steps(one->steps());
  EXPECT_EQ(other->steps(), 4);
  for (int step = 4; step < 7; ++step) {
    lazy_step(*one, *table, reads(step), 0.1);
    lazy_step(*other, *copy, reads(step), 0.1);
  }
  EXPECT_EQ(all_bits(*copy), all_bits(*table));
}

TEST_P(EveryOptimizerTest, UnreadRowsStayUnchanged) {
  const auto optimizer = build();
  const auto table = make_table(*optimizer, 40);
  const auto before = table->values();
  lazy_step(*optimizer, *table, {{3, 30}, {0.5f, 0.0f}}, 0.1);
  const auto after = table->values();
  for (std::size_t row = 0; row < before.size(); ++row) {
    const bool read = row == 3 || row == 30;
    if (!read) {
      EXPECT_EQ(after[row], before[row]) << "row " << row;
    }
  }
  EXPECT_NE(after[3], before[3]);
}

TEST_P(EveryOptimizerTest, AnyNumberOfOwnersGivesTheSameBits) {
  constexpr std::int64_t rows = 1500;
  for (const std::int64_t columns : {1, 3, 20})
    for (const auto step_once : {lazy_step, dense_step}) {
      const auto run = [&](std::uint32_t owners) {
        const auto optimizer = build();
        const auto table = make_table(*optimizer, rows, columns);
        for (std::uint32_t step = 0; step < 5; ++step)
          step_once(*optimizer, *table, random_reads(rows, columns, 900, step), rate(), owners);
        return all_bits(*table);
      };
      const auto alone = run(1);
      for (const std::uint32_t owners : {2u, 3u, 7u, 16u})
        EXPECT_EQ(run(owners), alone) << owners << " owners, " << columns << " columns";
    }
}

TEST_P(EveryOptimizerTest, GradientsAreIdleAfterAStep) {
  for (const std::int64_t columns : {1, 3, 20})
    for (const auto step_once : {lazy_step, dense_step}) {
      const auto optimizer = build();
      const auto table = make_table(*optimizer, 50, columns);
      step_once(*optimizer, *table, random_reads(50, columns, 30, 0), rate(), 1);
      for (std::int64_t row = 0; row < 50; ++row)
        for (std::int64_t c = 0; c < columns; ++c)
          ASSERT_EQ(std::bit_cast<std::uint32_t>(table->record(row)[table->gradient_offset() + c]),
                    std::bit_cast<std::uint32_t>(EmbeddingTable::idle));
    }
}

TEST_P(EveryOptimizerTest, LazyEqualsDenseIfEachStepReadsEveryRow) {
  for (const std::int64_t columns : {1, 3, 20}) {
    const auto one = build(), other = build();
    const auto lazy = make_table(*one, 50, columns), dense = make_table(*other, 50, columns);
    for (std::uint32_t step = 0; step < 20; ++step) {
      Reads reads = random_reads(50, columns, 70, step);
      for (std::uint32_t row = 0; row < 50; ++row) {
        reads.rows.push_back(row);
        reads.gradients.insert(reads.gradients.end(), static_cast<std::size_t>(columns), 0.0f);
      }
      lazy_step(*one, *lazy, reads, rate());
      dense_step(*other, *dense, reads, rate());
    }
    EXPECT_EQ(all_bits(*lazy), all_bits(*dense));
  }
}

TEST_P(EveryOptimizerTest, TheFactorMultipliesTheGradient) {
  constexpr float factor = 0.25f;  // exact
  const auto one = build(), other = build();
  const auto scaled = make_table(*one, 50), expected = make_table(*other, 50);
  DenseParameter scaled_dense("bias", 50, 1), expected_dense("bias", 50, 1);
  one->attach(std::vector<Parameter*>{&scaled_dense});
  other->attach(std::vector<Parameter*>{&expected_dense});
  for (std::uint32_t step = 0; step < 5; ++step) {
    Reads reads = random_reads(50, 1, 50, step);
    one->begin_step(rate());
    one->update(scaled_dense, reads.gradients, factor);
    scaled->add_gradients(reads.rows, reads.gradients.data(), {});
    one->update_rows(*scaled, reads.rows, factor, {});
    for (float& gradient : reads.gradients) gradient *= factor;
    other->begin_step(rate());
    other->update(expected_dense, reads.gradients, 1);
    expected->add_gradients(reads.rows, reads.gradients.data(), {});
    other->update_rows(*expected, reads.rows, 1, {});
  }
  EXPECT_EQ(all_bits(*scaled), all_bits(*expected));
  EXPECT_EQ(scaled_dense.values(), expected_dense.values());
}

TEST_P(EveryOptimizerTest, ReducesAConvexLoss) {
  // The loss is Σ ½ (x - target)² over a dense parameter and a table.
  const auto optimizer = build();
  DenseParameter dense("bias", 20, 1);
  EmbeddingTable table("attraction", 20, 1);
  optimizer->attach(std::vector<Parameter*>{&dense, &table});
  std::vector<std::uint32_t> rows(20);
  std::iota(rows.begin(), rows.end(), 0u);
  const auto target = [](std::size_t i) { return 0.1f * static_cast<float>(i) - 1; };
  const auto gradient_of = [&](const Parameter& parameter) {
    std::vector<float> gradient = parameter.values();
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] -= target(i);
    return gradient;
  };
  const auto loss = [&] {
    double sum = 0;
    for (const Parameter* parameter : std::vector<const Parameter*>{&dense, &table})
      for (const float distance : gradient_of(*parameter))
        sum += 0.5 * static_cast<double>(distance) * static_cast<double>(distance);
    return sum;
  };
  const double start = loss();
  for (int step = 0; step < 500; ++step) {
    const auto of_dense = gradient_of(dense), of_table = gradient_of(table);
    optimizer->begin_step(rate());
    optimizer->update(dense, of_dense, 1);
    table.add_gradients(rows, of_table.data(), {});
    optimizer->update_rows(table, rows, 1, {});
  }
  EXPECT_LT(loss(), start / 100);
}

TEST_P(EveryOptimizerTest, StaysFiniteForGradientsOfAnySize) {
  const auto optimizer = build();
  const auto table = make_table(*optimizer, 40);
  const std::vector<float> sizes = {0.0f, -0.0f, 1e-45f, -1e-38f, 1e-20f, -1.0f, 1e10f, -1e15f};
  for (std::size_t step = 0; step < 100; ++step) {
    Reads reads;
    for (std::uint32_t row = 0; row < 40; ++row) {
      reads.rows.push_back(row);
      reads.gradients.push_back(sizes[(row * 3 + step * 5) % sizes.size()]);
    }
    lazy_step(*optimizer, *table, reads, rate());
  }
  for (const float value : table->values()) EXPECT_TRUE(std::isfinite(value)) << value;
}

TEST_P(EveryOptimizerTest, GivesTheSameBitsEachTime) {
  const auto run = [&] {
    const auto optimizer = build();
    const auto table = make_table(*optimizer, 100);
    for (std::uint32_t step = 0; step < 10; ++step)
      lazy_step(*optimizer, *table, random_reads(100, 1, 80, step), rate());
    return all_bits(*table);
  };
  EXPECT_EQ(run(), run());
}

TEST_P(EveryOptimizerTest, CountsItsSteps) {
  const auto optimizer = build();
  EXPECT_EQ(optimizer->steps(), 0);
  optimizer->begin_step(0.1);
  optimizer->begin_step(0.1);
  EXPECT_EQ(optimizer->steps(), 2);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, EveryOptimizerTest,
                         ::testing::ValuesIn(testing::stepping_types()),
                         [](const auto& test) { return test.param.name; });

// Agreement and difference of lazy and dense updates
// ---------------------------------------------------------------------------------------------

/// Values of a table after steps that each read some of its rows: updated lazily, and densely.
struct LazyAndDense {
  std::vector<float> lazy, dense;

  explicit LazyAndDense(const OptimizerOptions& options) {
    const auto one = options.build(), other = options.build();
    const auto lazily = make_table(*one, 200), densely = make_table(*other, 200);
    for (std::uint32_t step = 0; step < 20; ++step) {
      const Reads reads = random_reads(200, 1, 50, step);
      lazy_step(*one, *lazily, reads, options.learning_rate);
      dense_step(*other, *densely, reads, options.learning_rate);
    }
    lazy = lazily->values();
    dense = densely->values();
  }
};

TEST(LazyUpdateTest, EqualsTheDenseOneWhereAGradientOfZeroChangesNothing) {
  const LazyAndDense sgd{SgdOptions()}, adagrad{AdagradOptions()};
  EXPECT_EQ(sgd.lazy, sgd.dense);
  EXPECT_EQ(adagrad.lazy, adagrad.dense);
}

TEST(LazyUpdateTest, DiffersFromTheDenseOneOtherwise) {
  SgdOptions momentum, decaying_sgd;
  momentum.momentum = 0.9;
  decaying_sgd.weight_decay = 0.1;
  AdagradOptions decaying_adagrad;
  decaying_adagrad.weight_decay = 0.1;
  const AdamOptions adam;
  const AdamWOptions adamw;
  for (const OptimizerOptions* options : std::vector<const OptimizerOptions*>{
           &momentum, &decaying_sgd, &decaying_adagrad, &adam, &adamw}) {
    const LazyAndDense tables(*options);
    EXPECT_NE(tables.lazy, tables.dense);
  }
}

/// Row 0 after one step that reads it with gradient 1, and after ten more that do not read it.
struct AfterTenOtherSteps {
  double once, lazy, dense;  // right after the first step; after the others
  std::vector<float> lazy_states;

  AfterTenOtherSteps(const OptimizerOptions& options, double rate) {
    const auto one = options.build(), other = options.build();
    const auto lazily = make_table(*one, 2), densely = make_table(*other, 2);
    const Reads first = {{0}, {1.0f}}, others = {{1}, {1.0f}};
    lazy_step(*one, *lazily, first, rate);
    dense_step(*other, *densely, first, rate);
    once = static_cast<double>(lazily->value(0));
    lazy_states.assign(lazily->record(0) + 1, lazily->record(0) + 1 + lazily->states());
    for (int step = 0; step < 10; ++step) {
      lazy_step(*one, *lazily, others, rate);
      dense_step(*other, *densely, others, rate);
    }
    lazy = static_cast<double>(lazily->value(0));
    dense = static_cast<double>(densely->value(0));
    EXPECT_EQ(lazy_states,
              std::vector<float>(lazily->record(0) + 1, lazily->record(0) + 1 + lazily->states()))
        << "the states of a row that is not read do not decay";
  }
};

TEST(LazyUpdateTest, ARowThatIsNotReadKeepsItsMomentumForLater) {
  SgdOptions options;
  options.momentum = 0.5;
  constexpr double rate = 0.1;
  const AfterTenOtherSteps row(options, rate);
  EXPECT_EQ(row.lazy, row.once);
  double moved = 0;
  for (int step = 1; step <= 10; ++step) moved += rate * std::pow(0.5, step);
  EXPECT_NEAR(row.dense, row.once - moved, 1e-6);
}

TEST(LazyUpdateTest, ARowThatIsNotReadDoesNotShrink) {
  AdamWOptions options;
  options.weight_decay = 0.5;
  options.beta1 = options.beta2 = 1e-6;  // so that hardly anything is left of the first gradient
  constexpr double rate = 0.1;
  const AfterTenOtherSteps row(options, rate);
  EXPECT_EQ(row.lazy, row.once);
  EXPECT_NEAR(row.dense, row.once * std::pow(1 - rate * 0.5, 10), 1e-3);
}

TEST(LazyUpdateTest, BiasCorrectionsCountAllSteps) {
  // For a row that is first read in step 11: m̂ = (1-β1) g / (1-β1^11), and v̂ likewise.
  const AdamOptions options;
  const auto optimizer = options.build();
  const auto table = make_table(*optimizer, 2);
  const auto start = static_cast<double>(table->value(0));
  for (int step = 0; step < 10; ++step) lazy_step(*optimizer, *table, {{1}, {1.0f}}, 0.1);
  lazy_step(*optimizer, *table, {{0}, {2.0f}}, 0.1);
  const double m = (1 - options.beta1) * 2 / (1 - std::pow(options.beta1, 11));
  const double v = (1 - options.beta2) * 4 / (1 - std::pow(options.beta2, 11));
  EXPECT_NEAR(static_cast<double>(table->value(0)), start - 0.1 * m / std::sqrt(v), 1e-6);
}

TEST(OptimizerTest, AttachGivesRoomForItsStates) {
  EmbeddingTable table("attraction", 3, 1);
  DenseParameter dense("bias", 3, 1);
  AdamOptions().build()->attach(std::vector<Parameter*>{&table, &dense});
  EXPECT_EQ(table.states(), 2);
  EXPECT_EQ(dense.states(), 2);
  EXPECT_THAT(dense.state(1), Each(0.0f));
  SgdOptions().build()->attach(std::vector<Parameter*>{&table});
  EXPECT_EQ(table.states(), 1);
}

}  // namespace
}  // namespace ultr::optimizer_test
