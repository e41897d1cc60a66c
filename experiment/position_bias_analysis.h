#pragma once

#include <string>
#include <vector>

#include "experiment/analysis.h"
#include "experiment/registry.h"

namespace ultr {

/// Estimates position bias from the training sessions of a source of data, as `ultr-run
/// estimate-bias` does, as an analysis. Results, for each method that knows anything: `estimate` by
/// rank, relative to rank 1 (null: unknown), `low` and `high`, where there are intervals, and
/// `error`, the mean squared difference from the truth over the ranks that are known, where the
/// truth is; then `true` itself and the number of `sessions`.
class PositionBiasAnalysis final : public Analysis {
 public:
  /// `formats`: the sources of data to choose from, a table that outlives the analysis.
  explicit PositionBiasAnalysis(const std::vector<OptionType>& formats)
      : data_(formats, "simulation", "format") {}

  void fields(Fields& f) override;
  void check() const override;
  void locate_files(const std::filesystem::path& config_folder) override;
  nlohmann::ordered_json results(std::uint64_t seed, int threads) const override;

 private:
  Choice data_;
  std::vector<std::string> methods_;
  std::int64_t pivot_ = 1, resamples_ = 0, passes_ = 1000;
};

/// Choosing from these sources of data, a table that outlives it.
OptionType position_bias_type(const std::vector<OptionType>& formats);

}  // namespace ultr
