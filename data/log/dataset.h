#pragma once

#include <string>
#include <vector>

#include "data/log/feature_table.h"
#include "data/log/judged_lists.h"
#include "data/log/pair_dictionary.h"
#include "data/log/session_log.h"

namespace ultr {

/// All that an experiment learns from and is judged by.
struct Dataset {
  PairDictionary dictionary;  // of the pairs in train
  SessionLog train, valid, test;
  FeatureTable features;  // a row a pair of the dictionary; empty: none
  JudgedLists labels;
  std::size_t positions = 0;       // displayed positions that a model needs to know
  std::vector<std::string> notes;  // what reading met, a line each, to tell the user
};

/// Which part of the data a session belongs to.
enum class Split : std::uint8_t { train, valid, test };

/// Shares of a log that are held out; session i goes by a draw from (seed, i) alone.
struct SplitShares {
  double valid = 0, test = 0;
  std::uint64_t seed = 1;

  Split of(std::uint64_t session) const;
};

}  // namespace ultr
