#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/core.h>

#include "analyses/analyses.h"
#include "analyses/cross_validation.h"
#include "analyses/labelled_rows.h"
#include "analyses/refused_targets.h"
#include "base/error.h"
#include "base/log.h"
#include "data/features/elasticsearch_json.h"
#include "data/features/graded_labels.h"
#include "data/features/lambdamart.h"
#include "data/features/xgboost_json.h"
#include "dsl/programs/start.h"
#include "runs/data_task.h"
#include "runs/pair_relevance.h"
#include "runs/results/results_json.h"
#include "runs/test_queries.h"
#include "training/fitters.h"
#include "training/predictor.h"
#include "training/ranking_evaluation.h"
#include "training/training.h"

namespace ultr {
namespace {

/// Trains LambdaMART on labels and measures how well it ranks the judged test lists. Labels are
/// those of the training lists if `data.learn_from` is `labels`. If sessions have clicks, a click
/// model learns relevance from them, and graded_labels makes labels of it. With `folds`, labels are
/// those of the judged test lists, in cross-validation (cross_validate). results.json has
///
///     training    lists, documents and features; with clicks, `left_out`, the documents with too
///                 few impressions; `folds`, if there are any
///     test        `ranking`, as in a trained model's results, and test_rankings.csv has it list by
///                 list
///
/// lambdamart.json has the trees as XGBoost loads them, or lambdamart.1.json and so on those that
/// rank each fold. They read features as the files have them, before data.scaling: feature i, from
/// 0, is i + 1 in svmlight. They learn from no bias features, and never split on them.
class LambdaMartAnalysis final : public DataTask {
 public:
  LambdaMartAnalysis(const std::vector<OptionType>& data, const std::vector<OptionType>& models,
                     const std::vector<OptionType>& optimizers)
      : DataTask(data, "feature_lists", Sessions::all),
        model_(models, "pbm"),
        optimizer_(optimizers, "em") {}

  void settings(Fields& f) override {
    f.choice("model", model_, "Click model whose relevance labels are made of, for clicks.");
    f.choice("optimizer", optimizer_, "Method that fits the click model.");
    f.section("train", train_, "Settings of training the click model.");
    f.section("labels", labels_, "Labels of the click model's relevance.");
    f.integer("folds", folds_,
              "Folds of the judged test lists, by query: each is ranked by trees that learned from "
              "the others, and training lists play no part; 0: trees learn from training lists.",
              between(0, 1000));
    trees_.fields(f);
  }
  void check() const override {
    DataTask::check();
    labels_.check("analysis.labels.");
    if (folds_ == 1)
      throw ConfigError(
          "analysis.folds is 1; expected 0 or at least 2, since each fold is ranked by trees that "
          "learned from the others");
    if (labels_.by == "expected")
      throw ConfigError(
          "analysis.labels.by is 'expected'; expected thresholds or quantiles, since LambdaMART "
          "learns whole grades");
  }
  TaskResults run(const TaskContext& context) override;

 private:
  LabelledRows judged(const Dataset& dataset) const;
  LabelledRows labelled(const Dataset& dataset, const TaskContext& context,
                        nlohmann::ordered_json& json) const;
  std::vector<RelevanceEstimate> learned_relevance(const Dataset& dataset,
                                                   const TaskContext& context) const;
  /// The trees of an analysis, one or those of each fold, and the scores that they give to the
  /// documents of the judged test lists.
  struct Trained {
    std::vector<LambdaMart> trees{};
    std::vector<double> scores{};
  };
  Trained learn(const ExperimentData& data, const TaskContext& context,
                nlohmann::ordered_json& json) const;
  Trained learn_in_folds(const Dataset& dataset, const TaskContext& context,
                         nlohmann::ordered_json& json) const;

