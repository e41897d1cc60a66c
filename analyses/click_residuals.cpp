#include "analyses/click_residuals.h"

#include <cmath>
#include <limits>

namespace ultr {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<double> mean_rank_scores(const Dataset& dataset, const DocumentSample& sample) {
  struct Ranks {
    double sum = 0, count = 0;
  };
  std::vector<Ranks> by_row(static_cast<std::size_t>(dataset.dictionary.rows()));
  const SessionLog& log = dataset.train;
  for (std::size_t s = 0; s < log.sessions(); ++s) {
    const SessionView session = log[s];
    for (std::size_t i = 0; i < session.rows.size(); ++i) {
      Ranks& ranks = by_row[session.rows[i]];
      ranks.sum += session.positions[i];
      ++ranks.count;
    }
  }
  std::vector<double> scores;
  for (const std::uint32_t s : sample.sessions) {
    const SessionView session = log[s];
    for (std::size_t i = 0; i < session.rows.size(); ++i) {
      const Ranks& ranks = by_row[session.rows[i]];
      scores.push_back(session.rows[i] != 0 && ranks.count > 1
                           ? -(ranks.sum - session.positions[i]) / (ranks.count - 1)
                           : not_known);
    }
  }
  return scores;
}

std::vector<ClickResidual> click_residuals(const Dataset& dataset, const DocumentSample& sample,
                                           const PredictedClicks& predicted,
                                           const std::vector<double>& policy_scores) {
  std::vector<ClickResidual> residuals;
  std::size_t document = 0;
  for (const std::uint32_t s : sample.sessions) {
    const SessionView session = dataset.train[s];
    for (std::size_t i = 0; i < session.rows.size(); ++i, ++document) {
      if (std::isnan(predicted.clicks[document])) continue;
      const double clicked = session.targets.empty() ? static_cast<double>(session.clicks[i])
                                                     : static_cast<double>(session.targets[i]);
      residuals.push_back(
          {.rank = session.positions[i],
           .group = session.query,
           .residual = clicked - predicted.clicks[document],
           .policy_score = policy_scores.empty() ? not_known : policy_scores[document]});
    }
  }
  return residuals;
}

}  // namespace ultr
