#include "runs/results/tree_report.h"

#include <algorithm>

#include <fmt/core.h>

#include "data/features/boosted_trees.h"
#include "data/features/xgboost_json.h"
#include "data/formats/feature_names.h"
#include "data/text/csv_text.h"
#include "training/boosting_fitter.h"

namespace ultr {
namespace {

constexpr std::size_t most_shown = 20;

/// Returns the features for relevance of a sample of documents.
std::vector<float> sampled_features(const FeatureTable& table, std::size_t most) {
  std::vector<float> sample;
  const auto count = static_cast<std::size_t>(table.relevance_count());
  const auto documents = static_cast<std::size_t>(table.rows() - 1);  // row 0 is none
  const std::size_t taken = std::min(documents, most);
  for (std::size_t i = 0; i < taken; ++i) {
    const auto row = table.row(static_cast<std::int64_t>(1 + i * documents / taken)).first(count);
    sample.insert(sample.end(), row.begin(), row.end());
  }
  return sample;
}

std::string label(const FeatureImportance& feature) {
  return feature.name.empty() ? fmt::format("feature {}", feature.feature) : feature.name;
}

}  // namespace

std::vector<TreeImportance> feature_importance(const TrainableModel& model,
                                               const ExperimentData& data, int threads) {
  std::vector<TreeImportance> all;
  const FeatureTable& table =
      data.dataset.train.features().empty() ? data.dataset.features : data.dataset.train.features();
  std::vector<std::int64_t> numbers;
  for (const std::size_t column : data.bias_columns.order())
    numbers.push_back(static_cast<std::int64_t>(column) + 1);
  for (const TreeTower* tower : tree_towers(model)) {
    const auto count = static_cast<std::size_t>(tower->features());
    const LoadedTrees trees(xgboost_json(tower->trees(), tower->start(), count), count, threads);
    const auto sample = sampled_features(table, affordable_contributions(tower->trees()));
    all.push_back(tree_importance(tower->name(), tower->trees(), count, trees.contributions(sample),
                                  relevance_names(data.feature_names, data.bias_columns), numbers));
  }
  return all;
}

std::string importance_csv(std::span<const TreeImportance> all) {
  std::string text = "layer,feature,name,gain,cover,weight,mean_abs_shap\n";
  for (const TreeImportance& importance : all)
    for (const FeatureImportance& f : importance.features)
      text += fmt::format("{},{},{},{:.6g},{:.6g},{},{:.6g}\n", importance.layer, f.feature,
                          csv_field(f.name), f.gain, f.cover, f.weight, f.contribution);
  return text;
}

ReportSection importance_section(std::span<const TreeImportance> all) {
  ReportSection section{"Features", {}};
  for (const TreeImportance& importance : all) {
    DotPlot plot{.title = fmt::format("What features add to {}", importance.layer)};
    plot.x = {.label = "mean |SHAP value|", .include_zero = true};
    ReportTable table{.header = {"feature", "mean |SHAP|", "gain", "cover", "splits"}, .rows = {}};
    for (const FeatureImportance& f :
         std::span(importance.features).first(std::min(most_shown, importance.features.size()))) {
      plot.dots.push_back({.label = label(f), .value = f.contribution});
      table.rows.push_back({label(f), fmt::format("{:.4g}", f.contribution),
                            fmt::format("{:.4g}", f.gain), fmt::format("{:.4g}", f.cover),
                            fmt::format("{}", f.weight)});
    }
    table.caption = fmt::format(
        "The {} features that change logits most, of {}; {} has all. Gain and cover are means per "
        "split.",
        table.rows.size(), importance.features.size(), importance_file);
    section.blocks.emplace_back(ReportDotPlot{
        .plot = std::move(plot),
        .caption = fmt::format("Mean magnitude of what each feature adds to a document's logit, "
                               "over {} documents.",
                               importance.documents)});
    section.blocks.emplace_back(std::move(table));
  }
  return section;
}

}  // namespace ultr
