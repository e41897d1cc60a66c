#include "losses/distill.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "testing/tensors.h"

// Losses that learn a teacher's scores, against their formulas in float64. Slopes and bounds are
// among the properties of all losses.

namespace ultr::distill_test {
namespace {

using testing::constant;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Pointwise;
using testing::variable;
using Numbers = std::vector<double>;

const Numbers student = {0.5, -1.5, 2, 0.25, -3}, teacher = {-2, 1.25, 0.5, -0.75, 4};

/// Two lists, of three documents and of two, on a tape.
class TwoLists {
 public:
  TwoLists(const Numbers& x, const Numbers& t)
      : scores(variable(tape, x)),
        teaching(constant(tape, t)),
        each(constant(tape, {1, 1, 1, 1, 1})) {
    tape.bind(segments.offsets, offsets_);
    tape.bind(numbers, list_numbers_);
  }

  Numbers slopes(Tensor loss) {
    tape.backward(sum(loss));
    return scores.gradient();
  }

  Tape tape{Precision::float64};
  Segments segments = make_segments(tape, 3, 2);
  Index numbers = tape.index(5);
  Tensor scores, teaching, each;

 private:
  std::vector<std::uint32_t> offsets_ = {0, 3, 5}, list_numbers_ = {0, 0, 0, 1, 1};
};

Numbers softmax(const Numbers& x, std::size_t first, std::size_t last, double temperature) {
  Numbers p;
  for (std::size_t i = first; i < last; ++i) p.push_back(std::exp(x[i] / temperature));
  const double all = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& one : p) one /= all;
  return p;
}

TEST(DistillTest, SoftmaxIsTheCrossEntropyOfDistributions) {
  for (const double temperature : {0.5, 1.0, 3.0}) {
    Numbers expected;
    for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>(0, 3), {3, 5}}) {
      const Numbers q = softmax(teacher, first, last, temperature),
                    p = softmax(student, first, last, temperature);
      double sum = 0;
      for (std::size_t i = 0; i < p.size(); ++i) sum -= q[i] * std::log(p[i]);
      expected.push_back(temperature * temperature * sum);
    }
    TwoLists on(student, teacher);
    EXPECT_THAT(softmax_distillation(on.scores, on.teaching, on.segments, temperature).values(),
                Pointwise(DoubleNear(1e-12), expected));
  }
}

TEST(DistillTest, SquaredDifferencesAreOfScores) {
  TwoLists on(student, teacher);
  EXPECT_THAT(squared_distillation(on.scores, on.teaching, on.segments).values(),
              Pointwise(DoubleNear(1e-12), Numbers{(6.25 + 7.5625 + 2.25) / 2, (1 + 49) / 2.0}));
}

TEST(DistillTest, MarginsAreThoseOfAllPairs) {
  Numbers expected;
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>(0, 3), {3, 5}}) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = i + 1; j < last; ++j)
        sum += std::pow(student[i] - student[j] - teacher[i] + teacher[j], 2);
    expected.push_back(sum / (2 * static_cast<double>(last - first)));
  }
  TwoLists on(student, teacher);
  EXPECT_THAT(
      margin_distillation(on.scores, on.teaching, on.segments, on.numbers, on.each).values(),
      Pointwise(DoubleNear(1e-12), expected));
}

TEST(DistillTest, SlopesAreZeroWhereStudentAndTeacherAgree) {
  Numbers shifted = teacher;
  for (std::size_t i = 0; i < 3; ++i) shifted[i] += 2;
  for (const Numbers& learned : {teacher, shifted}) {
    TwoLists softmax(learned, teacher), squared(learned, teacher), margins(learned, teacher);
    EXPECT_THAT(
        softmax.slopes(softmax_distillation(softmax.scores, softmax.teaching, softmax.segments, 2)),
        Each(DoubleNear(0, 1e-12)));
    EXPECT_THAT(
        margins.slopes(margin_distillation(margins.scores, margins.teaching, margins.segments,
                                           margins.numbers, margins.each)),
        Each(DoubleNear(0, 1e-12)));
    const bool same = learned == teacher;
    EXPECT_THAT(
        squared.slopes(squared_distillation(squared.scores, squared.teaching, squared.segments)),
        ::testing::ElementsAre(same ? 0 : 2, same ? 0 : 2, same ? 0 : 2, 0, 0))
        << "a common shift of a list's scores counts here alone";
  }
}

}  // namespace
}  // namespace ultr::distill_test
