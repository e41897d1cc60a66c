#include "layers/parameter.h"

#include <bit>
#include <concepts>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace ultr::parameter_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Bits of a float, which distinguish -0 from 0.
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

/// The gradient fields of a row, as bits.
std::vector<std::uint32_t> gradient_bits(const EmbeddingTable& table, std::int64_t row) {
  std::vector<std::uint32_t> result;
  for (std::int64_t c = 0; c < table.columns(); ++c)
    result.push_back(bits(table.record(row)[table.gradient_offset() + c]));
  return result;
}

void expect_idle(const EmbeddingTable& table) {
  for (std::int64_t row = 0; row < table.rows(); ++row)
    EXPECT_THAT(gradient_bits(table, row), Each(bits(-0.0f))) << "row " << row;
}

/// Values that programs read through the view.
std::vector<float> seen_by_programs(const Parameter& parameter) {
  const ParameterView& view = parameter.view();
  std::vector<float> values;
  for (std::int64_t row = 0; row < view.rows; ++row)
    for (std::int64_t c = 0; c < view.columns; ++c) {
      const std::int64_t at = row * view.stride + c;
      values.push_back(view.precision == Precision::float32
                           ? static_cast<const float*>(view.values)[at]
                           : static_cast<float>(static_cast<const double*>(view.values)[at]));
    }
  return values;
}

TEST(EmbeddingTableTest, AScalarRowWithTwoStatesTakesSixteenBytes) {
  EmbeddingTable table("attraction", 100, 1);
  table.attach_states(2);
  EXPECT_EQ(table.bytes_per_row(), 16);
  EXPECT_EQ(table.record(1) - table.record(0), 4);
  EXPECT_EQ(table.gradient_offset(), 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.record(0)) % 64, 0u);
}

TEST(EmbeddingTableTest, RecordsAreRoundedUpToAPowerOfTwoOrWholeCacheLines) {
  struct Case {
    std::int64_t columns;
    int states;
    std::int64_t stride;
  };
  // A record is value, states and gradient, each of `columns` numbers.
  for (const Case& c : {Case{1, 0, 2}, Case{1, 1, 4}, Case{1, 2, 4}, Case{1, 3, 8}, Case{3, 0, 8},
                        Case{3, 2, 16}, Case{4, 2, 16}, Case{5, 2, 32}, Case{8, 2, 32},
                        Case{10, 2, 48}, Case{16, 1, 48}, Case{16, 2, 64}}) {
    EmbeddingTable table("table", 3, c.columns);
    table.attach_states(c.states);
    EXPECT_EQ(table.stride(), c.stride) << c.columns << " columns, " << c.states << " states";
    EXPECT_EQ(table.gradient_offset(), (1 + c.states) * c.columns);
    EXPECT_EQ(table.states(), c.states);
  }
}

TEST(EmbeddingTableTest, GradientsAreMinusZeroUntilARowIsRead) {
  EXPECT_EQ(bits(EmbeddingTable::idle), bits(-0.0f));
  EmbeddingTable table("attraction", 5, 1), wide("weights", 4, 3);
  expect_idle(table);
  expect_idle(wide);
  table.attach_states(2);
  wide.attach_states(1);
  expect_idle(table);
  expect_idle(wide);
}

TEST(EmbeddingTableTest, GradientsOfZeroOfEitherSignTouchARow) {
  EmbeddingTable table("attraction", 6, 1);
  table.attach_states(2);
  const std::vector<std::uint32_t> rows = {1, 2, 3, 3, 4, 4};
  const std::vector<float> gradients = {0.0f, -0.0f, 1.5f, -1.5f, -0.0f, -0.0f};
  table.add_gradients(rows, gradients.data(), {});
  for (const std::int64_t touched : {1, 2, 3, 4})
    EXPECT_THAT(gradient_bits(table, touched), ElementsAre(bits(0.0f))) << "row " << touched;
  for (const std::int64_t idle : {0, 5})
    EXPECT_THAT(gradient_bits(table, idle), ElementsAre(bits(-0.0f))) << "row " << idle;
}

