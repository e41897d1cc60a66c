#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "options/fields.h"

namespace ultr {

/// Lists of documents, known by their features, from the top of each list.
struct OrderedLists {
  std::size_t feature_count = 0;
  bool may_miss = false;                 // features may be NaN: missing
  std::vector<float> features{};         // of document after document, list after list
  std::vector<std::uint32_t> lengths{};  // of each list, at least 1
};

/// Scores documents, list after list; higher scores are nearer to the top.
using OrderScores = std::function<std::vector<double>(const OrderedLists& lists)>;

/// Options of a ranker that learns, from features, in which order lists were shown.
class OrderRankerOptions : public Options {
 public:
  /// Throws ConfigError for options that contradict each other.
  virtual void check() const {}
  /// Learns from at least one list. The same lists and seed give the same scores, whatever the
  /// number of threads.
  virtual OrderScores learn(const OrderedLists& lists, std::uint64_t seed, int threads) const = 0;
};

/// Returns the types of such rankers, each an OrderRankerOptions: `lambdamart`, which learns the
/// labels of label_of_place, and `network`, a tower trained by LoggedOrderLoss. `layers`: what the
/// tower may consist of; they must outlive the options.
std::vector<OptionType> order_ranker_types(const std::vector<OptionType>& layers);

}  // namespace ultr
