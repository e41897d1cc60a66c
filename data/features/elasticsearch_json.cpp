#include "data/features/elasticsearch_json.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace ultr {
namespace {

// Numbers of float32 in their order: n is below m exactly if number(n) < number(m), but for -0.
constexpr std::uint32_t sign_bit = std::uint32_t{1} << 31;
std::uint32_t place(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
float number(std::uint32_t place) {
  return std::bit_cast<float>((place & sign_bit) != 0 ? place ^ sign_bit : ~place);
}

/// Returns the smallest number whose scaled value is at least `threshold`; the largest float if
/// there is none.
float raw_threshold(const FeatureScaling& scaling, std::size_t column, float threshold) {
  constexpr float most = std::numeric_limits<float>::max();
  const float limit = scaling.sentinel() < static_cast<double>(most)
                          ? std::nextafter(static_cast<float>(scaling.sentinel()), 0.0f)
                          : most;
  std::uint32_t low = place(-limit), high = place(limit);
  if (scaling.apply(limit, column) < threshold) return most;
  while (low < high) {  // the answer is in [low, high]
    const std::uint32_t middle = low + (high - low) / 2;
    if (scaling.apply(number(middle), column) < threshold)
      low = middle + 1;
    else
      high = middle;
  }
  return number(low);
}

/// Formats a node, with those below it, as XGBoost's dump does.
std::string node_json(const RegressionTree& tree, std::size_t at, int depth, float added,
                      std::span<const std::string> names) {
  const TreeNode& node = tree[at];
  if (node.is_leaf()) return fmt::format(R"({{"nodeid":{},"leaf":{}}})", at, node.value + added);
  const auto feature = static_cast<std::size_t>(node.feature);
  const std::string name =
      nlohmann::json(names.empty() ? fmt::format("f{}", feature) : names[feature])
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return fmt::format(
      R"({{"nodeid":{},"depth":{},"split":{},"split_condition":{},"yes":{},"no":{},"missing":{},)"
      R"("children":[{},{}]}})",
      at, depth, name, node.value, node.left, node.right,
      node.missing_left ? node.left : node.right,
      node_json(tree, node.left, depth + 1, added, names),
      node_json(tree, node.right, depth + 1, added, names));
}

}  // namespace

std::vector<RegressionTree> over_raw_features(std::span<const RegressionTree> trees,
                                              const FeatureScaling& scaling,
                                              std::span<const std::size_t> columns) {
  std::vector<RegressionTree> raw(trees.begin(), trees.end());
  for (RegressionTree& tree : raw)
    for (TreeNode& node : tree)
      if (!node.is_leaf() && node.categories == nullptr) {
        const auto feature = static_cast<std::size_t>(node.feature);
        node.value =
            raw_threshold(scaling, columns.empty() ? feature : columns[feature], node.value);
      }
  return raw;
}

std::optional<std::string> elasticsearch_json(std::span<const RegressionTree> trees, float start,
                                              std::span<const std::string> names) {
  for (const RegressionTree& tree : trees)
    for (const TreeNode& node : tree)
      if (node.categories != nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const RegressionTree& tree : trees)
    texts.push_back(node_json(tree, 0, 0, texts.empty() ? start : 0.0f, names));
  if (texts.empty()) texts.push_back(node_json({{.value = 0}}, 0, 0, start, names));
  return fmt::format("[{}]\n", fmt::join(texts, ",\n"));
}

}  // namespace ultr
