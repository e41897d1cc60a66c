#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "losses/losses.h"
#include "testing/golden.h"
#include "testing/tensors.h"

namespace ultr::golden_losses_test {
namespace {

using nlohmann::json;
using testing::constant;
using testing::variable;
using Numbers = std::vector<double>;

/// A golden list on a tape. Masked documents are left out, but vectors by position keep their
/// entries.
class GoldenList {
 public:
  explicit GoldenList(const json& list) : list_(list) {
    for (std::size_t i = 0; i < list["mask"].size(); ++i)
      if (list["mask"][i] != 0) shown_.push_back(static_cast<std::uint32_t>(i));
    offsets_ = {0, static_cast<std::uint32_t>(shown_.size())};
    segments = make_segments(tape, 2, 1);
    tape.bind(segments.offsets, offsets_);
    scores = variable(tape, of_shown("scores"));
    examination = variable(tape, of_shown("exam_logits"));
    tplus = variable(tape, testing::golden_numbers(list["tplus"]));
    tminus = variable(tape, testing::golden_numbers(list["tminus"]));
  }

  Tensor clicks() { return constant(tape, of_shown("clicks")); }
  Tensor grades() { return constant(tape, of_shown("grades")); }
  Tensor weights() { return constant(tape, of_shown("weights")); }
  /// Looks up a vector by position for the documents that are shown.
  Tensor at_positions(Tensor by_position) {
    const Index index = tape.index(static_cast<std::int64_t>(shown_.size()));
    tape.bind(index, shown_);
    return take(by_position, index);
  }
  Index first_documents() {
    first_.assign(shown_.size(), 0);
    const Index index = tape.index(static_cast<std::int64_t>(first_.size()));
    tape.bind(index, first_);
    return index;
  }

  PairRatios ratios() { return {at_positions(tplus), at_positions(tminus)}; }
  Tensor norms() { return sum(abs(tplus)) + sum(abs(tminus)); }

  /// Expects that the loss, and all gradients that have golden values, agree with these.
  void expect(Tensor per_list, const json& golden) {
    const Tensor loss = sum(per_list);
    tape.backward(loss);
    expect_number(loss.item(), golden["value"], 1e-10, "value");
    expect_gradient(scores, golden, "grad_scores");
    expect_gradient(examination, golden, "grad_exam_logits");
    for (const auto& [ratio, name] : {std::pair(tplus, "grad_tplus"), {tminus, "grad_tminus"}}) {
      if (!golden.contains(name)) continue;
      const Numbers gradient = ratio.gradient();
      for (std::size_t i = 0; i < gradient.size(); ++i)
        expect_number(gradient[i], golden[name][i], 1e-9, name + ("[" + std::to_string(i) + "]"));
    }
  }

  static void expect_number(double actual, const json& expected, double relative,
                            const std::string& what) {
    const double number = testing::golden_number(expected);
    EXPECT_LE(std::abs(actual - number), relative * std::abs(number) + 1e-300)
        << what << ": got " << actual << ", expected " << number;
  }

  Tape tape{Precision::float64};
  Segments segments;
  Tensor scores, examination, tplus, tminus;

 private:
  Numbers of_shown(const char* field) const {
    Numbers numbers;
    for (const std::uint32_t i : shown_) numbers.push_back(list_[field][i].get<double>());
    return numbers;
  }

  void expect_gradient(Tensor of, const json& golden, const char* name) {
    if (!golden.contains(name)) return;
    const Numbers gradient = of.gradient();
    for (std::size_t i = 0; i < shown_.size(); ++i)
      expect_number(gradient[i], golden[name][shown_[i]], 1e-9,
                    name + ("[" + std::to_string(shown_[i]) + "]"));
  }

