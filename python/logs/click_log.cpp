#include "python/logs/click_log.h"

#include <algorithm>

#include "base/error.h"

namespace ultr::python {
namespace {

/// Copies sessions, with other rows of their documents.
template <class RowOf>
SessionLog with_rows(const SessionLog& sessions, const RowOf& row_of) {
  SessionLog copy;
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < sessions.sessions(); ++i) {
    SessionView session = sessions[i];
    rows.resize(session.rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = row_of(session.rows[k]);
    session.rows = rows;
    copy.add(session);
  }
  return copy;
}

/// Returns the sessions for whose numbers `wanted` is true, with their features.
template <class Wanted>
SessionLog some_of(const SessionLog& sessions, const Wanted& wanted) {
  SessionLog chosen;
  const FeatureTable& table = sessions.features();
  std::vector<float> features(static_cast<std::size_t>(table.count()));  // row 0
  for (std::size_t i = 0; i < sessions.sessions(); ++i) {
    if (!wanted(i)) continue;
    chosen.add(sessions[i]);
    if (table.empty()) continue;
    const std::size_t first = sessions.first_document(i) + 1;
    for (std::size_t row = first; row < first + sessions.length(i); ++row) {
      const std::span<const float> its = table.row(static_cast<std::int64_t>(row));
      features.insert(features.end(), its.begin(), its.end());
    }
  }
  if (!table.empty()) chosen.set_features({std::move(features), table.count(), table.bias_count()});
  return chosen;
}

/// Adds the pairs of a log to a dictionary in the order in which sessions show them. Returns the
/// new row of each row of the log; pairs that no session shows get the unknown row.
std::vector<std::uint32_t> add_pairs(const ClickLog& log, PairDictionary& dictionary) {
  const std::vector<std::uint64_t> queries = log.pairs->queries(),
                                   documents = log.pairs->documents();
  std::vector<std::uint32_t> rows(queries.size(), PairDictionary::unknown);
  for (const std::uint32_t row : log.sessions->rows())
    if (row != PairDictionary::unknown && rows[row] == PairDictionary::unknown)
      rows[row] = dictionary.add(queries[row], documents[row]);
  return rows;
}

std::vector<std::uint32_t> find_pairs(const ClickLog& log, const PairDictionary& dictionary) {
  const std::vector<std::uint64_t> queries = log.pairs->queries(),
                                   documents = log.pairs->documents();
  std::vector<std::uint32_t> rows(queries.size(), PairDictionary::unknown);
  std::vector<bool> is_shown(queries.size());
  for (const std::uint32_t row : log.sessions->rows()) is_shown[row] = true;
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (is_shown[row]) rows[row] = dictionary.find(queries[row], documents[row]);
  return rows;
}

SessionLog in_rows(const SessionLog& sessions, const std::vector<std::uint32_t>& rows) {
  return with_rows(sessions, [&](std::uint32_t row) { return rows[row]; });
}

}  // namespace

ClickLog ClickLog::with_sessions(SessionLog other) const {
  ClickLog log = *this;
  log.sessions = std::make_shared<const SessionLog>(std::move(other));
  log.notes.clear();
  return log;
}

SplitLog split(const ClickLog& log, SplitShares shares) {
  const SessionLog& sessions = *log.sessions;
  shares.sessions = sessions.sessions();
  const auto part = [&](Split wanted) {
    return log.with_sessions(some_of(
        sessions, [&](std::size_t i) { return shares.of(i, sessions[i].query) == wanted; }));
  };
  SplitLog parts{part(Split::train), part(Split::valid), part(Split::test)};
  if (parts.train.sessions->sessions() == 0)
    throw DataError("no session is left to train on; expected smaller shares for valid and test");
  return parts;
}

FeatureLists lists_of(const ClickLog& log) {
  const SessionLog& sessions = *log.sessions;
  const std::vector<std::uint64_t> documents = log.pairs->documents();
  const auto copied = [](const auto& values) { return std::vector(values.begin(), values.end()); };
  FeatureColumns columns;
  columns.offsets = copied(sessions.offsets());
  columns.positions = copied(sessions.positions_shown());
  columns.propensities = copied(sessions.propensities());
  columns.feature_count = log.features.size();
  for (const Signal signal : all_signals) columns.signals[signal] = copied(sessions.signal(signal));
  if (log.has_clicks) columns.clicks = copied(sessions.clicks());
  std::vector<std::uint64_t> queries, ids;
  std::vector<float> features;
  for (std::size_t i = 0; i < sessions.sessions(); ++i) queries.push_back(sessions[i].query);
  for (const std::uint32_t row : sessions.rows()) ids.push_back(documents[row]);
  for (std::int64_t row = 1; row < sessions.features().rows(); ++row) {
    const std::span<const float> its = sessions.features().row(row);
    features.insert(features.end(), its.begin(), its.end());
  }
  columns.queries = std::move(queries);
  columns.documents = std::move(ids);
  columns.features = std::move(features);
  return FeatureLists(std::move(columns));
}

Dataset dataset_of(const ClickLog& train, const ClickLog* valid, const ClickLog* test) {
  Dataset dataset;
  const std::vector<std::uint32_t> rows = add_pairs(train, dataset.dictionary);
  dataset.dictionary.names().add(train.pairs->names());
  dataset.train = in_rows(*train.sessions, rows);
  const auto add = [&](const ClickLog* log, SessionLog& into) {
    if (log == nullptr) return;
    if (log->pairs == train.pairs) {
      into = in_rows(*log->sessions, rows);
      return;
    }
    into = bind(*log, dataset.dictionary);
    dataset.dictionary.names().add(log->pairs->names());
  };
  add(valid, dataset.valid);
  add(test, dataset.test);
  for (const SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test})
    dataset.positions = std::max(dataset.positions, log->positions());
  return dataset;
}

SessionLog bind(const ClickLog& log, const PairDictionary& dictionary, std::size_t* unknown) {
  SessionLog bound = in_rows(*log.sessions, find_pairs(log, dictionary));
  if (unknown != nullptr)
    *unknown = static_cast<std::size_t>(
        std::count(bound.rows().begin(), bound.rows().end(), PairDictionary::unknown));
  return bound;
}

}  // namespace ultr::python
