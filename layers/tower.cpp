#include "layers/tower.h"

#include <fmt/core.h>

#include "options/config_tree.h"

namespace ultr {
namespace {

/// Returns the setting. Throws ConfigError if no tower can be built for it.
const LayerSetting& checked(const char* type, const LayerSetting& setting) {
  const bool of_documents = is_of_documents(setting.domain);
  if (of_documents && setting.features == 0)
    throw ConfigError(
        fmt::format("{}: '{}' needs features, which the data do not have", setting.name, type));
  if (setting.missing)
    throw ConfigError(
        fmt::format("{}: '{}' cannot read missing features, which data.scaling.missing: keep lets "
                    "pass; expected refuse, or 'boosted_trees'",
                    setting.name, type));
  if (!of_documents && setting.entries > largest_identity)
    throw ConfigError(fmt::format("{}: '{}' over {} entries (one per {}); expected at most {}",
                                  setting.name, type, setting.entries, to_string(setting.domain),
                                  largest_identity));
  return setting;
}

}  // namespace

Tower::Tower(const char* type, const LayerSetting& setting, const std::string& name,
             std::int64_t columns, std::uint64_t number)
    : domain_(checked(type, setting).domain),
      per_entry_(!is_of_documents(domain_) && setting.features == setting.entries),
      last_(setting.name + name, columns, 1, Initialisation::glorot, setting, number) {
  last_.bias().fill(static_cast<float>(setting.start));
}

Logits Tower::logits(const Inputs& inputs) const {
  return {last_.score(representation(inputs)), per_document(inputs)};
}

std::optional<Index> Tower::per_document(const Inputs& inputs) const {
  if (per_entry_ && domain_ != Domain::global) return inputs.index(domain_);
  return std::nullopt;
}

std::optional<GraphValue> Tower::graph(GraphBuilder& build, GraphValue features) const {
  if (domain_ != Domain::document) return std::nullopt;
  return last_.graph(build, representation(build, features));
}

std::vector<Parameter*> Tower::parameters() {
  std::vector<const AffineLayer*> layers = inner_layers();
  layers.push_back(&last_);
  std::vector<Parameter*> all;
  for (const AffineLayer* layer : layers) {
    all.push_back(&layer->weights());
    all.push_back(&layer->bias());
  }
  return all;
}

void Tower::shift(float by) { last_.bias().value(0) += by; }

}  // namespace ultr
