#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "data/log/pair_dictionary.h"
#include "dsl/model_setting.h"
#include "layers/parameter.h"
#include "losses/pointwise.h"
#include "losses/position_based.h"
#include "losses/ranking_loss.h"
#include "losses/two_tower.h"

namespace ultr {

/// Counts how often the sessions of a query show a query-document pair at a position:
///
///     π(d, k | q) = sessions of q that show d at k / sessions of q
///
/// Entry `row * positions + position` belongs to a row of the dictionary and a 0-based position. Of
/// several logs, the first that shows the pair there is counted. The entry is 1 if none does, and
/// for the unknown pair, which stands for documents of many queries.
inline std::vector<float> display_propensities(std::span<const SessionLog* const> logs,
                                               std::size_t rows, std::size_t positions) {
  std::vector<float> propensities(rows * positions, 0.0f);
  for (const SessionLog* log : logs) {
    std::unordered_map<std::uint64_t, double> sessions_of_query;
    for (std::size_t i = 0; i < log->sessions(); ++i)
      sessions_of_query[(*log)[i].query] += (*log)[i].weight;
    // Counts first and divides once: counts are exact, whereas a sum of small shares would round.
    std::vector<double> shown(rows * positions), sessions_of_row(rows);
    for (std::size_t i = 0; i < log->sessions(); ++i) {
      const SessionView session = (*log)[i];
      const double sessions = sessions_of_query[session.query];
      for (std::size_t k = 0; k < session.rows.size(); ++k) {
        if (session.rows[k] == PairDictionary::unknown) continue;
        shown[session.rows[k] * positions + session.positions[k]] += session.weight;
        sessions_of_row[session.rows[k]] = sessions;
      }
    }
    for (std::size_t entry = 0; entry < shown.size(); ++entry)
      if (propensities[entry] == 0 && shown[entry] > 0)
        propensities[entry] = static_cast<float>(shown[entry] / sessions_of_row[entry / positions]);
  }
  std::replace(propensities.begin(), propensities.end(), 0.0f, 1.0f);
  return propensities;
}

/// A pointwise loss with documents weighted by 1/π(d, k | q), the inverse of the probability that
/// the logging policy shows them where they are (thesis, eq. 4.22), so that all pairs count alike
/// at all positions. π is the log's own if it has one, and is otherwise counted from the training
/// sessions; for pairs that these do not show at a position, from the held-out sessions that do.
/// The unknown pair, and all pairs of a model that is loaded without its training sessions, have
/// the weight 1.
class LoggingPolicyWeightsLoss final : public RankingLoss {
 public:
  explicit LoggingPolicyWeightsLoss(ModelBuilder& build)
      : RankingLoss(build),
        base_(build.word("base", "two_tower", {"two_tower", "pbm", "pointwise"},
                         "Loss whose documents are weighted.")) {
    if (base_ != "pointwise")
      examination_ =
          build.parameter("examination", Domain::rank,
                          "Bias or examination logit of each rank, e; unused by pointwise.");
    const ModelSetting* setting = build.setting();
    if (setting == nullptr || setting->train == nullptr) return;
    logged_ = setting->train->has_propensities();
    if (logged_) return;
    expect_countable(*setting);
    std::vector<const SessionLog*> logs = {setting->train};
    logs.insert(logs.end(), setting->held_out.begin(), setting->held_out.end());
    position_count_ = static_cast<std::size_t>(setting->positions);
    counted_ = display_propensities(logs, static_cast<std::size_t>(setting->rows), position_count_);
    counted_view_ = {.values = counted_.data(), .rows = static_cast<std::int64_t>(counted_.size())};
  }
  Tensor loss(const Lists& lists) const override {
    const Tensor r = scores(lists), clicks = lists.targets();
    const std::optional<Tensor> w = weights(lists);
    const Segments segments = lists.segments();
    if (base_ == "pointwise") return pointwise_loss(r, clicks, segments, w);
    const Tensor e = lists.logits(examination_);
    return base_ == "pbm" ? position_based_loss(r, e, clicks, segments, w)
                          : pointwise_loss(r + e, clicks, segments, w);
  }
  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    const Tensor r = scores(lists);
    const std::optional<Tensor> w = weights(lists);
    if (base_ == "two_tower") return pointwise_curvature(r + lists.logits(examination_), w);
    return base_ == "pbm" ? position_based_curvature(r, w) : pointwise_curvature(r, w);
  }
  /// The story of the loss without weights.
  std::optional<Examination> story(const Session& session) const override {
    if (base_ == "pointwise")
      return Examination{.examination = session.always(), .attraction = relevance(session)};
    if (base_ == "pbm")
      return Examination{.examination = examination_(session), .attraction = relevance(session)};
    return additive_clicks(session, score(session), examination_.logit(session));
  }
  bool predicts_clicks() const override { return true; }
  bool weights_likelihood() const override { return true; }
  /// Empty if the base is pointwise.
  std::optional<PositionEffect> position_effect() const override {
    if (base_ == "pointwise") return std::nullopt;
    return PositionEffect{examination_, base_ == "pbm" ? PositionEffect::Scale::probability
                                                       : PositionEffect::Scale::logit};
  }
  void check(const SessionLog& log) const override {
    if (!logged_) return;
    for (std::size_t i = 0; i < log.sessions(); ++i) {
      const std::span<const float> propensities = log[i].propensities;
      if (propensities.empty())
        throw DataError(
            "the training sessions have propensities of their logging policy, but others do not; "
            "expected all or none");
      for (const float propensity : propensities)
        if (!(propensity > 0))
          throw DataError(fmt::format(
              "a document was shown with a propensity of {} under the logging policy; expected a "
              "number above 0",
              propensity));
    }
  }

 private:
  /// Throws ConfigError if an index cannot tell all pairs at all positions apart, Error if memory
  /// is short of what their counts take.
  static void expect_countable(const ModelSetting& setting) {
    constexpr std::int64_t most = std::int64_t{1} << 32;
    if (setting.rows > most / setting.positions)
      throw ConfigError(fmt::format(
          "logging_policy_weights: {} pairs at {} positions; expected at most {} in all",
          setting.rows, setting.positions, most));
    expect_memory(static_cast<std::size_t>(setting.rows * setting.positions) *
                      (sizeof(float) + sizeof(double)),
                  "the counts of logging_policy_weights");
  }
  /// Returns the inverse propensities: [documents]; nothing if all are 1.
  std::optional<Tensor> weights(const Lists& lists) const {
    if (!logged_ && counted_.empty()) return std::nullopt;
    const Tensor propensities =
        logged_ ? lists.propensities()
                : stop_gradient(gather(lists.tape(), counted_view_,
                                       lists.pairs_at_positions(position_count_)));
    return lists.tape().constant(1) / propensities;
  }

  std::string base_;
  LogitParameter examination_;  // unless the base is pointwise
  bool logged_ = false;         // the training sessions have propensities
  std::size_t position_count_ = 0;
  std::vector<float> counted_;  // display_propensities; empty: none are counted
  ParameterView counted_view_;
};

}  // namespace ultr
