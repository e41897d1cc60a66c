#include "commands/type_groups.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "commands/command_table.h"
#include "commands/convert.h"
#include "data/readers.h"
#include "data/simulation/list_generator.h"
#include "experiment/experiment_options.h"
#include "experiment/task.h"
#include "layers/compressions.h"
#include "optim/schedule.h"
#include "options/type_tables.h"
#include "runs/results/measures.h"

namespace ultr {
namespace {

struct NoOptions final : Options {
  void fields(Fields&) override {}
};

const char* direction(Better better) {
  return better == Better::higher  ? "; higher is better"
         : better == Better::lower ? "; lower is better"
                                   : "";
}

std::vector<OptionType> metric_types() {
  std::vector<OptionType> types;
  for (const MeasureGroup& group : all_measures())
    for (const Measure& measure : group.measures)
      if (std::none_of(types.begin(), types.end(),  // splits and runs both count sessions
                       [&](const OptionType& type) { return type.name == measure.name; }))
        types.push_back(
            option_type<NoOptions>(std::string(measure.name),
                                   fmt::format("{}{}", measure.help, direction(measure.better))));
  return types;
}

std::vector<OptionType> command_types(const Registry& registry) {
  std::vector<OptionType> types;
  for (const Command& command : command_table())
    types.push_back({command.name, command.help, [&registry, make = command.make] {
                       return std::unique_ptr<Options>(make(registry));
                     }});
  return types;
}

/// The groups that are known by name. What only options choose from is found in them.
std::vector<TypeGroup> named_groups(const Registry& registry) {
  return {
      {"models", "Models of how users click. Chosen by model.type.", registry.models()},
      {"losses", "Losses that training minimises. Chosen by loss.type.", registry.losses()},
      {"layers", "Ways to compute a parameter of a model. Chosen by the parameter's type.",
       registry.layers()},
      {"compressions",
       "Ways for the entries of an embedding to share rows. Chosen by its option compression.",
       compression_types()},
      {"optimizers", "Ways to fit parameters. Chosen by optimizer.type.", registry.optimizers()},
      {"schedules", "Learning rates over training. Chosen by optimizer.schedule.type.",
       schedule_types()},
      {"data-formats", "Sources of sessions. Chosen by data.format.", registry.data()},
      {"feature-formats", "File formats of lists with features. Chosen by data.reader.type.",
       feature_formats()},
      {"list-generators", "Generators of lists, which read no files. Chosen by data.reader.type.",
       list_generators()},
      {"analyses", "Analyses, done in place of training. Chosen by analysis.type.",
       registry.analyses()},
      {"conversion-formats", "Click logs that ultr-run convert reads, beside the feature-formats.",
       click_log_conversions(registry)},
      {metrics_group, "Metrics, by their names in results.", metric_types()},
      {commands_group, "Commands of ultr-run.", command_types(registry)},
  };
}

bool has(const TypeGroup& group, const OptionType& type) {
  return std::any_of(group.types.begin(), group.types.end(), [&](const OptionType& known) {
    return known.name == type.name && known.help == type.help;
  });
}

const TypeGroup* group_of(const OptionType& type, const std::vector<TypeGroup>& groups) {
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const TypeGroup& group) { return has(group, type); });
  return found == groups.end() ? nullptr : &*found;
}

/// Returns the name of the group that an option chooses from: a plural for those of ultr.
std::string group_name(const TypeTable& table, const std::vector<TypeGroup>& groups) {
  static const std::map<std::string, std::string> plurals = {{"learn_from", "learning-targets"},
                                                             {"policy", "logging-policies"},
                                                             {"ranker", "order-rankers"},
                                                             {"relevance", "relevance-types"},
                                                             {"user", "users"}};
  const std::string option = table.option.substr(table.option.rfind('.') + 1);
  const auto plural = plurals.find(option);
  const std::string name = plural == plurals.end() ? option : plural->second;
  const bool is_taken = std::any_of(groups.begin(), groups.end(),
                                    [&](const TypeGroup& group) { return group.name == name; });
  return is_taken ? table.option : name;
}

}  // namespace

std::vector<TypeGroup> type_groups(const Registry& registry) {
  std::vector<TypeGroup> groups = named_groups(registry);
  ExperimentOptions training(registry), analysis(registry);
  std::vector<TypeTable> tables = type_tables(training);
  if (!registry.analyses().empty()) {
    analysis.analysis.emplace(registry.analyses(), registry.analyses().front().name);
    for (TypeTable& table : type_tables(analysis)) tables.push_back(std::move(table));
  }
  for (const TypeTable& table : tables) {
    const bool is_known =
        std::all_of(table.types.begin(), table.types.end(),
                    [&](const OptionType& type) { return group_of(type, groups) != nullptr; });
    if (is_known) continue;
    const auto analyses = std::find_if(groups.begin(), groups.end(), [](const TypeGroup& group) {
      return group.name == "analyses";
    });
    groups.insert(analyses, {group_name(table, groups),
                             fmt::format("{} Chosen by {}{}.", table.help, table.option,
                                         table.option.ends_with(table.key) ? "" : "." + table.key),
                             table.types});
  }
  return groups;
}

std::vector<const TypeGroup*> groups_of(const std::vector<OptionType>& types,
                                        const std::vector<TypeGroup>& groups) {
  std::vector<const TypeGroup*> all;
  for (const OptionType& type : types) {
    const TypeGroup* const group = group_of(type, groups);
    if (group != nullptr && std::find(all.begin(), all.end(), group) == all.end())
      all.push_back(group);
  }
  return all;
}

}  // namespace ultr
