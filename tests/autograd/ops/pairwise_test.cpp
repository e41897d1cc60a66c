#include "autograd/ops/pairwise.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "autograd/tape/tape.h"
#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/gradient.h"
#include "testing/tensors.h"

namespace ultr::pairwise_test {
namespace {

using testing::constant;
using testing::segments_on;
using testing::variable;
using Numbers = std::vector<double>;
using Offsets = std::vector<std::uint32_t>;

struct Lists {
  Offsets offsets = {0, 0, 1, 3, 20, 20, 60};
  Numbers scores = testing::draw({-3, 3, 60}, 1), order = grades(2);
  Numbers gain = grades(3), discount = testing::draw({0, 1, 60}, 4);
  Numbers winner = testing::draw({0.5, 2, 60}, 5), loser = testing::draw({0.5, 2, 60}, 6);

  /// Returns grades from 0 to 3, with many ties.
  static Numbers grades(unsigned seed) {
    Numbers numbers = testing::draw({0, 4, 60}, seed);
    for (double& x : numbers) x = std::floor(x);
    return numbers;
  }
};

/// The weights that a call has.
struct Weighted {
  bool gain, discount, winner, loser;
};

struct Outcome {
  Numbers value, scores, winner = Numbers(60), loser = Numbers(60);
};

/// Computes the loss by its definition, segment i weighted by i + 1.
Outcome by_definition(const Lists& lists, const Weighted& weighted) {
  Outcome out{{}, Numbers(60), Numbers(60), Numbers(60)};
  for (std::size_t s = 0; s + 1 < lists.offsets.size(); ++s) {
    double total = 0;
    const double weight = static_cast<double>(s) + 1;
    for (std::size_t i = lists.offsets[s]; i < lists.offsets[s + 1]; ++i)
      for (std::size_t j = lists.offsets[s]; j < lists.offsets[s + 1]; ++j) {
        if (lists.order[i] <= lists.order[j]) continue;
        const double gain = weighted.gain ? std::abs(lists.gain[i] - lists.gain[j]) : 1;
        const double discount =
            weighted.discount ? std::abs(lists.discount[i] - lists.discount[j]) : 1;
        const double winner = weighted.winner ? lists.winner[i] : 1;
        const double loser = weighted.loser ? lists.loser[j] : 1;
        const double apart = lists.scores[i] - lists.scores[j];
        const double loss = std::log1p(std::exp(-apart)), slope = -1 / (1 + std::exp(apart));
        total += gain * discount * winner * loser * loss;
        out.scores[i] += weight * gain * discount * winner * loser * slope;
        out.scores[j] -= weight * gain * discount * winner * loser * slope;
        if (weighted.winner) out.winner[i] += weight * gain * discount * loser * loss;
        if (weighted.loser) out.loser[j] += weight * gain * discount * winner * loss;
      }
    out.value.push_back(total);
  }
  return out;
}

Outcome by_op(const Lists& lists, const Weighted& weighted, Precision precision) {
  Tape tape(precision);
  const Segments segments = segments_on(tape, lists.offsets);
  const Tensor scores = variable(tape, lists.scores);
  const Tensor winner = variable(tape, lists.winner), loser = variable(tape, lists.loser);
  PairWeights weights;
  if (weighted.gain) weights.gain = constant(tape, lists.gain);
  if (weighted.discount) weights.discount = constant(tape, lists.discount);
  if (weighted.winner) weights.winner = winner;
  if (weighted.loser) weights.loser = loser;
  const Tensor y = pairwise_logistic(scores, constant(tape, lists.order), segments, weights);
  tape.backward(sum(y * constant(tape, {1, 2, 3, 4, 5, 6})));
  return {y.values(), scores.gradient(), winner.gradient(), loser.gradient()};
}

void expect_close(const Numbers& actual, const Numbers& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << i;
}

/// Checks that the op agrees with the definition, value and gradients, in both precisions.
void expect_equals_definition(const Lists& lists, const Weighted& weighted) {
  const Outcome expected = by_definition(lists, weighted);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Outcome actual = by_op(lists, weighted, precision);
    const double tolerance = precision == Precision::float32 ? 5e-6 : 1e-13;
    expect_close(actual.value, expected.value, tolerance);
    expect_close(actual.scores, expected.scores, tolerance);
    expect_close(actual.winner, expected.winner, tolerance);
    expect_close(actual.loser, expected.loser, tolerance);
  }
}

TEST(PairwiseTest, EqualsTheDoubleLoopWithAllCombinationsOfWeights) {
  const Lists lists;
  for (unsigned bits = 0; bits < 16; ++bits) {
    SCOPED_TRACE(bits);
    const Weighted weighted{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    expect_equals_definition(lists, weighted);
  }
}

TEST(PairwiseTest, CurvatureIsTheSecondDerivativeInEachScore) {
  const Lists lists;
  Numbers expected(lists.scores.size(), 0.0);
  for (std::size_t s = 0; s + 1 < lists.offsets.size(); ++s)
    for (std::size_t i = lists.offsets[s]; i < lists.offsets[s + 1]; ++i)
      for (std::size_t j = lists.offsets[s]; j < lists.offsets[s + 1]; ++j) {
        if (!(lists.order[i] > lists.order[j])) continue;
        const double u = std::exp(lists.scores[i] - lists.scores[j]);
        const double c = std::abs(lists.gain[i] - lists.gain[j]) *
                         std::abs(lists.discount[i] - lists.discount[j]) * lists.winner[i] *
                         lists.loser[j] * u / ((1 + u) * (1 + u));
        expected[i] += c;
        expected[j] += c;
      }
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Tape tape(precision);
    const Tensor scores = variable(tape, lists.scores);
    const Tensor y =
        pairwise_curvature(scores, constant(tape, lists.order), segments_on(tape, lists.offsets),
                           {constant(tape, lists.gain), constant(tape, lists.discount),
                            constant(tape, lists.winner), constant(tape, lists.loser)});
    expect_close(y.values(), expected, precision == Precision::float32 ? 5e-6 : 1e-13);
  }
}

TEST(PairwiseTest, ScoresThatAreFarApartAreExact) {
  Tape tape(Precision::float64);
  const Offsets offsets = {0, 2, 4};
  const Tensor scores = variable(tape, {1e4, -1e4, -700, 700});
  const Tensor y =
      pairwise_logistic(scores, constant(tape, {1, 0, 1, 0}), segments_on(tape, offsets));
  EXPECT_EQ(y.values(), (Numbers{0, 700 + 700}));
  tape.backward(sum(y));
  EXPECT_EQ(scores.gradient(), (Numbers{0, 0, -1, 1}));
}

TEST(PairwiseTest, ScoresInNoPairMayBeInfinite) {
  Tape tape(Precision::float64);
  const Offsets offsets = {0, 3};
  const Tensor scores = variable(tape, {0, 0, -HUGE_VAL});
  // The third certainly loses to the first; paired with itself or the second, it would give NaN or
  // infinity.
  const Tensor tied =
      pairwise_logistic(scores, constant(tape, {1, 0, 0}), segments_on(tape, offsets));
  EXPECT_DOUBLE_EQ(tied.item(), std::log(2));
  tape.backward(tied);
  EXPECT_EQ(scores.gradient(), (Numbers{-0.5, 0.5, 0}));
}

TEST(PairwiseTest, SegmentsAreIndependent) {
  const Offsets both = {0, 40, 43}, alone = {0, 3};
  const auto outcome = [](const Offsets& offsets, double before) {
    const std::size_t first = offsets[offsets.size() - 2], size = offsets.back();
    const auto numbers = [&](const Numbers& last) {
      Numbers all(first, before);
      all.insert(all.end(), last.begin(), last.end());
      return all;
    };
    Tape tape(Precision::float64);
    const Tensor scores = variable(tape, numbers({0.5, 1, -2}));
    const Tensor winner = variable(tape, numbers({1, 2, 3})),
                 loser = variable(tape, numbers({3, 5, 7}));
    const Tensor y = pairwise_logistic(
        scores, constant(tape, numbers({0, 2, 1})), segments_on(tape, offsets),
        {constant(tape, numbers({1, 3, 4})), constant(tape, numbers({1, 2, 4})), winner, loser});
    tape.backward(sum(slice(y, {static_cast<std::int64_t>(offsets.size()) - 2, 1})));
    Numbers all = {y.values().back()};
    for (const Tensor& x : {scores, winner, loser}) {
      const Numbers gradient = x.gradient();
      all.insert(all.end(), gradient.end() - 3, gradient.end());
    }
    EXPECT_EQ(size, first + 3);
    return all;
  };
  const Numbers expected = outcome(alone, 0);
  for (const double before : {1.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_EQ(outcome(both, before), expected) << before;
}

/// Scores close enough to multiply powers, and scores too far apart.
TEST(PairwiseTest, AnyDistanceOfScores) {
  for (const double scale : {1e-3, 1.0, 10.0, 25.0, 100.0}) {
    SCOPED_TRACE(scale);
    Lists lists;
    for (double& score : lists.scores) score = static_cast<float>(7 + scale * score);
    const Weighted weighted{true, true, true, true};
    expect_equals_definition(lists, weighted);
  }
}

TEST(PairwiseTest, NotANumberIsInNoPair) {
  Tape tape(Precision::float64);
  const Offsets offsets = {0, 4};
  const Tensor scores = variable(tape, {0, 1, 2, 3});
  const Tensor order = constant(tape, {1, std::nan(""), std::nan(""), 0});
  const Tensor y = pairwise_logistic(scores, order, segments_on(tape, offsets));
  EXPECT_DOUBLE_EQ(y.item(), std::log1p(std::exp(3)));
  tape.backward(y);
  EXPECT_EQ(scores.gradient()[1], 0);
  EXPECT_EQ(scores.gradient()[2], 0);
}

TEST(PairwiseTest, OrderGainAndDiscountPassNoGradient) {
  const Lists lists;
  Tape tape(Precision::float64);
  const Segments segments = segments_on(tape, lists.offsets);
  const Tensor scores = variable(tape, lists.scores), order = variable(tape, lists.order);
  const Tensor gain = variable(tape, lists.gain), discount = variable(tape, lists.discount);
  // Each also has a use through which a gradient flows.
  const Tensor loss =
      sum(order) + 2 * sum(gain) + 3 * sum(discount) +
      sum(pairwise_logistic(scores, 2 * order, segments, {1.0 * gain, 1.0 * discount, {}, {}}));
  tape.backward(loss);
  EXPECT_EQ(order.gradient(), Numbers(60, 1));
  EXPECT_EQ(gain.gradient(), Numbers(60, 2));
  EXPECT_EQ(discount.gradient(), Numbers(60, 3));
}

TEST(PairwiseTest, OneTensorMayPlayAllParts) {
  const Numbers x = {0.5, 2, 1};
  const auto loss = [](Tape& tape, std::span<const Tensor> tensors) {
    // The order is constant: finite differences would see it change.
    const Index offsets = tape.index(2);
    static const Offsets whole = {0, 3};
    tape.bind(offsets, whole);
    return pairwise_logistic(tensors[0], constant(tape, {1, 2, 0}), {offsets, 1},
                             {{}, {}, tensors[0], tensors[0]});
  };
  EXPECT_TRUE(testing::gradient_agrees(loss, {{"x", Shape::vector(3), x}}));
}

TEST(PairwiseTest, ErrorsNameTheInput) {
  Tape tape, other;
  const Offsets offsets = {0, 3}, short_offsets = {0, 2};
  const Tensor three = variable(tape, {1, 2, 3}), two = variable(tape, {1, 2});
  const Tensor matrix = variable(tape, 3, 1, {1, 2, 3}), elsewhere = variable(other, {1, 2, 3});
  const Segments segments = segments_on(tape, offsets);
  const std::string tail = "; expected two vectors of the same length";
  const auto call = [&](Tensor scores, Tensor order, const PairWeights& weights = {}) {
    return testing::shape_error([&] { pairwise_logistic(scores, order, segments, weights); });
  };
  EXPECT_EQ(call(matrix, three), "pairwise_logistic: scores is [3, 1], scores is [3, 1]" + tail);
  EXPECT_EQ(call(three, two), "pairwise_logistic: scores is [3], order is [2]" + tail);
  EXPECT_EQ(call(three, three, {two, {}, {}, {}}),
            "pairwise_logistic: scores is [3], gain is [2]" + tail);
  EXPECT_EQ(call(three, three, {{}, two, {}, {}}),
            "pairwise_logistic: scores is [3], discount is [2]" + tail);
  EXPECT_EQ(call(three, three, {{}, {}, two, {}}),
            "pairwise_logistic: scores is [3], winner is [2]" + tail);
  EXPECT_EQ(call(three, three, {{}, {}, {}, two}),
            "pairwise_logistic: scores is [3], loser is [2]" + tail);
  EXPECT_EQ(call(three, elsewhere), "pairwise_logistic: the operands are on different tapes");
  EXPECT_EQ(call(three, three, {{}, {}, elsewhere, {}}),
            "pairwise_logistic: the operands are on different tapes");
  const Tensor y = pairwise_logistic(three, three, segments_on(tape, short_offsets));
  EXPECT_EQ(testing::shape_error([&] { y.values(); }),
            "pairwise_logistic: offsets go from 0 to 2; expected 0 to 3");
}

// Golden losses
// ------------------------------------------------------------------------------------

/// One list of losses.json, without its missing documents, on a tape.
struct GoldenList {
  Tape tape{Precision::float64};
  std::vector<std::uint32_t> valid;  // positions of the documents that are not missing
  Offsets offsets;
  Segments segments;
  Tensor scores, labels;

  GoldenList(const nlohmann::json& list, const std::string& label_field) {
    Numbers score_values, label_values;
    for (std::uint32_t i = 0; i < list["mask"].size(); ++i) {
      if (list["mask"][i] == 0) continue;
      valid.push_back(i);
      score_values.push_back(list["scores"][i]);
      label_values.push_back(list[label_field][i]);
    }
    offsets = {0, static_cast<std::uint32_t>(valid.size())};
    segments = segments_on(tape, offsets);
    scores = variable(tape, score_values);
    labels = constant(tape, label_values);
  }

  Tensor gains() { return expm1(labels * std::log(2)); }  // 2^y - 1
  static Tensor discounts(Tensor ranks) { return 1 / std::log(2) * log1p(ranks); }
  PairWeights lambda_weights() {
    const Tensor one = tape.constant(1);
    return {gains(), one / discounts(segment_ranks(scores, segments)), {}, {}};
  }
  /// Returns loss / ideal DCG, or 0 where the ideal DCG is 0.
  Tensor normalised(Tensor loss) {
    const Tensor ideal =
        segment_sum(gains() / discounts(segment_ranks(labels, segments)), segments);
    return where(greater(ideal, constant(tape, {0})), loss / ideal, 0.0);
  }
  Tensor pairwise(const PairWeights& weights = {}) {
    return pairwise_logistic(scores, labels, segments, weights);
  }
};

void expect_number(double actual, double expected, double relative, const std::string& what) {
  EXPECT_LE(std::abs(actual - expected), relative * std::abs(expected))
      << what << ": got " << actual << ", expected " << expected;
}

/// Calls check(list, losses, label field) for every label field of every list.
template <class Check>
void for_each_golden_list(const std::vector<std::string>& label_fields, Check check) {
  std::size_t checked = 0;
  const nlohmann::json golden = testing::read_golden("losses.json");
  for (const auto& list : golden["cases"]) {
    if (list["type"] != "list") continue;
    for (const std::string& labels : label_fields) {
      SCOPED_TRACE(list["name"].get<std::string>() + " " + labels);
      check(list, list["losses"], labels);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 14 * label_fields.size());
}

void expect_loss(GoldenList& list, Tensor per_list, const nlohmann::json& golden) {
  const Tensor loss = sum(per_list);
  list.tape.backward(loss);
  expect_number(loss.item(), golden["value"], 1e-10, "value");
  const Numbers gradient = list.scores.gradient();
  for (std::size_t i = 0; i < list.valid.size(); ++i)
    expect_number(gradient[i], golden["grad_scores"][list.valid[i]], 1e-9,
                  "gradient of document " + std::to_string(list.valid[i]));
}

TEST(PairwiseGoldenTest, PairwiseLogistic) {
  ULTR_NEEDS_GOLDEN();
  for_each_golden_list({"clicks", "grades"},
                       [](const auto& json, const auto& losses, const auto& labels) {
                         GoldenList list(json, labels);
                         expect_loss(list, list.pairwise(), losses["pairwise_logistic_" + labels]);
                       });
}

TEST(PairwiseGoldenTest, LambdaRankIsACompositionOfRanksAndPairs) {
  ULTR_NEEDS_GOLDEN();
  for_each_golden_list(
      {"clicks", "grades"}, [](const auto& json, const auto& losses, const auto& labels) {
        GoldenList plain(json, labels), divided(json, labels);
        expect_loss(plain, plain.pairwise(plain.lambda_weights()),
                    losses["lambdarank_" + labels + "_unnormalised"]);
        expect_loss(divided, divided.normalised(divided.pairwise(divided.lambda_weights())),
                    losses["lambdarank_" + labels + "_ndcg"]);
      });
}

TEST(PairwiseGoldenTest, PairwiseDebiasingDividesByTheRatiosOfWinnerAndLoser) {
  ULTR_NEEDS_GOLDEN();
  for_each_golden_list({"clicks"}, [](const auto& json, const auto& losses, const auto& labels) {
    for (const std::string weight : {"plain", "delta_dcg", "delta_ndcg"}) {
      SCOPED_TRACE(weight);
      const auto& golden = losses["paird_" + weight];
      GoldenList list(json, labels);
      const Tensor tplus = variable(list.tape, testing::golden_numbers(json["tplus"]));
      const Tensor tminus = variable(list.tape, testing::golden_numbers(json["tminus"]));
      const Index positions = list.tape.index(static_cast<std::int64_t>(list.valid.size()));
      list.tape.bind(positions, list.valid);
      PairWeights weights;
      if (weight != "plain") weights = list.lambda_weights();
      const Tensor one = list.tape.constant(1);
      weights.winner = one / take(tplus, positions);
      weights.loser = one / take(tminus, positions);
      Tensor pairs = list.pairwise(weights);
      if (weight == "delta_ndcg") pairs = list.normalised(pairs);
      const Tensor norms = sum(abs(tplus)) + sum(abs(tminus));
      expect_loss(list, sum(pairs) + norms, golden);
      expect_number(pairs.values()[0], golden["pair_loss"], 1e-10, "pair loss");
      const Numbers to_plus = tplus.gradient(), to_minus = tminus.gradient();
      for (std::size_t i = 0; i < to_plus.size(); ++i) {
        expect_number(to_plus[i], golden["grad_tplus"][i], 1e-9, "t+ " + std::to_string(i));
        expect_number(to_minus[i], golden["grad_tminus"][i], 1e-9, "t- " + std::to_string(i));
      }
    }
  });
}

}  // namespace
}  // namespace ultr::pairwise_test
