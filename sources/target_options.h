#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/features/feature_lists.h"
#include "data/log/session_log.h"
#include "experiment/data_options.h"
#include "options/fields.h"

namespace ultr {

/// What the lists of one part of the data teach.
struct LearningSessions {
  SessionLog log;
  /// What a simulated logging policy orders the documents by, one a document of the lists; empty:
  /// there is none.
  std::vector<double> policy_scores = {};
};

/// What lists of documents teach a ranker: the options of a type of `data.learn_from`.
class TargetOptions : public Options {
 public:
  /// The sessions to learn from, of the lists of one part of the data. rows[i] is the dictionary
  /// row of the lists' document number i.
  using MakeSessions = std::function<LearningSessions(
      const FeatureLists& lists, std::span<const std::uint32_t> rows, Split part)>;

  /// What makes sessions of the training lists and of others, as far as training lists decide it.
  /// It and the function throw DataError if lists do not have what it takes.
  virtual MakeSessions fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                           const DataSetting& setting) const = 0;
  /// Throws ConfigError for options that contradict each other.
  virtual void check() const {}
  /// Replaces the files that the options name by where `find` says they are.
  virtual void locate_files(const std::function<std::string(const std::string& file)>&) {}
  /// What so many positions do to clicks, where users are simulated whom they bias alike.
  virtual std::optional<PositionBias> position_bias(std::size_t) const { return std::nullopt; }
  /// Whether sessions depend on the seed.
  virtual bool draws() const { return false; }
  /// Whether the sessions are the lists as they are, document by document.
  virtual bool are_impressions() const { return false; }
};

}  // namespace ultr
