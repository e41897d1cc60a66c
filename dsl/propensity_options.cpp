#include "dsl/propensity_options.h"

#include <fmt/core.h>

#include "metrics/bias/position_bias.h"
#include "options/config_tree.h"

namespace ultr {

const std::vector<std::string>& propensity_estimators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const BiasMethod& method : bias_methods()) all.emplace_back(method.name);
    all.emplace_back(regression_em_name);
    return all;
  }();
  return names;
}

void PropensityOptions::fields(Fields& f) {
  std::vector<std::string> estimators = propensity_estimators();
  estimators.emplace_back(no_estimator);
  f.text("propensities", file_, help_);
  f.word("estimator", estimator_,
         "Estimator to run on the training sessions instead of a file (see ultr-run "
         "estimate-bias).",
         estimators);
}

void PropensityOptions::locate_files(const FindFile& find) {
  if (!file_.empty()) file_ = find(file_);
}

void PropensityOptions::check() const {
  if (estimator_ != no_estimator && !file_.empty())
    throw ConfigError(
        fmt::format("loss: propensities are given by {} and estimator is {}; expected one of them",
                    file_, estimator_));
  if (required_ && estimator_ == no_estimator && file_.empty())
    throw ConfigError(
        "loss: propensities is missing; expected a CSV file of propensities, or an estimator");
}

GivenPropensities PropensityOptions::read(const ModelSetting& setting) const {
  check();
  if (estimator_ == no_estimator) {
    if (file_.empty()) return {};
    return {.source = file_, .values = read_propensities(file_)};
  }
  if (setting.estimated_propensities.empty())
    throw Error("model: built with an estimator of propensities, but without its estimate");
  return {.source = estimator_, .estimated = true, .values = setting.estimated_propensities};
}

}  // namespace ultr