  Choice model_, optimizer_;
  TrainOptions train_;
  GradedLabelOptions labels_;
  std::int64_t folds_ = 0;
  LambdaMartOptions trees_;
};

/// Returns trees over features in the order of the files, before scaling, in XGBoost's JSON.
std::string json_over_files(const LambdaMart& trees, const ExperimentData& data) {
  const auto [learned, start] = trees_of_xgboost_json(trees.json());
  const std::span<const std::size_t> columns = data.bias_columns.order();
  std::vector<RegressionTree> raw = over_raw_features(learned, *data.scaling, columns);
  for (RegressionTree& tree : raw)
    for (TreeNode& node : tree)
      if (!node.is_leaf() && !columns.empty())
        node.feature = static_cast<std::int32_t>(columns[static_cast<std::size_t>(node.feature)]);
  return xgboost_json(raw, start, data.scaling->features());
}

LabelledRows LambdaMartAnalysis::judged(const Dataset& dataset) const {
  LabelledRows lists(dataset.features);
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < dataset.train.sessions(); ++i) {
    const SessionView session = dataset.train[i];
    labels.clear();
    for (const float target : session.targets) {
      if (target != std::floor(target))
        throw ConfigError(fmt::format(
            "a label is {}; expected whole labels (analysis.data.learn_from.scale: labels)",
            target));
      labels.push_back(static_cast<std::int32_t>(target));
    }
    lists.add(session.rows, labels);
  }
  return lists;
}

/// Trains the click model and returns what it learned of each row of the dictionary from row 1.
std::vector<RelevanceEstimate> LambdaMartAnalysis::learned_relevance(
    const Dataset& dataset, const TaskContext& context) const {
  refuse_click_rates(dataset.train);
  const TrainableModel model =
      model_.as<ModelOptions>().build({.rows = dataset.dictionary.rows(),
                                       .positions = static_cast<std::int64_t>(dataset.positions),
                                       .seed = context.seed,
                                       .features = dataset.features,
                                       .train = &dataset.train,
                                       .held_out = {&dataset.valid, &dataset.test}});
  start_at_click_rate(model, dataset.train);
  const auto fitter = make_fitter(optimizer_.as<FitOptions>(), {.model = model,
                                                                .train = dataset.train,
                                                                .options = train_,
                                                                .seed = context.seed,
                                                                .threads = context.threads});
  const TrainingResult trained = train_model(model, *fitter, train_, dataset, context.threads, {});
  if (!trained.divergence.empty()) throw Diverged(trained.divergence);
  if (!Predictor(model, context.threads).reads_dictionary())
    throw ConfigError(fmt::format(
        "analysis.model {} has no parameters of query-document pairs; expected one that learns "
        "them",
        model.type()));
  const PairRelevances relevance =
      pair_relevance(model, dataset.dictionary, dataset.train,
                     {.threads = context.threads, .intervals = labels_.relevance != "estimate"});
  return relevance_estimates(relevance.pairs);
}

LabelledRows LambdaMartAnalysis::labelled(const Dataset& dataset, const TaskContext& context,
                                          nlohmann::ordered_json& json) const {
  const std::vector<RelevanceEstimate> learned = learned_relevance(dataset, context);
  const auto labels = graded_labels(learned, labels_);
  const std::vector<std::uint64_t> queries = dataset.dictionary.queries();
  LabelledRows lists(dataset.features);
  std::size_t left_out = 0;
  for (const auto& documents : documents_by_query(std::span(queries).subspan(1))) {
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> grades;
    for (const std::size_t i : documents) {
      if (!labels[i]) {
        left_out += learned[i].impressions > 0 ? 1 : 0;  // others are not training documents
        continue;
      }
      rows.push_back(static_cast<std::uint32_t>(i + 1));
      grades.push_back(static_cast<std::int32_t>(labels[i]->label));
    }
    lists.add(rows, grades);
  }
  if (lists.sizes.empty())
    throw DataError(fmt::format("no document has {} impressions; expected some to learn from",
                                labels_.min_impressions));
  json["training"]["left_out"] = left_out;
  return lists;
}

LambdaMartAnalysis::Trained LambdaMartAnalysis::learn(const ExperimentData& data,
                                                      const TaskContext& context,
                                                      nlohmann::ordered_json& json) const {
  const Dataset& dataset = data.dataset;
  const LabelledRows train =
      data.learns_labels ? judged(dataset) : labelled(dataset, context, json);
  json["training"].update({{"lists", train.sizes.size()},
                           {"documents", train.labels.size()},
                           {"features", train.feature_count}});
  Trained trained{.trees = {LambdaMart(train.lists(), trees_, context.seed)}};
  for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
    const std::vector<double> its =
        scores_of_rows(trained.trees.front(), dataset.features, dataset.labels.rows(i));
    trained.scores.insert(trained.scores.end(), its.begin(), its.end());
  }
  return trained;
}

LambdaMartAnalysis::Trained LambdaMartAnalysis::learn_in_folds(const Dataset& dataset,
                                                               const TaskContext& context,
                                                               nlohmann::ordered_json& json) const {
  CrossValidation found = cross_validate(dataset, trees_, static_cast<std::uint64_t>(folds_),
                                         context.seed, context.threads);
  json["training"] = {{"lists", found.lists},
                      {"documents", found.documents},
                      {"features", dataset.features.relevance_count()},
                      {"folds", folds_}};
  return {.trees = std::move(found.trees), .scores = std::move(found.scores)};
}

TaskResults LambdaMartAnalysis::run(const TaskContext& context) {
  const ExperimentData data = load(context);
  const Dataset& dataset = data.dataset;
  if (dataset.features.empty())
    throw DataError("the documents have no features; expected some to rank them by");
  if (dataset.labels.size() == 0)
    throw ConfigError("analysis.data has no judged test lists; expected some to rank");
  TaskResults results;
  const Trained trained = folds_ > 0 ? learn_in_folds(dataset, context, results.json)
                                     : learn(data, context, results.json);
  const RankingMetrics ranking = evaluate_scores(trained.scores, dataset.labels, {});
  nlohmann::ordered_json& json = results.json["test"]["ranking"] = ranking_json(ranking);
  if (!data.policy_scores.empty())
    json["by_policy"] = policy_bins_json(
        bin_by_policy(trained.scores, data.policy_scores, dataset.labels, ranking.options()));
  log().info("{}: {} trees on {} lists{}; nDCG@10 {:.4f} on {} judged lists", context.name,
             trees_.trees, results.json["training"]["lists"].get<std::size_t>(),
             folds_ > 0 ? fmt::format(" in {} folds", folds_) : "", ranking.value("ndcg@10"),
             ranking.lists());
  for (std::size_t i = 0; i < trained.trees.size(); ++i)
    results.run_files.emplace_back(
        folds_ > 0 ? fmt::format("lambdamart.{}.json", i + 1) : "lambdamart.json",
        json_over_files(trained.trees[i], data));
  results.run_files.emplace_back(
      query_rankings_file, query_rankings_csv(dataset.labels, ranking, dataset.dictionary.names()));
  return results;
}

}  // namespace

OptionType lambdamart_type(const std::vector<OptionType>& data,
                           const std::vector<OptionType>& models,
                           const std::vector<OptionType>& optimizers) {
  return {"lambdamart",
          "Trains LambdaMART on labels, or on clicks by way of a click model, and ranks judged "
          "lists.",
          [&]() -> std::unique_ptr<Options> {
            return std::make_unique<LambdaMartAnalysis>(data, models, optimizers);
          }};
}

}  // namespace ultr
