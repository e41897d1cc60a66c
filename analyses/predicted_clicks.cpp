#include "analyses/predicted_clicks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "data/log/click_of.h"
#include "metrics/bias/additive_clicks.h"
#include "options/config_tree.h"
#include "runs/pair_scores.h"
#include "training/predictor.h"

namespace ultr {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

bool same_scaling(const FeatureScaling& a, const FeatureScaling& b) {
  return a.sentinel() == b.sentinel() && a.log1p() == b.log1p() &&
         std::equal(a.statistics().begin(), a.statistics().end(), b.statistics().begin(),
                    b.statistics().end(),
                    [](const FeatureScaling::Feature& x, const FeatureScaling::Feature& y) {
                      return x.low == y.low && x.high == y.high && x.mean == y.mean &&
                             x.deviation == y.deviation;
                    });
}

void expect_same_features(const SavedModel& saved, const ExperimentData& data) {
  const std::size_t found = data.scaling ? data.scaling->features() : 0;
  if (saved.features() == 0) return;
  if (saved.features() != found)
    throw ConfigError(fmt::format("{}: was trained on {} features; expected {}, as in the data",
                                  saved.run().string(), saved.features(), found));
  if (!same_scaling(*saved.scaling(), *data.scaling))
    throw ConfigError(
        fmt::format("{}: was trained on features that are scaled differently from the data's; "
                    "expected a run of the same training data",
                    saved.run().string()));
}

/// The sessions of a sample with the rows of a trained run's dictionary.
struct SessionsOfRun {
  SessionLog log{};
  std::size_t known = 0;  // documents in the dictionary
};

SessionsOfRun sessions_of_run(const SavedModel& saved, const Dataset& dataset,
                              const std::vector<std::uint32_t>& sessions) {
  const std::vector<std::uint64_t> queries = dataset.dictionary.queries(),
                                   documents = dataset.dictionary.documents();  // by row
  SessionsOfRun result;
  std::vector<float> features(saved.features());  // row 0
  for (const std::uint32_t s : sessions) {
    SessionView session = dataset.train[s];
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < session.rows.size(); ++i) {
      const std::uint32_t row = session.rows[i];
      rows.push_back(saved.dictionary().find(queries[row], documents[row]));
      result.known += rows.back() != PairDictionary::unknown ? 1 : 0;
      if (saved.features() == 0) continue;
      const auto its = document_features(dataset, dataset.train, s, i);
      features.insert(features.end(), its.begin(), its.end());
    }
    session.rows = rows;
    result.log.add(session);
  }
  if (saved.features() > 0)
    result.log.set_features({std::move(features), static_cast<std::int64_t>(saved.features()),
                             static_cast<std::int64_t>(saved.bias_columns().count())});
  return result;
}

}  // namespace

PredictedClicks clicks_by_run(const SavedModel& saved, const ExperimentData& data,
                              const DocumentSample& sample, int threads) {
  const std::string run = saved.run().string();
  Predictor predictor(saved.model(), threads);
  if (!predictor.predicts_clicks())
    throw ConfigError(fmt::format("{}: its {} only ranks; expected a model that predicts clicks",
                                  run, saved.model().type()));
  expect_same_features(saved, data);
  const auto [log, known] = sessions_of_run(saved, data.dataset, sample.sessions);
  if (predictor.reads_dictionary() && known == 0 && log.documents() > 0)
    refuse_unknown_pairs(saved);
  return {.model = fmt::format("{} of {}", saved.model().type(), run),
          .clicks = predictor.click(log)};
}

PredictedClicks clicks_by_pairs(const Dataset& dataset, const PairPositionCounts& train,
                                const DocumentSample& sample, int threads) {
  const AdditiveClicks fit = fit_additive_clicks(train, threads);
  PredictedClicks predicted{
      .model = "additive two-tower model with one parameter per query-document pair"};
  if (!fit.settled)
    predicted.notes.emplace_back(
        "residuals: the additive model was still changing when its fit ended; more sweeps may "
        "change its residuals");
  for (const std::uint32_t s : sample.sessions) {
    const SessionView session = dataset.train[s];
    for (std::size_t i = 0; i < session.rows.size(); ++i)
      predicted.clicks.push_back(fit.click(session.rows[i], session.positions[i]));
  }
  return predicted;
}

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
      residuals.push_back(
          {.rank = session.positions[i],
           .group = session.query,
           .residual = static_cast<double>(click_of(session, i)) - predicted.clicks[document],
           .policy_score = policy_scores.empty() ? not_known : policy_scores[document]});
    }
  }
  return residuals;
}

}  // namespace ultr