TEST(EmbeddingTableTest, GradientsOfZeroTouchAWideRow) {
  EmbeddingTable table("weights", 3, 2);
  const std::vector<float> gradients = {-0.0f, -0.0f};
  table.add_gradients(std::vector<std::uint32_t>{1}, gradients.data(), {});
  EXPECT_THAT(gradient_bits(table, 1), ElementsAre(bits(0.0f), bits(0.0f)));
  EXPECT_THAT(gradient_bits(table, 0), Each(bits(-0.0f)));
  EXPECT_THAT(gradient_bits(table, 2), Each(bits(-0.0f)));
}

TEST(EmbeddingTableTest, GradientsOfARowAreSummedInTheOrderOfReading) {
  EmbeddingTable table("attraction", 4, 1);
  const std::vector<std::uint32_t> rows = {2, 1, 2, 2};
  const std::vector<float> gradients = {1e8f, 3.0f, 1.0f, -1e8f};  // any other order gives 1
  table.add_gradients(rows, gradients.data(), {});
  EXPECT_EQ(table.record(2)[table.gradient_offset()], (1e8f + 1.0f) - 1e8f);
  EXPECT_EQ(table.record(1)[table.gradient_offset()], 3.0f);
}

TEST(EmbeddingTableTest, WideRowsSumEachColumn) {
  EmbeddingTable table("weights", 3, 3);
  table.attach_states(1);
  const std::vector<float> gradients = {1, 2, 3, 10, 20, 30, 100, 200, 300};
  table.add_gradients(std::vector<std::uint32_t>{2, 0, 2}, gradients.data(), {});
  const float* row = table.record(2) + table.gradient_offset();
  EXPECT_THAT(std::vector<float>(row, row + 3), ElementsAre(101, 202, 303));
}

TEST(EmbeddingTableTest, WorkersTogetherSumWhatOneWouldSum) {
  constexpr std::int64_t rows = 2000;
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  std::vector<std::uint32_t> read;
  std::vector<float> gradients;
  for (int i = 0; i < 5000; ++i) {
    read.push_back(static_cast<std::uint32_t>(random.below(rows)));
    gradients.push_back(static_cast<float>(random.normal()));
  }
  EmbeddingTable alone("attraction", rows, 1);
  alone.add_gradients(read, gradients.data(), {});
  for (const std::uint32_t workers : {2u, 3u, 7u}) {
    EmbeddingTable shared("attraction", rows, 1);
    for (std::uint32_t worker = workers; worker-- > 0;)
      shared.add_gradients(read, gradients.data(), {worker, workers});
    for (std::int64_t row = 0; row < rows; ++row)
      ASSERT_EQ(gradient_bits(shared, row), gradient_bits(alone, row)) << "row " << row;
  }
}

TEST(EmbeddingTableTest, GradientSquareIsTheSquaredNormOfTheCombinedGradient) {
  for (const std::int64_t columns : {1, 3}) {
    EmbeddingTable table("table", 10, columns);
    table.attach_states(2);
    RandomStream random(2, RandomPurpose::testing, 0, static_cast<std::uint64_t>(columns));
    // Two shards that have rows in common, and that read some rows several times.
    const std::vector<std::vector<std::uint32_t>> shards = {{1, 2, 1, 7}, {7, 3, 1}};
    std::vector<std::vector<float>> gradients;
    std::map<std::pair<std::uint32_t, std::int64_t>, double> combined;
    for (const auto& rows : shards) {
      std::vector<float>& numbers = gradients.emplace_back();
      for (const std::uint32_t row : rows)
        for (std::int64_t c = 0; c < columns; ++c) {
          numbers.push_back(static_cast<float>(random.normal()));
          combined[{row, c}] += static_cast<double>(numbers.back());
        }
      table.add_gradients(rows, numbers.data(), {});
    }
    double expected = 0, square = 0;
    for (const auto& [entry, gradient] : combined) expected += gradient * gradient;
    for (std::size_t s = 0; s < shards.size(); ++s)
      square += table.gradient_square(shards[s], gradients[s].data());
    EXPECT_NEAR(square, expected, 1e-6 * expected) << columns << " columns";
  }
}

