#include "python/logs/log_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "data/tables/table_rows.h"
#include "python/logs/id_column.h"
#include "python/logs/number_column.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

constexpr std::int64_t largest_position = 65535;

/// The values of the columns, one per row; a column that the table does not have is empty.
struct Values {
  std::optional<IdColumn> session, query, document;
  std::vector<std::uint16_t> positions, clicks;
  std::vector<double> propensities;
  std::vector<std::uint64_t> times;
  std::optional<IdColumn> user, weight;
  std::vector<std::vector<double>> features;  // column by column
  SignalColumns signals;
};

/// Returns whole numbers from 1 to a billion, as the table format has it.
IdColumn weights_of(const PythonColumn& column) {
  constexpr std::uint64_t most_sessions = 1'000'000'000;
  IdColumn weights(column, nullptr);
  for (std::size_t row = 0; row < weights.ids().size(); ++row)
    if (const std::uint64_t weight = weights.ids()[row]; weight < 1 || weight > most_sessions)
      throw wrong_cell(
          column.name, row,
          fmt::format("{}; expected a whole number from 1 to {}",
                      weight >> 63 != 0 ? "a text or a negative number" : fmt::format("{}", weight),
                      most_sessions));
  return weights;
}

std::vector<double> finite_numbers(const PythonColumn& column) {
  std::vector<double> numbers = plain_numbers(column);
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (!std::isfinite(static_cast<float>(numbers[row])))
      throw wrong_cell(column.name, row, fmt::format("{}; expected a finite number", numbers[row]));
  return numbers;
}

std::vector<std::uint16_t> signal_values(Signal signal, const PythonColumn& column) {
  if (signal != Signal::dwell) return small_numbers(column, 0, 1, "0 or 1");
  std::vector<std::uint16_t> values;
  for (const double seconds : plain_numbers(column)) {
    if (!(seconds >= 0))
      throw wrong_cell(column.name, values.size(),
                       fmt::format("{}; expected a number from 0 up", seconds));
    values.push_back(dwell_of(seconds));
  }
  return values;
}

Values values_of(const LogColumns& columns, IdNames& names) {
  Values values;
  if (columns.session) values.session.emplace(*columns.session, nullptr);
  if (columns.query) values.query.emplace(*columns.query, &names);
  values.document.emplace(columns.document, &names);
  if (columns.position)
    values.positions = small_numbers(*columns.position, 0, largest_position,
                                     fmt::format("a whole number from 0 to {}", largest_position));
  if (columns.click) values.clicks = small_numbers(*columns.click, 0, 1, "0 or 1");
  if (columns.propensity) {
    values.propensities = plain_numbers(*columns.propensity);
    for (std::size_t row = 0; row < values.propensities.size(); ++row)
      if (!(static_cast<float>(values.propensities[row]) > 0 && values.propensities[row] <= 1))
        throw wrong_cell(
            columns.propensity->name, row,
            fmt::format("{}; expected a number above 0 (in float32, too) and at most 1",
                        values.propensities[row]));
  }
  if (columns.time) values.times = times_of(*columns.time);
  if (columns.user) values.user.emplace(*columns.user, nullptr);
  if (columns.weight) values.weight.emplace(weights_of(*columns.weight));
  for (const Signal signal : all_signals)
    if (const auto& column = columns.signals[signal])
      values.signals[signal] = signal_values(signal, *column);
  for (const PythonColumn& feature : columns.features)
    values.features.push_back(finite_numbers(feature));
  return values;
}

void expect_length(const std::optional<PythonColumn>& column, std::size_t rows) {
  if (!column) return;
  const std::size_t found = column->rows();
  if (found != rows)
    throw DataError(fmt::format("column '{}' has {} rows; expected {}, as the documents have",
                                column->name, found, rows));
}

std::uint16_t first_position(const LogColumns& columns, const TableRows& rows) {
  if (!columns.position || columns.first_position == "0") return 0;
  if (columns.first_position == "1" || rows.smallest_position() > 0) return 1;
  return 0;
}

