#include "dsl/identical_components.h"

#include <cmath>
#include <map>

namespace ultr {
namespace {

/// The layers of a component by the name of their parameter: "attraction" of "pbm_2.attraction".
using ComponentLayers = std::map<std::string, LogitLayer*>;

/// Returns the type of a component: "pbm" of "pbm_2".
std::string type_of(const std::string& component) {
  const std::size_t end = component.find_last_not_of("0123456789");
  return end + 1 < component.size() && end > 0 && component[end] == '_' ? component.substr(0, end)
                                                                        : component;
}

double probability(const EntryLogits& logits, std::int64_t entry) {
  const double baseline =
      logits.baseline == nullptr ? 0 : static_cast<double>(logits.baseline->value(0));
  return 1 / (1 + std::exp(-baseline - static_cast<double>(logits.values->value(entry))));
}

bool are_close(const EntryLogits& a, const EntryLogits& b, double tolerance) {
  if (a.values->rows() != b.values->rows()) return false;
  for (std::int64_t entry = 0; entry < a.values->rows(); ++entry)
    if (std::abs(probability(a, entry) - probability(b, entry)) > tolerance) return false;
  return true;
}

bool are_close(const ComponentLayers& a, const ComponentLayers& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (const auto& [parameter, layer] : a) {
    const auto other = b.find(parameter);
    if (other == b.end()) return false;
    const auto mine = layer->entry_logits(), its = other->second->entry_logits();
    if (!mine || !its || !are_close(*mine, *its, tolerance)) return false;
  }
  return true;
}

}  // namespace

std::vector<ComponentPair> identical_components(const TrainableModel& model, double tolerance) {
  std::map<std::string, ComponentLayers> components;
  for (const TrainableModel::Layer& layer : model.layers())
    if (const std::size_t dot = layer.name.rfind('.');
        dot != std::string::npos && layer.domain != Domain::alternative)
      components[layer.name.substr(0, dot)][layer.name.substr(dot + 1)] = layer.layer.get();
  std::vector<ComponentPair> pairs;
  for (auto later = components.begin(); later != components.end(); ++later)
    for (auto earlier = components.begin(); earlier != later; ++earlier)
      if (type_of(earlier->first) == type_of(later->first) &&
          are_close(earlier->second, later->second, tolerance)) {
        pairs.emplace_back(earlier->first, later->first);
        break;
      }
  return pairs;
}

}  // namespace ultr
