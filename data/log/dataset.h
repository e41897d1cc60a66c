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
};

/// The part of the data that a session belongs to.
enum class Split : std::uint8_t { train, valid, test };

/// Shares of a log that are held out. The part of session i depends on (seed, i) alone.
struct SplitShares {
  double valid = 0, test = 0;
  std::uint64_t seed = 1;

  Split of(std::uint64_t session) const {
    if (valid == 0 && test == 0) return Split::train;
    const double drawn = RandomStream(seed, RandomPurpose::split, 0, session).uniform();
    return drawn < valid ? Split::valid : drawn < valid + test ? Split::test : Split::train;
  }
};

}  // namespace ultr