  const json& list_;
  std::vector<std::uint32_t> shown_, offsets_, first_;
};

/// Every loss of the golden file, as this library computes it.
const std::map<std::string, std::function<Tensor(GoldenList&)>>& golden_losses() {
  using L = GoldenList&;
  static const std::map<std::string, std::function<Tensor(L)>> losses = {
      {"pointwise_bce", [](L l) { return pointwise_loss(l.scores, l.clicks(), l.segments); }},
      {"softmax_ce_clicks", [](L l) { return softmax_loss(l.scores, l.clicks(), l.segments); }},
      {"softmax_ce_grades", [](L l) { return softmax_loss(l.scores, l.grades(), l.segments); }},
      {"pairwise_logistic_clicks",
       [](L l) { return pairwise_logistic(l.scores, l.clicks(), l.segments); }},
      {"pairwise_logistic_grades",
       [](L l) { return pairwise_logistic(l.scores, l.grades(), l.segments); }},
      {"lambdarank_clicks_unnormalised",
       [](L l) { return lambdarank_loss(l.scores, l.clicks(), l.segments, false); }},
      {"lambdarank_clicks_ndcg",
       [](L l) { return lambdarank_loss(l.scores, l.clicks(), l.segments, true); }},
      {"lambdarank_grades_unnormalised",
       [](L l) { return lambdarank_loss(l.scores, l.grades(), l.segments, false); }},
      {"lambdarank_grades_ndcg",
       [](L l) { return lambdarank_loss(l.scores, l.grades(), l.segments, true); }},
      {"ips_pointwise",
       [](L l) { return pointwise_loss(l.scores, l.clicks() * l.weights(), l.segments); }},
      {"ips_softmax_weighted_after_normalisation",
       [](L l) {
         return weighted_softmax_loss(l.scores, l.clicks(), l.weights(), l.segments,
                                      ClickWeighting::after_normalisation);
       }},
      {"ips_softmax_weighted_before_normalisation",
       [](L l) {
         return weighted_softmax_loss(l.scores, l.clicks(), l.weights(), l.segments,
                                      ClickWeighting::before_normalisation);
       }},
      {"dla",
       [](L l) {
         return dual_learning_loss(l.scores, l.examination, l.clicks(), l.segments,
                                   l.first_documents());
       }},
      {"regression_em",
       [](L l) { return regression_em_loss(l.scores, l.examination, l.clicks(), l.segments); }},
      {"paird_plain",
       [](L l) {
         return debiased_pairwise_loss(l.scores, l.clicks(), l.segments, l.ratios()) + l.norms();
       }},
      {"paird_delta_dcg",
       [](L l) {
         return debiased_lambdarank_loss(l.scores, l.clicks(), l.segments, false, l.ratios()) +
                l.norms();
       }},
      {"paird_delta_ndcg",
       [](L l) {
         return debiased_lambdarank_loss(l.scores, l.clicks(), l.segments, true, l.ratios()) +
                l.norms();
       }},
  };
  return losses;
}

TEST(LossesGoldenTest, EveryLossOfEveryList) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("losses.json");
  std::set<std::string> checked;
  for (const json& list : golden["cases"]) {
    if (list["type"] != "list") continue;
    for (const auto& [name, expected] : list["losses"].items()) {
      SCOPED_TRACE(list["name"].get<std::string>() + " " + name);
      ASSERT_TRUE(golden_losses().contains(name));
      GoldenList ours(list);
      ours.expect(golden_losses().at(name)(ours), expected);
      checked.insert(name);
    }
  }
  EXPECT_EQ(checked.size(), golden_losses().size());
}

TEST(LossesGoldenTest, WeightsOfDualLearning) {
  ULTR_NEEDS_GOLDEN();
  std::size_t checked = 0;
  const json golden = testing::read_golden("losses.json");
  for (const json& list : golden["cases"]) {
    if (list["type"] != "list" || !list["losses"].contains("dla")) continue;
    SCOPED_TRACE(list["name"].get<std::string>());
    GoldenList ours(list);
    for (const auto& [logits, name] : {std::pair(ours.examination, "relevance_loss_weights"),
                                       {ours.scores, "examination_loss_weights"}}) {
      const Numbers weights = dual_learning_weights(logits, ours.first_documents(), 10).values();
      Numbers expected;
      for (const json& weight : list["losses"]["dla"][name])
        if (!weight.is_null()) expected.push_back(weight);
      ASSERT_EQ(weights.size(), expected.size());
      for (std::size_t i = 0; i < weights.size(); ++i)
        GoldenList::expect_number(weights[i], expected[i], 1e-10, name);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0u);
}

TEST(LossesGoldenTest, WeightsOfPropensities) {
  ULTR_NEEDS_GOLDEN();
  std::size_t checked = 0;
  const json golden = testing::read_golden("losses.json");
  for (const json& list : golden["cases"]) {
    if (list["type"] != "ips_weights") continue;
    const Numbers propensities = testing::golden_numbers(list["examination"]);
    const Numbers weights = inverse_propensity_weights(
        propensities, propensities.size(),
        {.clip = 1 / list["max_weight"].get<double>(), .normalise = false});
    for (std::size_t i = 0; i < weights.size(); ++i, ++checked)
      GoldenList::expect_number(weights[i], list["weights"][i], 1e-10, "weight");
  }
  EXPECT_GT(checked, 0u);
}

}  // namespace
}  // namespace ultr::golden_losses_test
