#include "python/predictions.h"

#include <numeric>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sigmoid.h"
#include "base/threads/thread_limit.h"
#include "python/log_columns.h"
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
    sessions.set_features(trained.scaled(log.sessions->features()));
  }
  trained.model().story().check(sessions);
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

/// The documents of a row: how often they were shown and clicked, and at which positions.
struct PairCounts {
  std::vector<std::int64_t> impressions, clicks;
  std::vector<double> positions;
};

PairCounts count_pairs(const SessionLog& log, std::size_t rows) {
  PairCounts counts{std::vector<std::int64_t>(rows), std::vector<std::int64_t>(rows),
                    std::vector<double>(rows)};
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const std::uint32_t row = session.rows[k];
      ++counts.impressions[row];
      counts.clicks[row] += session.clicks[k];
      counts.positions[row] += session.positions[k] + 1.0;
    }
  }
  for (std::size_t row = 0; row < rows; ++row)
    counts.positions[row] /= static_cast<double>(counts.impressions[row]);
  return counts;
}

/// Returns the probability of relevance of all rows of the dictionary but the first, at the first
/// position.
std::vector<double> relevance_of_rows(const TrainedModel& trained) {
  Predictor predictor(trained.model(), trained.threads());
  if (!predictor.reads_dictionary() || trained.features() > 0 || trained.dictionary().is_hashed())
    throw DataError(
        "the model has no parameters of single query-document pairs; expected one that learns them "
        "(predict_clicks scores documents with any model)");
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  SessionLog lists;
  for (std::uint32_t row = 1; row < trained.dictionary().rows(); ++row)
    lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
  std::vector<double> relevance = predictor.relevance(lists);
  for (double& x : relevance) x = sigmoid(x);
  return relevance;
}

template <class T>
std::vector<T> without_first(std::vector<T> values) {
  values.erase(values.begin());
  return values;
}

}  // namespace

py::dict evaluate(const TrainedModel& trained, const ClickLog& log) {
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
  std::vector<double> relevance = computed(trained, [&] { return relevance_of_rows(trained); });
  const PairDictionary& dictionary = trained.dictionary();
  py::dict columns;
  columns["query"] = ids_array(without_first(dictionary.queries()), dictionary.names(),
                               trained.numbered_queries());
  columns["document"] = ids_array(without_first(dictionary.documents()), dictionary.names(),
                                  trained.numbered_documents());
  columns["relevance"] = array_of(std::move(relevance));
  if (trained.train() == nullptr) return columns;
  PairCounts counts = count_pairs(*trained.train(), static_cast<std::size_t>(dictionary.rows()));
  columns["impressions"] = array_of(without_first(std::move(counts.impressions)));
  columns["clicks"] = array_of(without_first(std::move(counts.clicks)));
  columns["mean_position"] = array_of(without_first(std::move(counts.positions)));
  return columns;
}

ClickLog sample(const TrainedModel& trained, const ClickLog& log, std::uint64_t seed) {
  return log.with_sessions(computed(trained, [&] {
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
