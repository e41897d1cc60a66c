#include "commands/listings.h"

#include <fmt/core.h>

#include "commands/convert.h"
#include "experiment/experiment_options.h"
#include "experiment/measures.h"
#include "optim/schedule.h"
#include "options/help.h"

namespace ultr {
namespace {

const char* direction(Better better) {
  return better == Better::higher  ? "; higher is better"
         : better == Better::lower ? "; lower is better"
                                   : "";
}

}  // namespace

std::string list_components(const Registry& registry) {
  std::string text = "models (model.type)\n" + describe_types(registry.models(), 2);
  text += "\nlayers (the type of a model's parameter)\n" + describe_types(registry.layers(), 2);
  text += "\nlosses\n  likelihood: Negative log-likelihood of the clicks, of every click model.\n";
  text += "\noptimizers (optimizer.type)\n" + describe_types(registry.optimizers(), 2);
  text += "\nschedules (optimizer.schedule.type)\n" + describe_types(schedule_types(), 2);
  text += "\nreaders and simulation (data.format)\n" + describe_types(registry.data(), 2);
  text += "\nformats that ultr-run convert reads\n" + describe_types(conversion_formats(), 2);
  text += "\nanalyses (analysis.type)\n" + describe_types(registry.analyses(), 2);
  for (const MeasureGroup& group : all_measures()) {
    text += fmt::format("\n{}\n", group.title);
    for (const Measure& measure : group.measures)
      text += fmt::format("  {}: {}{}\n", measure.name, measure.help, direction(measure.better));
  }
  return text;
}

std::string list_options(const Registry& registry) {
  ExperimentOptions options(registry);
  return describe_options(options);
}

}  // namespace ultr
