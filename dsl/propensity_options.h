#pragma once

#include <string>
#include <vector>

#include "dsl/click_model.h"
#include "dsl/model_setting.h"
#include "dsl/options_with_files.h"

namespace ultr {

/// The names of the estimators of propensities from training sessions, in the order of reports:
/// those of bias_methods(), then regression_em.
const std::vector<std::string>& propensity_estimators();
/// The name of the estimator that fits a position-based model.
inline constexpr const char* regression_em_name = "regression_em";
/// The word for no estimator of propensities.
inline constexpr const char* no_estimator = "none";

/// The source of a model's propensities: a file or an estimator.
class PropensityOptions final : public OptionsWithFiles {
 public:
  /// `help` describes the purpose of the propensities. If `required`, a source must be given.
  PropensityOptions(bool required, std::string help)
      : required_(required), help_(std::move(help)) {}

  void fields(Fields& f) override;
  void locate_files(const FindFile& find) override;
  /// Throws ConfigError if both sources are given, or if one is required and none is given.
  void check() const;
  /// Returns the estimator; empty if there is none.
  std::string estimator() const { return estimator_ == no_estimator ? "" : estimator_; }
  /// Returns the propensities: read from the file, or those of the setting if they are estimated.
  GivenPropensities read(const ModelSetting& setting) const;

 private:
  bool required_;
  std::string help_, file_, estimator_ = no_estimator;
};

}  // namespace ultr
