#pragma once

#include <functional>
#include <span>
#include <vector>

#include "data/feature_lists.h"
#include "data/session_log.h"
#include "experiment/data_options.h"
#include "options/fields.h"

namespace ultr {

/// What lists of documents teach a ranker: the options of a type of `data.learn_from`.
class TargetOptions : public Options {
 public:
  /// The sessions to learn from, of the lists of one part of the data. rows[i] is the dictionary
  /// row of the lists' document number i.
  using MakeSessions =
      std::function<SessionLog(const FeatureLists& lists, std::span<const std::uint32_t> rows)>;

  /// What makes sessions of the training lists and of others, as far as training lists decide it.
  /// It and the function throw DataError if lists do not have what it takes.
  virtual MakeSessions fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                           const DataSetting& setting) const = 0;
  /// What so many positions do to clicks, where users are simulated whom they bias alike.
  virtual std::optional<PositionBias> position_bias(std::size_t) const { return std::nullopt; }
  /// Whether sessions depend on the seed.
  virtual bool draws() const { return false; }
  /// Whether the sessions are the lists as they are, document by document.
  virtual bool are_impressions() const { return false; }
};

/// All of them: judged relevance, logged clicks, simulated clicks.
const std::vector<OptionType>& target_types();

}  // namespace ultr
