#include "commands/contributions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "data/features/xgboost_json.h"
#include "data/formats/feature_names.h"
#include "data/text/csv_text.h"
#include "dsl/relevance_layer.h"
#include "layers/tree_tower.h"

namespace ultr {
namespace {

/// Returns the trees that a model ranks by. Throws ConfigError if there are none.
const TreeTower& ranking_trees(const SavedModel& saved) {
  const TrainableModel::Layer* layer = relevance_layer(saved.model());
  const auto* trees =
      layer == nullptr ? nullptr : dynamic_cast<const TreeTower*>(layer->layer.get());
  if (trees == nullptr)
    throw ConfigError(
        fmt::format("--contributions: {} does not rank by boosted trees; expected a run whose "
                    "relevance is {{type: boosted_trees}}",
                    saved.run().string()));
  return *trees;
}

LoadedTrees loaded(const TreeTower& tower, int threads) {
  const auto features = static_cast<std::size_t>(tower.features());
  return {xgboost_json(tower.trees(), tower.start(), features), features, threads};
}

}  // namespace

ContributionsFile::ContributionsFile(const std::filesystem::path& file, const SavedModel& saved,
                                     int threads)
    : features_(static_cast<std::size_t>(ranking_trees(saved).features())),
      trees_(loaded(ranking_trees(saved), threads)),
      file_(file) {
  std::vector<std::string> columns;
  for (const std::string& name : relevance_names(saved.feature_names(), saved.bias_columns()))
    columns.push_back(csv_field(name));
  for (std::size_t i = columns.size(); i < features_; ++i) columns.push_back(fmt::format("f{}", i));
  file_.write(fmt::format("list,query,position,document,relevance,base_value,{}\n",
                          fmt::join(columns, ",")));
}

void ContributionsFile::add(const ListBatch& batch, const IdNames& names,
                            const std::vector<double>& relevance) {
  const FeatureTable& table = batch.log.features();
  std::vector<float> rows;
  for (std::int64_t row = 1; row < table.rows(); ++row) {  // of documents, in their order
    const auto its = table.row(row).first(features_);
    rows.insert(rows.end(), its.begin(), its.end());
  }
  const std::vector<float> contributions = trees_.contributions(rows);
  CsvText csv;
  std::string memory;
  for (std::size_t list = 0, at = 0; list < batch.log.sessions(); ++list) {
    const SessionView session = batch.log[list];
    for (std::size_t k = 0; k < session.rows.size(); ++k, ++at) {
      const auto its = std::span(contributions).subspan(at * (features_ + 1), features_ + 1);
      csv.add(batch.first_list + list);
      csv.add(names.text(session.query, memory));
      csv.add(session.positions[k] + 1);
      csv.add(batch.documents.empty() ? "" : names.text(batch.documents[at], memory));
      csv.add(static_cast<float>(relevance[at]));
      csv.add(its[features_]);
      for (const float contribution : its.first(features_)) csv.add(contribution);
      csv.end_row();
    }
  }
  file_.write(csv.text());
}

}  // namespace ultr
