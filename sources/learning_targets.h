#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/features/feature_lists.h"
#include "data/log/session_log.h"
#include "experiment/data_options.h"
#include "experiment/registry.h"
#include "options/fields.h"

namespace ultr {

/// Sessions to learn from, made from the lists of one part of the data.
struct LearningSessions {
  SessionLog log;
  /// Scores by which a simulated logging policy orders the documents: one per document of the
  /// lists. Empty if there is no such policy.
  std::vector<double> policy_scores = {};
  /// Judgements by simulated users, by which rankings are evaluated in place of labels: one per
  /// document of the lists. Empty if annotators judge.
  std::vector<int> judgements = {};
};

/// The options of a type of `data.learn_from`: the targets that a ranker learns from lists of
/// documents.
class TargetOptions : public Options {
 public:
  /// Makes the sessions to learn from, given the lists of one part of the data. rows[i] is the
  /// dictionary row of document i of the lists.
  using MakeSessions = std::function<LearningSessions(
      const FeatureLists& lists, std::span<const std::uint32_t> rows, Split part)>;

  /// Returns a function that makes sessions from the training lists and from others, fitted on the
  /// training lists as far as necessary. `fit` and the function throw DataError if lists lack the
  /// data they need.
  virtual MakeSessions fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                           const DataSetting& setting) const = 0;
  /// Throws ConfigError for options that contradict each other.
  virtual void check() const {}
  /// Replaces each file that the options name with the path that `find` returns.
  virtual void locate_files(const std::function<std::string(const std::string& file)>&) {}
  /// Returns the position bias of simulated users at the given number of positions, if one bias
  /// holds for all of them.
  virtual std::optional<PositionBias> position_bias(std::size_t) const { return std::nullopt; }
  /// Returns the kind of targets that sessions have.
  virtual Targets targets() const { return Targets::clicks; }
  /// Returns true if sessions depend on the seed.
  virtual bool draws() const { return false; }
  /// Returns true if the sessions are the lists as they are, document by document.
  virtual bool are_impressions() const { return false; }
};

/// Returns all types of targets: judged relevance (`labels`), logged clicks (`clicks`) and clicks
/// of simulated users on lists that a logging policy shows them (`simulated_clicks`, see
/// data/simulation/simulated_clicks.h). `models` are the click models that users may follow,
/// `layers` the layers that policies may consist of. Both tables must outlive the result and its
/// options. `make_registry` makes the registry that fitted click models are read with.
std::vector<OptionType> target_types(const std::vector<OptionType>& models,
                                     const std::vector<OptionType>& layers,
                                     const MakeRegistry& make_registry);

}  // namespace ultr
