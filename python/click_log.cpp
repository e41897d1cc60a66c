#include "python/click_log.h"

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
  SessionLog train, valid, test;
  for (std::size_t i = 0; i < sessions.sessions(); ++i) {
    const SessionView session = sessions[i];
    const Split part = shares.of(i, session.query);
    (part == Split::train ? train : part == Split::valid ? valid : test).add(session);
  }
  if (train.sessions() == 0)
    throw DataError("no session is left to train on; expected smaller shares for valid and test");
  return {log.with_sessions(std::move(train)), log.with_sessions(std::move(valid)),
          log.with_sessions(std::move(test))};
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
