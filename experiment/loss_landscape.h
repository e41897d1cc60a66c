#pragma once

#include <string>
#include <vector>

#include "experiment/analysis.h"

namespace ultr {

/// The loss of documents that share one relevance estimate, over all values of the estimate: where
/// its minimum lies, and how steep it is (Hager et al., ECIR 2023, figures 1 and 3).
///
/// Documents have the click rates o y of infinitely many sessions, o their examination and y their
/// relevance, and losses know o. Results: `estimate` and `loss`, lists; `minimum`, the estimate
/// with the smallest loss; `range`, the largest loss of those listed minus the smallest; and
/// `mean_relevance` of the documents.
class LossLandscape final : public Analysis {
 public:
  void fields(Fields& f) override;
  /// Throws ConfigError unless there are as many examinations as relevances, at least one.
  void check() const override;
  nlohmann::ordered_json results(std::uint64_t seed, int threads) const override;

  /// The loss at each estimate, a probability strictly between 0 and 1: the mean over documents.
  std::vector<double> losses(const std::vector<double>& estimates) const;

 private:
  std::string loss_ = "pbm";
  std::vector<double> relevance_ = {0.5}, examination_ = {1};
  std::int64_t points_ = 99;
};

}  // namespace ultr
