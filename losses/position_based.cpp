#include "losses/position_based.h"

#include <algorithm>
#include <cmath>

#include "autograd/arithmetic.h"
#include "autograd/logspace.h"
#include "autograd/segments.h"
#include "dsl/model_options.h"
#include "losses/propensity_weights.h"

namespace ultr {

Tensor position_based_loss(Tensor relevance, Tensor examination, Tensor targets, Segments lists,
                           const std::optional<Tensor>& weights) {
  const Tensor click = log_sigmoid(examination) + log_sigmoid(relevance);
  const Tensor none = log_not_both(examination, relevance);
  const Tensor log_likelihood = targets * click + (1 - targets) * none;
  return -segment_sum(weights ? *weights * log_likelihood : log_likelihood, lists);
}

PositionBasedLoss::PositionBasedLoss(ModelBuilder& build) : RankingLoss(build) {
  GivenPropensities given = build.propensities(
      false,
      "CSV file of fixed examination probabilities by position; without one they are learned.");
  source_ = given.source;
  if (!fixed()) {
    examination_ = build.parameter("examination", Domain::rank,
                                   "Examination logit of each rank, e, unless it is fixed.");
    return;
  }
  double largest = 1;
  if (given.estimated)
    for (const double p : given.values) largest = std::max(largest, std::isnan(p) ? 0 : p);
  for (double& p : given.values) p /= largest;
  logits_ = examination_logits(given.values, static_cast<std::size_t>(build.setting()->positions));
}

Tensor PositionBasedLoss::loss(const Lists& lists) const {
  const Tensor examination = fixed() ? lists.at_positions(logits_) : lists.logits(examination_);
  return position_based_loss(scores(lists), examination, lists.targets(), lists.segments());
}

std::optional<Examination> PositionBasedLoss::story(const Session& session) const {
  if (!fixed())
    return Examination{.examination = examination_(session), .attraction = relevance(session)};
  std::vector<double> log_examination;
  for (const double x : logits_) log_examination.push_back(-std::log1p(std::exp(-x)));
  return Examination{.examination = fixed_probability(session, log_examination),
                     .attraction = relevance(session)};
}

std::optional<PositionEffect> PositionBasedLoss::position_effect() const {
  if (fixed()) return std::nullopt;
  return PositionEffect{examination_, PositionEffect::Scale::probability};
}

void PositionBasedLoss::check(const SessionLog& log) const {
  if (fixed()) check_known(logits_, log, source_, "one above 0 and at most 1");
}

}  // namespace ultr
