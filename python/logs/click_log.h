#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/features/feature_lists.h"
#include "data/log/dataset.h"

namespace ultr::python {

/// A click log in memory, as Python holds it: sessions whose documents have the rows of a
/// dictionary, which may know more pairs than these sessions show. Copies share both.
struct ClickLog {
  std::shared_ptr<const PairDictionary> pairs;
  std::shared_ptr<const SessionLog> sessions;
  bool numbered_queries = false, numbered_documents = false;  // ids were whole numbers, not texts
  bool has_clicks = true;
  std::vector<std::string> features{};  // names of the features that sessions have
  std::vector<std::string> notes{};     // lines for the user

  /// Returns the same log with other sessions of the same dictionary.
  ClickLog with_sessions(SessionLog other) const;
};

/// The parts of a log that was split.
struct SplitLog {
  ClickLog train, valid, test;
};

/// Splits a log as a configuration's data.split does. Throws DataError if no session is left to
/// train on.
SplitLog split(const ClickLog& log, SplitShares shares);

/// Makes what a model is trained and evaluated on: a dictionary of the pairs that `train` shows, in
/// the order in which it shows them, and the logs with its rows. Others have the unknown row.
/// `valid` and `test` may be null.
Dataset dataset_of(const ClickLog& train, const ClickLog* valid, const ClickLog* test);

/// Returns the lists of a log with their features.
FeatureLists lists_of(const ClickLog& log);

/// Returns the sessions of a log, without their features, with the rows of another dictionary.
/// `unknown`, if not null, is set to the number of documents that the dictionary does not know.
SessionLog bind(const ClickLog& log, const PairDictionary& dictionary,
                std::size_t* unknown = nullptr);

}  // namespace ultr::python
