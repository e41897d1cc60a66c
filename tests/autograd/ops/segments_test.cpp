#include "autograd/ops/segments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/gradient.h"
#include "testing/not_finite.h"
#include "testing/tensors.h"

namespace ultr::segments_test {
namespace {

using testing::infinity;
using testing::segments_on;
using testing::variable;
using Numbers = std::vector<double>;
using Offsets = std::vector<std::uint32_t>;

Offsets offsets_of(const std::vector<std::uint32_t>& lengths) {
  Offsets offsets = {0};
  for (const std::uint32_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Compares a segmented op, value and gradient, with a dense op on each segment alone.
class AgainstDenseTest : public ::testing::TestWithParam<Precision> {
 protected:
  void expect_equal(Tensor (*segmented)(Tensor, Segments), Tensor (*dense)(Tensor)) {
    const Numbers x = testing::draw({-3, 3, offsets_.back()}, 1);
    Tape tape(GetParam());
    const Tensor whole = variable(tape, x), y = segmented(whole, segments_on(tape, offsets_));
    const Numbers weights = testing::draw({-1, 1, y.values().size()}, 2);
    tape.backward(sum(y * testing::constant(tape, weights)));
    const Numbers values = y.values(), gradients = whole.gradient();
    const double tolerance = GetParam() == Precision::float32 ? 2e-6 : 1e-14;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
      Tape alone(GetParam());
      const Tensor piece = variable(alone, {x.begin() + offsets_[i], x.begin() + offsets_[i + 1]});
      const Tensor z = dense(piece);
      const Numbers expected = z.values();
      const auto from = weights.begin() + static_cast<std::ptrdiff_t>(at);
      const Numbers part(from, from + static_cast<std::ptrdiff_t>(expected.size()));
      alone.backward(sum(z * alone.constant(z.shape(), part)));
      for (const double value : expected) EXPECT_NEAR(values[at++], value, tolerance);
      for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k)
        EXPECT_NEAR(gradients[k], piece.gradient()[k - offsets_[i]], tolerance);
    }
    EXPECT_EQ(at, values.size());
  }
  const Offsets offsets_ = offsets_of({1, 5, 8, 16, 17, 2, 40});
};

INSTANTIATE_TEST_SUITE_P(Precisions, AgainstDenseTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(AgainstDenseTest, Sum) {
  expect_equal(segment_sum, [](Tensor x) { return sum(x); });
}
TEST_P(AgainstDenseTest, Logsumexp) {
  expect_equal(segment_logsumexp, [](Tensor x) { return logsumexp(x); });
}
TEST_P(AgainstDenseTest, LogSoftmax) { expect_equal(segment_log_softmax, log_softmax); }

TEST(SegmentsTest, EmptySegmentsAnywhere) {
  Tape tape(Precision::float64);
  const Offsets offsets = offsets_of({0, 2, 0, 0, 1, 0});
  const Segments segments = segments_on(tape, offsets);
  const Tensor x = variable(tape, {1, 2, 5});
  EXPECT_EQ(segment_sum(x, segments).values(), (Numbers{0, 1 + 2, 0, 0, 5, 0}));
  const Tensor norms = segment_logsumexp(x, segments);
  const double norm = std::log(std::exp(1) + std::exp(2));
  EXPECT_EQ(norms.values()[0], -infinity);
  EXPECT_DOUBLE_EQ(norms.values()[1], norm);
  EXPECT_EQ(norms.values()[4], 5);
  EXPECT_EQ(norms.values()[5], -infinity);
  const Numbers shares = segment_log_softmax(x, segments).values();
  EXPECT_DOUBLE_EQ(shares[0], 1 - norm);
  EXPECT_EQ(shares[2], 0);
  EXPECT_EQ(segment_ranks(x, segments).values(), (Numbers{2, 1, 1}));
  tape.backward(sum(segment_sum(x, segments) * testing::constant(tape, {9, 1, 9, 9, 2, 9})));
  EXPECT_EQ(x.gradient(), (Numbers{1, 1, 2}));
}

TEST(SegmentsTest, SharesSumToOneUnlessThereIsNothingToShare) {
  Tape tape(Precision::float64);
  const Offsets offsets = offsets_of({3, 2, 0, 1});
  const Tensor x = variable(tape, {1, 0, 3, 0, 0, 5});
  const Tensor shares = segment_shares(x, segments_on(tape, offsets));
  EXPECT_EQ(shares.values(), (Numbers{1. / 4, 0, 3. / 4, 0, 0, 1}));
  tape.backward(sum(shares * testing::constant(tape, {8, 9, 9, 9, 9, 9})));
  const double mean = 8 * 1. / 4 + 9 * 3. / 4;
  EXPECT_EQ(x.gradient(), (Numbers{(8 - mean) / 4, (9 - mean) / 4, (9 - mean) / 4, 0, 0, 0}));
}

TEST(SegmentsTest, NoSegmentsAtAll) {
  Tape tape;
  const Offsets offsets = {0};
  const Segments segments = segments_on(tape, offsets);
  const Tensor none = variable(tape, {});
  EXPECT_TRUE(segment_sum(none, segments).values().empty());
  EXPECT_TRUE(segment_log_softmax(none, segments).values().empty());
}

TEST(SegmentsTest, ImpossibleElementsAndSegments) {
  Tape tape(Precision::float64);
  const Offsets offsets = offsets_of({2, 2});
  const Segments segments = segments_on(tape, offsets);
  const Tensor x = variable(tape, {-infinity, 3, -infinity, -infinity});
  const Tensor norms = segment_logsumexp(x, segments), shares = segment_log_softmax(x, segments);
  EXPECT_EQ(norms.values(), (Numbers{3, -infinity}));
  EXPECT_EQ(shares.values(), (Numbers{-infinity, 0, -infinity, -infinity}));
  tape.backward(sum(norms) + sum(shares));
  EXPECT_EQ(x.gradient(), (Numbers{0, 1, 0, 0}));
}

TEST(SegmentsTest, RanksBreakTiesByInputOrder) {
  Tape tape;
  const Offsets offsets = offsets_of({5, 3});
  const Tensor x = variable(tape, {1, 3, 3, 2, 3, 7, 7, 8});
  const Tensor ranks = segment_ranks(x, segments_on(tape, offsets));
  EXPECT_EQ(ranks.values(), (Numbers{5, 1, 2, 4, 3, 2, 3, 1}));
  // Ranks have no gradient: the product's gradient comes from x alone.
  tape.backward(sum(x * ranks));
  EXPECT_EQ(x.gradient(), ranks.values());
}

TEST(SegmentsTest, RanksOfManyEqualsAndOfNaNAreARanking) {
  const std::size_t n = 500;
  Tape tape;
  const Offsets offsets = {0, static_cast<std::uint32_t>(n)};
  Numbers x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = i % 3 == 0 ? std::nan("") : static_cast<double>(i * i % 7);
  const Numbers ranks = segment_ranks(variable(tape, x), segments_on(tape, offsets)).values();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(x[b]) ? !std::isnan(x[a]) : x[a] > x[b];
  });
  for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(ranks[order[k]], static_cast<double>(k + 1));
}

TEST(SegmentsTest, SizesAreBoundBeforeEachRun) {
  Tape tape(Precision::float64);
  const Extent rows = tape.extent(10), offset_count = tape.extent(5), count = tape.extent(4);
  const Segments segments = make_segments(tape, offset_count, count);
  const Tensor x = tape.input(Shape::vector(rows)), y = segment_sum(x, segments);
  const Numbers numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (const auto& lengths : {std::vector<std::uint32_t>{1, 2, 3, 4}, {}, {5, 2}, {7}}) {
    const Offsets offsets = offsets_of(lengths);
    tape.bind(rows, offsets.back());
    tape.bind(count, static_cast<std::int64_t>(lengths.size()));
    tape.bind(offset_count, static_cast<std::int64_t>(offsets.size()));
    tape.bind(x, std::span(numbers).first(offsets.back()));
    tape.bind(segments.offsets, offsets);
    tape.replay();
    Numbers expected;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      expected.push_back(
          std::accumulate(numbers.begin() + offsets[i], numbers.begin() + offsets[i + 1], 0.0));
    EXPECT_EQ(y.values(), expected);
  }
}

TEST(SegmentsTest, OffsetsThatDoNotFitAreErrors) {
  const auto error_of = [](const Offsets& offsets) {
    Tape tape;
    const Tensor y = segment_sum(variable(tape, {1, 2, 3}), segments_on(tape, offsets));
    return testing::shape_error([&] { y.values(); });
  };
  EXPECT_EQ(error_of({1, 2, 3}), "segment_sum: offsets go from 1 to 3; expected 0 to 3");
  EXPECT_EQ(error_of({0, 2, 4}), "segment_sum: offsets go from 0 to 4; expected 0 to 3");
  EXPECT_EQ(error_of({0, 2, 1, 3}), "segment_sum: segment 1 goes from 2 to 1");
  EXPECT_EQ(error_of({0, 9, 3}), "segment_sum: segment 1 goes from 9 to 3");
}

TEST(SegmentsTest, CountsThatDoNotFitAreErrors) {
  Tape tape, other;
  EXPECT_EQ(testing::shape_error([&] { make_segments(tape, 3, 3); }),
            "make_segments: 3 offsets for 3 segments; expected 4");
  const Extent offset_count = tape.extent(4), count = tape.extent(3);
  const Segments segments = make_segments(tape, offset_count, count);
  const Offsets offsets = {0, 1, 2, 3};
  tape.bind(count, 2);
  tape.bind(segments.offsets, offsets);
  const Tensor x = variable(tape, {1, 2, 3}), y = segment_sum(x, segments);
  EXPECT_EQ(testing::shape_error([&] { y.values(); }),
            "segment_sum: 4 offsets for 2 segments; expected 3");
  EXPECT_EQ(testing::shape_error([&] {
              segment_ranks(variable(tape, 1, 2, {1, 2}), segments);
            }),
            "segment_ranks: x is [1, 2]; expected a vector");
  EXPECT_EQ(testing::shape_error([&] { segment_sum(variable(other, {1}), segments); }),
            "segment_sum: the operands are on different tapes");
}

/// Returns -Σ (y_i / Σ y) log softmax(x)_i of each segment, or 0 where all labels are 0.
Tensor softmax_cross_entropy(Tensor scores, Tensor labels, Segments segments) {
  Tape& tape = scores.tape();
  const Tensor totals = segment_sum(labels, segments);
  const Tensor nothing = testing::constant(tape, Numbers(totals.values().size(), 0));
  const Tensor loss = -segment_sum(labels * segment_log_softmax(scores, segments), segments);
  return where(greater(totals, nothing), loss / totals, 0.0);
}

TEST(SoftmaxGoldenTest, CrossEntropyIsACompositionOfSegmentLogSoftmax) {
  ULTR_NEEDS_GOLDEN();
  const auto golden = testing::read_golden("losses.json");
  std::size_t checked = 0;
  for (const auto& list : golden["cases"]) {
    if (list["type"] != "list") continue;
    for (const std::string labels : {"clicks", "grades"}) {
      const std::string field = "softmax_ce_" + labels;
      SCOPED_TRACE(list["name"].get<std::string>() + " " + field);
      const auto& expected = list["losses"][field];
      // Missing documents are left out before anything is computed.
      Numbers scores, targets, gradient;
      for (std::size_t i = 0; i < list["mask"].size(); ++i) {
        if (list["mask"][i] == 0) continue;
        scores.push_back(list["scores"][i]);
        targets.push_back(list[labels][i]);
        gradient.push_back(expected["grad_scores"][i]);
      }
      Tape tape(Precision::float64);
      const Offsets offsets = {0, static_cast<std::uint32_t>(scores.size())};
      const Tensor x = variable(tape, scores);
      const Tensor loss = sum(
          softmax_cross_entropy(x, testing::constant(tape, targets), segments_on(tape, offsets)));
      tape.backward(loss);
      const double value = expected["value"];
      EXPECT_NEAR(loss.item(), value, 1e-10 * std::max(1.0, std::abs(value)));
      for (std::size_t i = 0; i < scores.size(); ++i)
        EXPECT_NEAR(x.gradient()[i], gradient[i], 1e-9 * std::abs(gradient[i]) + 1e-300);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 2u * 14);
}

}  // namespace
}  // namespace ultr::segments_test