TEST(ParameterTest, AttachingStatesKeepsValuesAndClearsStates) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  DenseParameter dense("bias", 3, 2);
  EmbeddingTable table("weights", 3, 2);
  for (Parameter* parameter : std::vector<Parameter*>{&dense, &table}) {
    parameter->assign(numbers);
    const ParameterView* view = &parameter->view();
    for (const int states : {2, 0, 1}) {
      parameter->attach_states(states);
      EXPECT_EQ(parameter->states(), states);
      EXPECT_EQ(parameter->values(), numbers);
      EXPECT_EQ(seen_by_programs(*parameter), numbers);
      EXPECT_EQ(&parameter->view(), view) << "programs keep a pointer to the view";
    }
  }
  EXPECT_THAT(dense.state(0), Each(0.0f));
  dense.state(0)[1] = 7;
  dense.attach_states(1);
  EXPECT_THAT(dense.state(0), Each(0.0f));
  EXPECT_THAT(std::vector<float>(table.record(1) + 2, table.record(1) + 4), Each(0.0f));
}

TEST(ParameterTest, DenseStatesDoNotOverlapTheValues) {
  DenseParameter dense("bias", 2, 2);
  dense.attach_states(2);
  for (int state = 0; state < 2; ++state)
    for (float& x : dense.state(state)) x = static_cast<float>(10 * (state + 1));
  dense.fill(1);
  EXPECT_THAT(dense.all_values(), Each(1.0f));
  EXPECT_THAT(dense.state(0), Each(10.0f));
  EXPECT_THAT(dense.state(1), Each(20.0f));
}

