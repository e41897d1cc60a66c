#include "losses/position_based.h"

#include <cmath>

#include "autograd/arithmetic.h"
#include "autograd/logspace.h"
#include "autograd/segments.h"
#include "data/propensities.h"
#include "losses/propensity_weights.h"
#include "models/model_options.h"

namespace ultr {

Tensor position_based_loss(Tensor relevance, Tensor examination, Tensor targets, Segments lists,
                           const std::optional<Tensor>& weights) {
  const Tensor click = log_sigmoid(examination) + log_sigmoid(relevance);
  const Tensor none = log_not_both(examination, relevance);
  const Tensor log_likelihood = targets * click + (1 - targets) * none;
  return -segment_sum(weights ? *weights * log_likelihood : log_likelihood, lists);
}

PositionBasedLoss::PositionBasedLoss(ModelBuilder& build)
    : RankingLoss(build),
      propensities_(build.file("propensities",
                               "CSV file of examination probabilities by position, which are then "
                               "fixed; without one they are learned.")) {
  if (!fixed())
    examination_ = build.parameter("examination", Domain::rank,
                                   "Examination logit of each rank, e, unless it is fixed.");
  else
    logits_ = examination_logits(read_propensities(propensities_),
                                 static_cast<std::size_t>(build.setting()->positions));
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

void PositionBasedLoss::check(const SessionLog& log) const {
  if (fixed()) check_known(logits_, log, propensities_, "one above 0 and at most 1");
}

}  // namespace ultr
