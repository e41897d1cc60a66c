#include "studies/comparison/configurations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"

namespace ultr {
namespace {

/// An option with its values in all configurations.
struct Key {
  std::string name;
  std::vector<std::string> values;  // one per configuration; "-" where it has none
  bool differs = false;             // two configurations that have it have different values
  bool everywhere = true;
};

std::vector<Key> keys_of(const std::vector<const OptionValues*>& configurations) {
  std::vector<Key> keys;
  std::set<std::string> seen;
  for (const OptionValues* options : configurations)
    for (const auto& option : *options) {
      if (!seen.insert(option.first).second) continue;
      Key key{.name = option.first, .values = {}};
      std::set<std::string> different;
      for (const OptionValues* other : configurations) {
        const auto found = std::ranges::find(*other, key.name, &OptionValues::value_type::first);
        const bool there = found != other->end();
        key.values.push_back(there ? found->second : "-");
        key.everywhere &= there;
        if (there) different.insert(found->second);
      }
      key.differs = different.size() > 1;
      keys.push_back(std::move(key));
    }
  return keys;
}

/// Returns whether this key tells apart two configurations that look the same so far.
bool separates(const Key& key, const std::vector<Configuration>& configurations) {
  for (std::size_t a = 0; a < configurations.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (configurations[a].values == configurations[b].values && key.values[a] != key.values[b])
        return true;
  return false;
}

}  // namespace

Configurations group_runs(std::span<const RunResults> runs) {
  Configurations result;
  std::vector<const OptionValues*> options;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const RunResults& run = runs[r];
    std::size_t c = 0;
    while (c < options.size() && *options[c] != run.options) ++c;
    if (c == options.size()) {
      options.push_back(&run.options);
      result.each.emplace_back();
    }
    for (const std::size_t other : result.each[c].runs)
      if (runs[other].seed == run.seed)
        throw ConfigError(
            fmt::format("runs {} and {} have the same configuration and seed, so that they are one "
                        "measurement; expected one of them",
                        runs[other].folder.string(), run.folder.string()));
    result.each[c].runs.push_back(r);
  }

  const std::vector<Key> keys = keys_of(options);
  const auto show = [&](const Key& key) {
    result.keys.push_back(key.name);
    for (std::size_t c = 0; c < result.each.size(); ++c)
      result.each[c].values.push_back(key.values[c]);
  };
  for (const Key& key : keys)
    if (key.differs) show(key);
  for (const Key& key : keys)
    if (!key.differs && !key.everywhere && separates(key, result.each)) show(key);

  for (Configuration& configuration : result.each) {
    for (std::size_t k = 0; k < result.keys.size(); ++k)
      if (configuration.values[k] != "-")
        configuration.name += fmt::format("{}{}={}", configuration.name.empty() ? "" : " ",
                                          result.keys[k], configuration.values[k]);
    if (configuration.name.empty()) configuration.name = runs[configuration.runs.front()].name;
  }
  return result;
}

std::size_t find_configuration(const Configurations& configurations,
                               std::span<const RunResults> runs,
                               const std::string& name_or_folder) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < configurations.each.size(); ++c) {
    const Configuration& configuration = configurations.each[c];
    if (configuration.name == name_or_folder) return c;
    names.push_back(quote(configuration.name));
    std::error_code ignored;
    for (const std::size_t r : configuration.runs)
      if (std::filesystem::equivalent(runs[r].folder, name_or_folder, ignored)) return c;
  }
  throw ConfigError(
      fmt::format("baseline {} is none of the runs; expected the folder of one or one of {}",
                  quote(name_or_folder), fmt::join(names, ", ")));
}

}  // namespace ultr