TEST(ParameterTest, ValuesAreAssignedAndReadRowByRow) {
  DenseParameter dense("bias", 2, 3);
  EmbeddingTable table("weights", 2, 3);
  table.attach_states(2);
  for (Parameter* parameter : std::vector<Parameter*>{&dense, &table}) {
    parameter->fill(9);
    EXPECT_THAT(parameter->values(), Each(9.0f));
    parameter->assign(std::vector<float>{1, 2, 3, 4, 5, 6});
    EXPECT_EQ(parameter->value(0), 1);
    EXPECT_EQ(parameter->value(1), 4);
    EXPECT_THAT(parameter->values(), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(
        [&] {
          parameter->assign(std::vector<float>{1, 2});
        },
        ThrowsMessage<Error>(HasSubstr("2 values; expected 6")));
  }
  expect_idle(table);
}

TEST(ParameterTest, NeedsRowsAndColumns) {
  EXPECT_THAT([] { DenseParameter("bias", 0, 1); },
              ThrowsMessage<Error>(HasSubstr("bias: 0 rows of 1 numbers")));
  EXPECT_THAT([] { EmbeddingTable("weights", 3, 0); },
              ThrowsMessage<Error>(HasSubstr("weights: 3 rows of 0 numbers")));
}

TEST(ParameterTest, AnOverlayIsReadInsteadUntilItEnds) {
  EmbeddingTable table("weights", 4, 2);
  table.attach_states(2);
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  table.assign(numbers);
  const std::vector<double> other = {0.25, 0.5, -1, -2, 3, 6, 9, 12};
  table.overlay(other);
  EXPECT_EQ(table.view().precision, Precision::float64);
  EXPECT_EQ(table.view().rows, 4);
  EXPECT_EQ(table.view().columns, 2);
  EXPECT_THAT(seen_by_programs(table), ElementsAre(0.25f, 0.5f, -1, -2, 3, 6, 9, 12));
  EXPECT_EQ(table.values(), numbers) << "the parameter's own values stay";
  table.overlay({});
  EXPECT_EQ(table.view().precision, Precision::float32);
  EXPECT_EQ(seen_by_programs(table), numbers);
}

TEST(ParameterTest, AnOverlayMayHaveSomeRowsOnly) {
  EmbeddingTable table("weights", 4, 2);
  const std::vector<double> other = {0.25, 0.5, 3, 6};
  const std::vector<std::uint32_t> listed = {1, 3};
  table.overlay(other, listed);
  EXPECT_EQ(table.view().values, other.data());
  EXPECT_EQ(table.view().rows, 4);
  EXPECT_EQ(table.view().stride, 2);
  EXPECT_THAT(table.view().listed, ElementsAre(1, 3));
  table.overlay({});
  EXPECT_TRUE(table.view().listed.empty());
}

TEST(ParameterTest, AnOverlayMustFit) {
  EmbeddingTable table("weights", 4, 2);
  const std::vector<double> seven(7);
  const std::vector<std::uint32_t> listed = {1, 3};
  EXPECT_THAT([&] { table.overlay(seven); },
              ThrowsMessage<Error>(HasSubstr("weights: overlay of 7 values; expected 8")));
  EXPECT_THAT([&] { table.overlay(seven, listed); },
              ThrowsMessage<Error>(HasSubstr("weights: overlay of 7 values; expected 4")));
  EXPECT_EQ(table.view().precision, Precision::float32);
}

TEST(ParameterTest, BorrowedRowsAreReadInsteadUntilTheyAreGivenBack) {
  EmbeddingTable table("attraction", 5, 2);
  table.attach_states(2);
  table.fill(7);
  const std::vector<float> rows = {1, 2, 3, 4};
  const auto read = [&](std::int64_t row, std::int64_t column) {
    return static_cast<const float*>(table.view().values)[row * table.view().stride + column];
  };
  table.borrow(rows);
  EXPECT_EQ(table.view().rows, 2);
  EXPECT_EQ(read(0, 1), 2);
  EXPECT_EQ(read(1, 0), 3);
  EXPECT_EQ(table.value(1), 7) << "its own rows stay";
  table.borrow({});
  EXPECT_EQ(table.view().rows, 5);
  EXPECT_EQ(read(4, 1), 7);
}

TEST(ParameterTest, RowsAreReadAndWrittenInPlace) {
  DenseParameter dense("bias", 2, 3);
  EmbeddingTable table("weights", 2, 3);
  table.attach_states(2);
  for (Parameter* parameter : std::vector<Parameter*>{&dense, &table}) {
    parameter->assign(std::vector<float>{1, 2, 3, 4, 5, 6});
    EXPECT_THAT(std::as_const(*parameter).row(1), ElementsAre(4, 5, 6));
    parameter->row(0)[2] = 7;
    EXPECT_THAT(parameter->values(), ElementsAre(1, 2, 7, 4, 5, 6));
  }
}

TEST(ParameterTest, DecaysUnlessToldNotTo) {
  DenseParameter dense("bias", 1, 1);
  EXPECT_TRUE(dense.decays());
  dense.set_decays(false);
  EXPECT_FALSE(dense.decays());
}

TEST(RowOwnerTest, EveryRowHasExactlyOneOwner) {
  RandomStream random(3, RandomPurpose::testing, 0, 0);
  std::vector<std::uint32_t> rows = {0, 1, 63, 64, 65, ~0u, ~0u - 64};
  for (int i = 0; i < 500; ++i) rows.push_back(static_cast<std::uint32_t>(random.bits()));
  for (const std::uint32_t workers : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 61u, 1024u})
    for (const std::uint32_t row : rows) {
      int owners = 0;
      for (std::uint32_t worker = 0; worker < workers; ++worker)
        owners += RowOwner{worker, workers}.owns(row) ? 1 : 0;
      ASSERT_EQ(owners, 1) << "row " << row << ", " << workers << " workers";
    }
}

TEST(RowOwnerTest, RowsOfABlockOfEightShareAnOwner) {
  for (const std::uint32_t workers : {2u, 3u, 7u, 16u})
    for (const std::uint32_t block : {0u, 1u, 2u, 1000u, (~0u >> 3) - 1})
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        const RowOwner owner{worker, workers};
        for (std::uint32_t i = 1; i < 8; ++i)
          ASSERT_EQ(owner.owns(8 * block + i), owner.owns(8 * block));
      }
}

