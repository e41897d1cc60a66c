#include "python/predictions.h"

#include <numeric>

#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include "base/error.h"
#include "base/log.h"
#include "base/threads/thread_limit.h"
#include "python/logs/log_columns.h"
#include "runs/pair_relevance.h"
#include "sources/click_model_user.h"
#include "training/evaluation.h"
#include "training/predictor.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

/// Calls `compute` without the GIL and on the model's threads.
template <class Compute>
auto computed(const TrainedModel& trained, const Compute& compute) {
  const py::gil_scoped_release other_threads_run;
  const ThreadLimit limit(trained.threads());
  return compute();
}

/// Returns a log with the rows of the model's dictionary.
SessionLog bound(const TrainedModel& trained, const ClickLog& log) {
  SessionLog sessions = bind(log, trained.dictionary());
  if (trained.features() > 0) {
    if (log.features.size() != trained.features())
      throw DataError(
          fmt::format("the log has {} features; expected {} per document, as in training",
                      log.features.empty() ? "no" : fmt::format("{}", log.features.size()),
                      trained.features()));
    if (!trained.feature_names().empty()) expect_features(log, trained.feature_names(), "the log");
    sessions.set_features(trained.scaled(log.sessions->features()));
  }
  trained.model().check(sessions);
  return sessions;
}

/// Throws DataError if a log shows documents at positions that the model has not learned.
void expect_known_positions(const TrainedModel& trained, const SessionLog& sessions) {
  const auto known = static_cast<std::size_t>(trained.model().setting().positions);
  if (sessions.positions() > known)
    throw DataError(fmt::format(
        "the log shows documents at position {}; expected at most {}, the last one that "
        "the model knows",
        sessions.positions(), known));
}

/// Returns ids without that of the unknown row, which a dictionary without pairs does not have.
std::vector<std::uint64_t> without_unknown(std::vector<std::uint64_t> ids) {
  if (!ids.empty()) ids.erase(ids.begin());
  return ids;
}

}  // namespace

void expect_features(const ClickLog& log, const std::vector<std::string>& names,
                     const std::string& name) {
  if (log.features != names)
    throw DataError(fmt::format("{} has {}{}; expected {}, as in training", name,
                                log.features.empty() ? "no features" : "the features ",
                                fmt::join(log.features, ", "), fmt::join(names, ", ")));
}

void expect_clicks(const ClickLog& log, const std::string& name) {
  if (!log.has_clicks)
    throw DataError(fmt::format("{} has no clicks; expected a log with a column of them", name));
}

py::dict evaluate(const TrainedModel& trained, const ClickLog& log) {
  expect_clicks(log, "the log");
  const ClickEvaluation evaluation = computed(trained, [&] {
    const SessionLog sessions = bound(trained, log);
    expect_known_positions(trained, sessions);
    return evaluate_clicks(trained.model(), sessions, trained.options().train.mean(),
                           trained.threads());
  });
  py::dict values;
  for (const ClickMeasure& measure : evaluation.measures)
    std::visit(
        [&](auto compute) {
          const auto value = compute(evaluation);
          if constexpr (std::is_same_v<decltype(value), const std::vector<double>>)
            values[py::str(std::string(measure.name))] = array_of(value);
          else
            values[py::str(std::string(measure.name))] = value;
        },
        measure.compute);
  return values;
}

py::dict predict(const TrainedModel& trained, const ClickLog& log) {
  std::vector<double> relevance, click, given;
  computed(trained, [&] {
    const SessionLog sessions = bound(trained, log);
    Predictor predictor(trained.model(), trained.threads());
    relevance = predictor.relevance(sessions);
    if (!predictor.predicts_clicks()) return;
    click = predictor.click(sessions);
    given = predictor.click_given_clicks_above(sessions);
  });
  py::dict columns = columns_of(log);
  columns["relevance"] = array_of(std::move(relevance));
  if (click.empty()) return columns;
  columns["probability"] = array_of(std::move(click));
  columns["probability_given_clicks_above"] = array_of(std::move(given));
  return columns;
}

py::dict relevance(const TrainedModel& trained) {
  if (trained.features() > 0)
    throw DataError(
        "the model reads features of documents; expected one with parameters of pairs "
        "(predict_clicks scores documents with any model)");
  const PairDictionary& dictionary = trained.dictionary();
  const bool has_train = trained.train() != nullptr;
  const SessionLog none;
  const std::vector<PairRelevance> pairs = computed(trained, [&] {
    return pair_relevance(trained.model(), dictionary, has_train ? *trained.train() : none,
                          {.threads = trained.threads(), .intervals = has_train})
        .pairs;
  });
  const auto column = [&](const auto& value) {
    std::vector<decltype(value(pairs[0]))> values;
    for (const PairRelevance& pair : pairs) values.push_back(value(pair));
    return array_of(std::move(values));
  };
  using Pair = const PairRelevance&;
  py::dict columns;
  columns["query"] = ids_array(without_unknown(dictionary.queries()), dictionary.names(),
                               trained.numbered_queries());
  columns["document"] = ids_array(without_unknown(dictionary.documents()), dictionary.names(),
                                  trained.numbered_documents());
  columns["relevance"] = column([](Pair pair) { return pair.estimate.relevance; });
  if (!has_train) return columns;
  columns["lower"] = column([](Pair pair) { return pair.estimate.lower; });
  columns["upper"] = column([](Pair pair) { return pair.estimate.upper; });
  columns["impressions"] =
      column([](Pair pair) { return static_cast<std::int64_t>(pair.estimate.impressions); });
  columns["clicks"] = column([](Pair pair) { return static_cast<std::int64_t>(pair.clicks); });
  columns["mean_position"] = column([](Pair pair) { return pair.mean_position; });
  return columns;
}

ClickLog sample(const TrainedModel& trained, const ClickLog& log, std::uint64_t seed) {
  ClickLog sampled_log = log.with_sessions(computed(trained, [&] {
    SessionLog sessions = bound(trained, log);
    expect_known_positions(trained, sessions);
    const std::shared_ptr<const TrainableModel> model(std::shared_ptr<void>(), &trained.model());
    users_of_model(model, seed)()(sessions, 0);
    SessionLog sampled;  // with the rows of `log`
    for (std::size_t i = 0; i < sessions.sessions(); ++i) {
      SessionView session = (*log.sessions)[i];
      session.clicks = sessions[i].clicks;
      sampled.add(session);
    }
    if (!log.features.empty()) sampled.set_features(log.sessions->features());
    return sampled;
  }));
  sampled_log.has_clicks = true;
  return sampled_log;
}

py::object position_bias(const TrainedModel& trained) {
  const auto bias = computed(trained, [&] { return learned_position_bias(trained.model()); });
  if (!bias) return py::none();
  std::vector<std::int64_t> positions(bias->by_rank.size());
  std::iota(positions.begin(), positions.end(), std::int64_t{1});
  py::dict columns;
  columns["position"] = array_of(std::move(positions));
  columns[bias->additive ? "logit" : "examination"] = array_of(bias->by_rank);
  return columns;
}

py::dict parameters(const TrainedModel& trained) {
  py::dict all;
  for (const Parameter* parameter : trained.model().parameters()) {
    py::array values = array_of(parameter->values());
    if (parameter->columns() > 1)
      values = values.reshape({parameter->rows(), parameter->columns()});
    all[py::str(parameter->name())] = values;
  }
  return all;
}

}  // namespace ultr::python
