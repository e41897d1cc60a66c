#include "losses/inverse_propensity.h"

#include <algorithm>
#include <cmath>

#include "autograd/arithmetic.h"
#include "dsl/model_options.h"
#include "losses/pointwise.h"
#include "losses/propensity_weights.h"
#include "losses/softmax.h"
#include "options/config_tree.h"

namespace ultr {

Tensor weighted_softmax_loss(Tensor scores, Tensor clicks, Tensor weights, Segments lists,
                             ClickWeighting weighting) {
  return weighting == ClickWeighting::after_normalisation
             ? softmax_loss(scores, clicks, lists, weights)
             : softmax_loss(scores, clicks * weights, lists);
}

InversePropensityLoss::InversePropensityLoss(ModelBuilder& build)
    : RankingLoss(build),
      base_(build.word("base", "softmax", {"softmax", "pointwise"},
                       "Loss that is computed on weighted clicks.")),
      clip_(
          build.number("clip", 0.1, at_least(0),
                       "Lower limit of propensities, τ: smaller ones are raised to it; 0: none.")),
      normalise_(build.boolean("normalise", true,
                               "Divide all propensities by that of the first position.")),
      weighting_(build.word("weighting", "after_normalisation",
                            {"after_normalisation", "before_normalisation"},
                            "Weight clicks after or before softmax normalises them to sum to 1 per "
                            "list; before, a single click loses its weight.") ==
                         "after_normalisation"
                     ? ClickWeighting::after_normalisation
                     : ClickWeighting::before_normalisation) {
  const GivenPropensities given = build.propensities(
      true, "CSV file with a column of positions, from 1, and one of propensities, e.");
  const ModelSetting* setting = build.setting();
  if (setting == nullptr) return;
  source_ = given.source;
  weights_ = inverse_propensity_weights(given.values, static_cast<std::size_t>(setting->positions),
                                        {.clip = clip_, .normalise = normalise_});
}

Tensor InversePropensityLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets(), weights = lists.at_positions(weights_);
  return base_ == "softmax"
             ? weighted_softmax_loss(r, clicks, weights, lists.segments(), weighting_)
             : pointwise_loss(r, clicks * weights, lists.segments());
}

bool InversePropensityLoss::predicts_clicks() const {
  // A weight that is below 1 or missing is not the inverse of a probability.
  return base_ == "pointwise" &&
         std::all_of(weights_.begin(), weights_.end(), [](double w) { return w >= 1; });
}

std::optional<Examination> InversePropensityLoss::story(const Session& session) const {
  if (!predicts_clicks()) return std::nullopt;
  std::vector<double> log_examination;
  for (const double w : weights_) log_examination.push_back(-std::log(w));
  return Examination{.examination = fixed_probability(session, log_examination),
                     .attraction = relevance(session)};
}

void InversePropensityLoss::check(const SessionLog& log) const {
  check_known(weights_, log, source_,
              normalise_ ? "one above 0 there and for position 1, or clip above 0"
                         : "one above 0, or clip above 0");
}

}  // namespace ultr