TEST(RowOwnerTest, NeighbouringBlocksAreSpreadOverTheWorkers) {
  // The most frequent queries tend to have the lowest numbers, so their rows are in these blocks.
  for (const std::uint32_t workers : {2u, 4u, 8u}) {
    std::vector<int> blocks_of(workers);
    for (std::uint32_t block = 0; block < 16; ++block)
      ++blocks_of[RowOwner::of(8 * block, workers)];
    for (const int blocks : blocks_of) EXPECT_NEAR(blocks, 16. / workers, 1) << workers;
  }
}

TEST(RowOwnerTest, WorkersGetSimilarShares) {
  constexpr std::uint32_t blocks = 1000, workers = 4;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    std::uint32_t owned = 0;
    for (std::uint32_t block = 0; block < blocks; ++block)
      owned += RowOwner{worker, workers}.owns(8 * block) ? 1 : 0;
    EXPECT_GT(owned, blocks / workers * 9 / 10) << "worker " << worker;
    EXPECT_LT(owned, blocks / workers * 11 / 10) << "worker " << worker;
  }
}

/// A number that tells its place: row, state (0: the value) and column.
float kept_number(std::int64_t row, int state, std::int64_t column) {
  return static_cast<float>(100 * row + 10 * state + column);
}

/// Fills values and states of a parameter of 7 rows, 3 columns and 2 states.
void fill_kept(DenseParameter& parameter) {
  for (std::int64_t row = 0; row < 7; ++row)
    for (std::int64_t c = 0; c < 3; ++c) {
      const auto at = static_cast<std::size_t>(row * 3 + c);
      parameter.all_values()[at] = kept_number(row, 0, c);
      for (const int s : {0, 1}) parameter.state(s)[at] = kept_number(row, s + 1, c);
    }
}
void fill_kept(EmbeddingTable& table) {
  for (std::int64_t row = 0; row < 7; ++row)
    for (int s = 0; s < 3; ++s)
      for (std::int64_t c = 0; c < 3; ++c) table.record(row)[s * 3 + c] = kept_number(row, s, c);
}

template <class T>
class KeptTest : public ::testing::Test {};
using Kinds = ::testing::Types<DenseParameter, EmbeddingTable>;
TYPED_TEST_SUITE(KeptTest, Kinds);

TYPED_TEST(KeptTest, IsAllOfARowThatOutlastsAStep) {
  TypeParam parameter("p", 7, 3);
  parameter.attach_states(2);
  fill_kept(parameter);
  ASSERT_EQ(parameter.kept_per_row(), 3 * (1 + 2));
  std::vector<float> rows(2 * 9);
  parameter.copy_kept(4, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i], kept_number(4 + static_cast<std::int64_t>(i / 9),
                                   static_cast<int>(i % 9 / 3), static_cast<std::int64_t>(i % 3)))
        << i;

  TypeParam other("p", 7, 3);
  other.attach_states(2);
  std::vector<float> all(7 * 9);
  parameter.copy_kept(0, all);
  other.assign_kept(0, std::span(all).first(5 * 9));
  other.assign_kept(5, std::span(all).last(2 * 9));
  std::vector<float> again(7 * 9);
  other.copy_kept(0, again);
  EXPECT_EQ(again, all);
  EXPECT_EQ(other.values(), parameter.values());
  if constexpr (std::same_as<TypeParam, EmbeddingTable>) expect_idle(other);
}

TYPED_TEST(KeptTest, IsTheValuesWithoutAnOptimizer) {
  TypeParam parameter("p", 2, 1);
  parameter.assign(std::vector{3.0f, 4.0f});
  std::vector<float> rows(2);
  parameter.copy_kept(0, rows);
  EXPECT_THAT(rows, ElementsAre(3, 4));
}

}  // namespace
}  // namespace ultr::parameter_test
