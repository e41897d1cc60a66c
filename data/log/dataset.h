#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "data/log/feature_table.h"
#include "data/log/judged_lists.h"
#include "data/log/pair_dictionary.h"
#include "data/log/session_log.h"

namespace ultr {

/// Everything that an experiment is trained and evaluated on.
struct Dataset {
  PairDictionary dictionary;  // of the pairs in `train`
  SessionLog train, valid, test;
  FeatureTable features;  // one row per pair of the dictionary; may be empty
  JudgedLists labels;
  std::size_t positions = 0;       // number of displayed positions that a model must know
  std::vector<std::string> notes;  // lines for the user: what was skipped, cut or not mapped

  /// Replaces logs whose lists have weights by ones with single sessions. Throws DataError as
  /// SessionLog::without_weights does.
  void take_single_sessions(std::string_view reason) {
    for (SessionLog* log : {&train, &valid, &test})
      if (log->has_weights()) *log = log->without_weights(reason);
  }
};

/// The part of the data that a session belongs to.
enum class Split : std::uint8_t { train, valid, test };

/// The way in which sessions are held out: each by itself, all sessions of a query together, or the
/// last ones.
enum class SplitBy : std::uint8_t { session, query, time };

/// Shares of a log that are held out. The part of a session depends on the seed and its number, on
/// the seed and its query, or on its number and that of all sessions.
struct SplitShares {
  double valid = 0, test = 0;
  std::uint64_t seed = 1;
  SplitBy by = SplitBy::session;
  std::uint64_t sessions = 0;  // number of all sessions; only read with SplitBy::time

  bool any() const { return valid > 0 || test > 0; }
  /// Returns the part of the session with a number, from 0, and a query.
  Split of(std::uint64_t session, std::uint64_t query = 0) const {
    if (!any()) return Split::train;
    if (by == SplitBy::time) return of_time(session);
    const std::uint64_t key = by == SplitBy::query ? query : session;
    const double drawn = RandomStream(seed, RandomPurpose::split, 0, key).uniform();
    return drawn < valid ? Split::valid : drawn < valid + test ? Split::test : Split::train;
  }

 private:
  /// The last sessions are for testing, those before them for validation.
  Split of_time(std::uint64_t session) const {
    const double left = static_cast<double>(sessions - session);
    const double all = static_cast<double>(sessions);
    return left <= test * all             ? Split::test
           : left <= (test + valid) * all ? Split::valid
                                          : Split::train;
  }
};

}  // namespace ultr
