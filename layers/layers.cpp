#include "layers/layers.h"

#include <fmt/core.h>

#include "options/config_tree.h"

namespace ultr {
const std::vector<OptionType>& layer_types() {
  static const std::vector<OptionType> types = {
      option_type<EmbeddingOptions>(
          "embedding", "A logit a row of a table, around a shared baseline; sparse updates."),
      option_type<LogitTableOptions>("table",
                                     "A logit an entry of a small domain, updated as a whole."),
      option_type<LinearTowerOptions>("linear", "A weighted sum of features, and a bias."),
      option_type<MlpTowerOptions>("mlp", "A multi-layer perceptron over features."),
      option_type<DeepCrossTowerOptions>(
          "deep_cross", "Products of features, and a multi-layer perceptron (DCN v2)."),
  };
  return types;
}

void LayerOptions::start_field(Fields& f) {
  f.optional_number("start", start,
                    "Probability to start training from; null: such that the model predicts the "
                    "training click rate.",
                    inside(0, 1));
}

void expect_numbered(const LayerSetting& setting) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  if (setting.entries > most)
    throw ConfigError(fmt::format("{}: {} entries (one a {}); expected at most {} in a process",
                                  setting.name, setting.entries, to_string(setting.domain), most));
}

std::string to_string(Domain domain) {
  switch (domain) {
    case Domain::global:
      return "global";
    case Domain::rank:
      return "rank";
    case Domain::rank_pair:
      return "rank pair";
    case Domain::document_rank:
      return "document and rank";
    case Domain::alternative:
      return "alternative";
    default:
      return "document";
  }
}

}  // namespace ultr
