#include "analyses/position_bias_analysis.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "experiment/analysis.h"
#include "experiment/bias_estimation.h"
#include "experiment/data_options.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN: null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// NaN where no rank is known in both.
double mean_squared_difference(const Propensities& a, const Propensities& b) {
  double sum = 0, known = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const double difference = a[k] - b[k];
    if (!std::isfinite(difference)) continue;
    sum += difference * difference;
    ++known;
  }
  return sum / known;
}

Json shown(const BiasEstimate& estimate, const Propensities& truth) {
  Json result = Json::object();
  Json::array_t estimates, low, high;
  for (const double value : estimate.propensities) estimates.push_back(number(value));
  for (const auto& interval : estimate.intervals) {
    low.push_back(interval ? number(interval->lower) : Json(nullptr));
    high.push_back(interval ? number(interval->upper) : Json(nullptr));
  }
  if (!truth.empty())
    result["error"] = number(mean_squared_difference(estimate.propensities, truth));
  result["estimate"] = estimates;
  if (!low.empty()) result["low"] = low, result["high"] = high;
  return result;
}

class PositionBiasAnalysis final : public Analysis {
 public:
  explicit PositionBiasAnalysis(const std::vector<OptionType>& formats)
      : data_(formats, "simulation", "format") {}

  void fields(Fields& f) override;
  void check() const override;
  void locate_files(const std::filesystem::path& config_folder) override;
  Json results(std::uint64_t seed, int threads) const override;

 private:
  Choice data_;
  std::vector<std::string> methods_;
  std::int64_t pivot_ = 1, resamples_ = 0, passes_ = 1000;
};

void PositionBiasAnalysis::fields(Fields& f) {
  f.choice("data", data_, "Source of the sessions.");
  f.texts("methods", methods_, "Methods to run (see docs/position-bias.md); empty: all.");
  f.integer("pivot", pivot_, "Rank, from 1, with which the method `pivot` compares the others.",
            at_least(1));
  f.integer("resamples", resamples_,
            "Bootstrap resamples of the sessions for intervals; 0: no intervals.", between(0, 1e6));
  f.integer("passes", passes_, "Maximum number of passes of `regression_em`.", at_least(1));
}

void PositionBiasAnalysis::check() const {
  data_.as<DataOptions>().check();
  check_bias_methods(methods_);
}

void PositionBiasAnalysis::locate_files(const std::filesystem::path& config_folder) {
  auto& data = data_.as<DataOptions>();
  data.keep_training_only();
  data.locate_files(config_folder);
}

Json PositionBiasAnalysis::results(std::uint64_t seed, int threads) const {
  const ExperimentData data = data_.as<DataOptions>().load({.seed = seed, .threads = threads});
  const BiasEstimation estimation =
      estimate_bias(data.dataset,
                    {.methods = methods_,
                     .pivot = static_cast<std::size_t>(pivot_),
                     .resamples = static_cast<std::size_t>(resamples_),
                     .most_passes = passes_,
                     .seed = seed,
                     .threads = threads},
                    [](std::string_view, std::string_view, std::uint64_t, std::uint64_t) {});
  for (const std::string& note : estimation.notes) log().warn("{}", note);
  const Propensities truth = true_position_bias(data, threads);
  Json results = {{"sessions", data.dataset.train.sessions()}};
  for (const BiasEstimate& estimate : estimation.estimates)
    results[estimate.method] = shown(estimate, truth);
  if (!truth.empty()) results["true"] = truth;
  return results;
}

}  // namespace

OptionType position_bias_type(const std::vector<OptionType>& formats) {
  return {"position_bias", "Estimates position bias by the methods of `ultr-run estimate-bias`.",
          [&formats]() -> std::unique_ptr<Options> {
            return std::make_unique<PositionBiasAnalysis>(formats);
          }};
}

}  // namespace ultr
