#include "layers/layers.h"

#include <fmt/core.h>

#include "base/error.h"
#include "options/config_tree.h"

namespace ultr {
const std::vector<OptionType>& layer_types() {
  static const std::vector<OptionType> types = {
      option_type<EmbeddingOptions>(
          "embedding", "One learned logit per entry plus a shared baseline; updated sparsely."),
      option_type<LogitTableOptions>("table",
                                     "One logit per entry of a small domain, updated as a whole."),
      option_type<LinearTowerOptions>("linear", "A weighted sum of features plus a bias."),
      option_type<MlpTowerOptions>("mlp", "A multi-layer perceptron over features."),
      option_type<DeepCrossTowerOptions>(
          "deep_cross", "Products of features and a multi-layer perceptron (DCN v2)."),
      option_type<TreeTowerOptions>(
          "boosted_trees", "Gradient-boosted trees over features, grown by XGBoost on any loss."),
      option_type<TransformerTowerOptions>(
          "transformer", "A cross-encoder: a transformer over the words of query and document."),
  };
  return types;
}

Tensor Inputs::scores(const FeatureScorer&) const {
  throw Error("these inputs have no documents to score by their features");
}

Tensor Inputs::sequence_values(const SequenceEncoder&, std::optional<Index>) const {
  throw Error("these inputs have no words of documents");
}

void LayerOptions::fields(Fields& f) {
  f.optional_number(
      "start", start,
      "Initial probability; null: chosen so that the model predicts the training click "
      "rate.",
      inside(0, 1));
}

void expect_numbered(const LayerSetting& setting) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  if (setting.entries > most)
    throw ConfigError(fmt::format("{}: {} entries (one per {}); expected at most {} per process",
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
    case Domain::rank_viewed:
      return "rank and view";
    case Domain::rank_skipped:
      return "rank and skip";
    case Domain::dwell:
      return "dwell time";
    default:
      return "document";
  }
}

}  // namespace ultr
