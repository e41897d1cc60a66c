#include "losses/inverse_propensity.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "data/log/click_of.h"
#include "dsl/model_setting.h"
#include "losses/pointwise.h"
#include "losses/propensity_weights.h"

namespace ultr {

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
                     : ClickWeighting::before_normalisation),
      policy_aware_(build.boolean("policy_aware", false,
                                  "Weight by the mean propensity of the positions at which "
                                  "training sessions show the document.")),
      self_normalise_(
          build.boolean("self_normalise", false,
                        "Divide weights by their mean over the clicks of the training sessions.")) {
  const GivenPropensities given = build.propensities(
      true, "CSV file with a column of positions, from 1, and one of propensities, e.");
  const ModelSetting* setting = build.setting();
  if (setting == nullptr) return;
  source_ = given.source;
  if (!given.estimated) from_file_ = given.values;
  const auto positions = static_cast<std::size_t>(setting->positions);
  weights_ =
      inverse_propensity_weights(given.values, positions, {.clip = clip_, .normalise = normalise_});
  if (policy_aware_) {
    shown_ = std::make_unique<const DisplayPositions>(*setting);
    propensities_.resize(positions);
    for (std::size_t k = 0; k < std::min(positions, given.values.size()); ++k)
      if (!std::isnan(given.values[k])) propensities_[k] = given.values[k];
  }
  if (self_normalise_ && setting->train != nullptr) scale_ = 1 / mean_click_weight(*setting->train);
}

Tensor InversePropensityLoss::weights(const Lists& lists) const {
  if (!policy_aware_) {
    const Tensor by_position = lists.at_positions(weights_);
    return self_normalise_ ? by_position * scale_ : by_position;
  }
  const Shape shape = Shape::vector(static_cast<std::int64_t>(propensities_.size()));
  const Tensor mean = shown_->mean(lists, lists.tape().constant(shape, propensities_));
  return lists.tape().constant(scale_ * numerator()) / maximum(mean, lists.tape().constant(clip_));
}

double InversePropensityLoss::weight(std::uint32_t row, std::uint16_t position) const {
  if (!policy_aware_) return weights_[position];
  return numerator() / std::max(shown_->mean(row, propensities_), clip_);
}

double InversePropensityLoss::mean_click_weight(const SessionLog& log) const {
  double weighted = 0, clicks = 0;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const double click = session.weight * static_cast<double>(click_of(session, k));
      if (click == 0) continue;
      weighted += click * weight(session.rows[k], session.positions[k]);
      clicks += click;
    }
  }
  return clicks > 0 ? weighted / clicks : 1;
}

Tensor InversePropensityLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets(), w = weights(lists);
  return base_ == "softmax" ? weighted_softmax_loss(r, clicks, w, lists.segments(), weighting_)
                            : pointwise_loss(r, clicks * w, lists.segments());
}

std::optional<Tensor> InversePropensityLoss::score_curvature(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets();
  if (base_ == "pointwise") return pointwise_curvature(r);
  const Tensor w = weights(lists);
  const bool after = weighting_ == ClickWeighting::after_normalisation;
  return softmax_curvature(r, after ? clicks : clicks * w, lists.segments(), lists.list_numbers(),
                           after ? std::optional(w) : std::nullopt);
}

std::optional<Examination> InversePropensityLoss::story(const Session& session) const {
  if (!predicts_clicks()) return std::nullopt;
  std::vector<double> log_examination;
  for (const double w : weights_) log_examination.push_back(-std::log(w));
  return Examination{.examination = fixed_probability(session, log_examination),
                     .attraction = relevance(session)};
}

bool InversePropensityLoss::predicts_clicks() const {
  // A weight that is below 1 or missing is not the inverse of a probability.
  return base_ == "pointwise" && !policy_aware_ && !self_normalise_ &&
         std::all_of(weights_.begin(), weights_.end(), [](double w) { return w >= 1; });
}

void InversePropensityLoss::check(const SessionLog& log) const {
  if (!from_file_.empty()) expect_all_positions(from_file_, log, source_);
  if (!policy_aware_)
    return check_known(weights_, log, source_,
                       normalise_ ? "one above 0 there and for position 1, or clip above 0"
                                  : "one above 0, or clip above 0");
  expect_clicks(propensities_, log, source_);
  if (numerator() == 0)
    throw DataError(fmt::format(
        "{}: the propensity of position 1 is 0; expected one above 0, or clip above 0", source_));
  for (std::size_t i = 0; clip_ == 0 && i < log.sessions(); ++i)
    for (const std::uint32_t row : log[i].rows)
      if (shown_->mean(row, propensities_) == 0)
        throw DataError(fmt::format(
            "{}: a document is shown only at positions of propensity 0; expected one above 0, or "
            "clip above 0",
            source_));
}

}  // namespace ultr
