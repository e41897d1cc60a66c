#include "studies/study.h"

#include <algorithm>

namespace ultr {

const StudyMeasure* Study::find_measure(std::string_view wanted) const {
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const StudyMeasure& m) { return m.name == wanted; });
  return found == measures.end() ? nullptr : &*found;
}

ConfigNode Study::configuration(const StudyPoint& point) const {
  ConfigNode config = experiment;
  for (const StudySetting& setting : point.settings)
    override_config(config, setting.key, setting.value, setting.value.where);
  for (const std::string& assignment : option_overrides) override_config(config, assignment);
  return config;
}

bool is_study(const ConfigNode& config) { return config.find("study") != nullptr; }

}  // namespace ultr