/// Gathers the rows into lists.
TableRows gather(const Values& values) {
  const std::span<const std::uint64_t> documents = values.document->ids();
  PerSignal<bool> signals;
  for (const Signal signal : all_signals) signals[signal] = !values.signals[signal].empty();
  TableRows rows({.parts = {.propensities = !values.propensities.empty(),
                            .features = values.features.size(),
                            .signals = signals},
                  .times = !values.times.empty(),
                  .weights = values.weight.has_value(),
                  .row = "in row",
                  .session = "the sessions"});
  std::vector<float> features(values.features.size());
  struct {
    std::uint64_t query = 0, session = 0, user = 0;
  } last;
  std::uint32_t list = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::uint64_t query = values.query ? values.query->ids()[i] : 0;
    const std::uint64_t session = values.session ? values.session->ids()[i] : 0;
    const std::uint64_t user = values.user ? values.user->ids()[i] : 0;
    if (i == 0 || query != last.query || session != last.session || user != last.user) {
      std::uint64_t key = PairTable::hash(session, PairTable::hash(query));
      if (values.user) key = PairTable::hash(user, key);
      list = rows.list_of(key, query);
      last = {query, session, user};
    }
    const std::uint32_t rank = rows.count_rows(list, 1);
    if (values.positions.empty() && rank >= largest_position)
      throw DataError(fmt::format("row {}: its list has more than {} documents; expected fewer", i,
                                  largest_position));
    if (!values.times.empty()) rows.set_time(list, values.times[i]);
    if (values.weight) rows.set_weight(list, static_cast<double>(values.weight->ids()[i]));
    for (std::size_t f = 0; f < features.size(); ++f)
      features[f] = static_cast<float>(values.features[f][i]);
    PerSignal<std::uint16_t> its_signals;
    for (const Signal signal : all_signals)
      if (signals[signal]) its_signals[signal] = values.signals[signal][i];
    rows.add(
        list,
        {.document = documents[i],
         .position =
             values.positions.empty() ? static_cast<std::uint16_t>(rank) : values.positions[i],
         .click =
             values.clicks.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(values.clicks[i]),
         .propensity = values.propensities.empty() ? 0 : static_cast<float>(values.propensities[i]),
         .features = features,
         .signals = its_signals},
        i);
  }
  return rows;
}

std::vector<std::string> notes_of(const TableRows::Counts& counts, const LogColumns& columns) {
  std::vector<std::string> notes;
  if (counts.with_duplicates > 0)
    notes.push_back(fmt::format("{} of {} lists show a document twice, the first in row {}",
                                counts.with_duplicates, counts.lists, counts.first_duplicate_line));
  if (counts.at_first == 0)
    notes.push_back(
        "no list shows a document at the first position; expected positions that start there "
        "(first_position=)");
  if (columns.click && counts.clicks == 0)
    notes.push_back("no document is clicked; expected clicks to learn from");
  if (columns.click && counts.clicks == counts.documents)
    notes.push_back(
        "every document is clicked; expected the documents that were shown and not clicked, too");
  return notes;
}

}  // namespace

ClickLog build_log(const LogColumns& columns) {
  const std::size_t rows = columns.document.rows();
  if (rows == 0) throw DataError("the table has no rows; expected one row per shown document");
  for (const auto* column : {&columns.session, &columns.query, &columns.position, &columns.click,
                             &columns.propensity, &columns.time, &columns.user, &columns.weight})
    expect_length(*column, rows);
  for (const Signal signal : all_signals) expect_length(columns.signals[signal], rows);
  for (const PythonColumn& feature : columns.features) expect_length(feature, rows);
  PairDictionary pairs;
  const Values values = values_of(columns, pairs.names());
  SessionLog log;
  std::vector<float> features(columns.features.size());  // row 0
  TableRows::Counts counts;
  {
    const py::gil_scoped_release other_threads_run;
    TableRows lists = gather(values);
    std::vector<std::uint32_t> list_rows;
    lists.pass_on(
        first_position(columns, lists), {.max_positions = std::size_t{largest_position} + 1},
        [&](const RawList& list) {
          list_rows.resize(list.documents.size());
          pairs.add(list.query, list.documents, list_rows);
          for (std::uint64_t left = list.times("lists are repeated"); left > 0; --left) {
            log.add({.rows = list_rows,
                     .positions = list.positions,
                     .clicks = list.clicks,
                     .query = list.query,
                     .propensities = list.propensities,
                     .signals = spans_of(list.signals)});
            features.insert(features.end(), list.features.begin(), list.features.end());
          }
        },
        [](std::uint64_t row, const DataError& error) {
          throw DataError(fmt::format("row {}: {}", row, error.what()));
        },
        counts);
  }
  std::vector<std::string> names;
  for (const PythonColumn& feature : columns.features) names.push_back(feature.name);
  if (!features.empty())
    log.set_features({std::move(features), static_cast<std::int64_t>(columns.features.size()),
                      static_cast<std::int64_t>(columns.bias_features)});
  return {.pairs = std::make_shared<const PairDictionary>(std::move(pairs)),
          .sessions = std::make_shared<const SessionLog>(std::move(log)),
          .numbered_queries = !values.query || values.query->is_numbered(),
          .numbered_documents = values.document->is_numbered(),
          .has_clicks = columns.click.has_value(),
          .features = std::move(names),
          .notes = notes_of(counts, columns)};
}

}  // namespace ultr::python
