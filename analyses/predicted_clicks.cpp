#include "analyses/predicted_clicks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "metrics/additive_clicks.h"
#include "options/config_tree.h"
#include "training/predictor.h"

namespace ultr {
namespace {

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
class SessionsOfRun {
 public:
  SessionsOfRun(const SavedModel& saved, const Dataset& dataset)
      : saved_(saved),
        dataset_(dataset),
        queries_(dataset.dictionary.queries()),
        documents_(dataset.dictionary.documents()) {}

  SessionLog of(const std::vector<std::uint32_t>& sessions) {
    SessionLog log;
    std::vector<float> features(saved_.features());  // row 0
    for (const std::uint32_t s : sessions) {
      SessionView session = dataset_.train[s];
      std::vector<std::uint32_t> rows;
      for (std::size_t i = 0; i < session.rows.size(); ++i) {
        const std::uint32_t row = session.rows[i];
        rows.push_back(saved_.dictionary().find(queries_[row], documents_[row]));
        known_ += rows.back() != PairDictionary::unknown ? 1 : 0;
        if (saved_.features() == 0) continue;
        const auto its = document_features(dataset_, dataset_.train, s, i);
        features.insert(features.end(), its.begin(), its.end());
      }
      session.rows = rows;
      log.add(session);
    }
    if (saved_.features() > 0)
      log.set_features({std::move(features), static_cast<std::int64_t>(saved_.features()),
                        static_cast<std::int64_t>(saved_.bias_columns().count())});
    return log;
  }
  std::size_t known() const { return known_; }

 private:
  const SavedModel& saved_;
  const Dataset& dataset_;
  std::vector<std::uint64_t> queries_, documents_;  // by row
  std::size_t known_ = 0;
};

}  // namespace

PredictedClicks clicks_by_run(const SavedModel& saved, const ExperimentData& data,
                              const DocumentSample& sample, int threads) {
  const std::string run = saved.run().string();
  Predictor predictor(saved.model(), threads);
  if (!predictor.predicts_clicks())
    throw ConfigError(fmt::format("{}: its {} only ranks; expected a model that predicts clicks",
                                  run, saved.model().type()));
  expect_same_features(saved, data);
  SessionsOfRun sessions(saved, data.dataset);
  const SessionLog log = sessions.of(sample.sessions);
  if (predictor.reads_dictionary() && sessions.known() == 0 && log.documents() > 0)
    throw DataError(
        fmt::format("{}: knows none of the query-document pairs of the training sessions; expected "
                    "a run that was trained on these pairs",
                    run));
  return {.model = fmt::format("{} of {}", saved.model().type(), run),
          .clicks = predictor.click(log)};
}

PredictedClicks clicks_by_pairs(const Dataset& dataset, const DocumentSample& sample) {
  const AdditiveClicks fit = fit_additive_clicks(dataset.train);
  PredictedClicks predicted{
      .model = "additive two-tower model with one parameter per query-document pair", .clicks = {}};
  for (const std::uint32_t s : sample.sessions) {
    const SessionView session = dataset.train[s];
    for (std::size_t i = 0; i < session.rows.size(); ++i)
      predicted.clicks.push_back(fit.click(session.rows[i], session.positions[i]));
  }
  return predicted;
}

}  // namespace ultr
