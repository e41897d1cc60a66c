#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "commands/built_in_registry.h"
#include "data/features/lambdamart.h"
#include "experiment/data_options.h"
#include "optim/adam.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "training/fitters.h"
#include "training/ranking_evaluation.h"

/// Compares rankers that learn from judged lists: ultr's and XGBoost's rank:ndcg. Both are tuned on
/// a fifth of the training lists. Prints the quality of each on the test file, over five splits.
///
///     build/release/benchmarks/rankers_beside_xgboost TRAIN TEST     (LightGBM's ranking format)
namespace {

using namespace ultr;

constexpr int splits = 5;

/// The nDCG of some lists.
struct Quality {
  double ndcg5 = 0, ndcg10 = 0;  // means
  std::vector<double> each5;     // nDCG@5 of each list
};

Quality quality(const RankingMetrics& metrics) {
  Quality result;
  for (const MetricValue& metric : metrics.values()) {
    if (metric.name == "ndcg@5") result.ndcg5 = metric.value;
    if (metric.name == "ndcg@10") result.ndcg10 = metric.value;
  }
  result.each5 = metrics.per_list("ndcg@5");
  return result;
}

/// The best result on the validation lists so far, and its quality on the test lists.
struct Best {
  double valid = -1;
  Quality test;
  std::string setting;

  void offer(const Quality& on_valid, const Quality& on_test, const std::string& name) {
    if (on_valid.ndcg10 <= valid) return;
    valid = on_valid.ndcg10;
    test = on_test;
    setting = name;
  }
};

Dataset load(const std::string& train, const std::string& test, const std::string& scale,
             std::uint64_t seed) {
  const Registry registry = built_in_registry();
  Choice source(registry.data(), "feature_lists", "format");
  read_options(parse_config(fmt::format("{{reader: lightgbm, train: ['{}'], test: ['{}'], "
                                        "split: {{valid: 0.2}}, learn_from: {{type: labels, scale: "
                                        "{}}}}}",
                                        train, test, scale),
                            "data"),
               *source.options);
  return source.as<DataOptions>().load({.seed = seed}).dataset;
}

/// Returns the lists of a log whose targets are labels.
JudgedLists judged(const SessionLog& log) {
  JudgedLists lists;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    lists.add(log[i].rows, std::vector<int>(log[i].targets.begin(), log[i].targets.end()));
  return lists;
}

const RankingOptions cutoffs{.cutoffs = {5, 10}};

/// Tunes ultr's rankers with a base loss. They learn from `dataset`; `valid` selects the best.
void tune_ours(const std::string& base, const Dataset& dataset, const JudgedLists& valid,
               std::uint64_t seed, Best& best) {
  const Registry registry = built_in_registry();
  for (const std::string widths : {"[64, 32]", "[256, 128, 64]"})
    for (const double rate : {0.001, 0.003}) {
      Choice loss(registry.losses(), "naive");
      read_options(parse_config(fmt::format("{{base: {}, relevance: {{type: mlp, widths: {}, "
                                            "dropout: 0.3}}}}",
                                            base, widths),
                                "loss"),
                   *loss.options);
      const TrainableModel model =
          loss.as<ModelOptions>().build({.rows = dataset.dictionary.rows(),
                                         .positions = static_cast<std::int64_t>(dataset.positions),
                                         .seed = seed,
                                         .features = dataset.features,
                                         .train = &dataset.train});
      AdamOptions how;
      read_options(parse_config(fmt::format("{{lr: {}, weight_decay: 0.01}}", rate), "optimizer"),
                   how);
      TrainOptions train;
      train.epochs = 40;
      train.batch_size = 16;
      const auto fitter = make_fitter(
          how, {.model = model, .train = dataset.train, .options = train, .seed = seed});
      for (std::int64_t epoch = 1; epoch <= train.epochs; ++epoch) {
        fitter->pass(epoch, {});
        best.offer(quality(evaluate_ranking(model, valid, cutoffs, 1)),
                   quality(evaluate_ranking(model, dataset.labels, cutoffs, 1)),
                   fmt::format("{} lr {} epoch {}", widths, rate, epoch));
      }
    }
}

/// The features of judged lists, row by row, with the lists' sizes and labels.
struct Rows {
  Rows(const JudgedLists& lists, const FeatureTable& table) : count(table.count()) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (const std::uint32_t row : lists.rows(i)) {
        const auto its = table.row(row);
        features.insert(features.end(), its.begin(), its.end());
      }
      labels.insert(labels.end(), lists.labels(i).begin(), lists.labels(i).end());
      sizes.push_back(static_cast<std::uint32_t>(lists.rows(i).size()));
    }
  }

  std::int64_t count;
  std::vector<float> features;
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> sizes;
};

/// Returns the quality of the first `trees` trees on judged lists, whose rows are given.
Quality judge(const LambdaMart& model, std::int64_t trees, const JudgedLists& lists,
              const Rows& rows) {
  const std::vector<double> scores = model.score(rows.features, trees);
  RankingMetrics metrics(cutoffs);
  for (std::size_t i = 0, at = 0; i < lists.size(); at += lists.rows(i).size(), ++i)
    metrics.add(std::span(scores).subspan(at, lists.rows(i).size()), lists.labels(i));
  return quality(metrics);
}

void tune_xgboost(const JudgedLists& train, const JudgedLists& valid, const Dataset& dataset,
                  std::uint64_t seed, Best& best) {
  const Rows train_rows(train, dataset.features), valid_rows(valid, dataset.features),
      test_rows(dataset.labels, dataset.features);
  for (const std::int64_t leaves : {8, 31})
    for (const double rate : {0.05, 0.1}) {
      LambdaMartOptions options;
      options.trees = 300;
      options.leaves = leaves;
      options.learning_rate = rate;
      options.document_share = options.feature_share = 0.8;
      const LambdaMart model({.features = train_rows.features,
                              .feature_count = static_cast<std::size_t>(train_rows.count),
                              .list_sizes = train_rows.sizes,
                              .labels = train_rows.labels},
                             options, seed);
      for (std::int64_t trees = 5; trees <= options.trees; trees += 5)
        best.offer(judge(model, trees, valid, valid_rows),
                   judge(model, trees, dataset.labels, test_rows),
                   fmt::format("{} leaves, rate {}, {} trees", leaves, rate, trees));
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: rankers_beside_xgboost TRAIN TEST\n");
    return 2;
  }
  try {
    const std::vector<std::string> rankers = {"xgboost rank:ndcg", "lambdarank", "softmax",
                                              "pointwise"};
    std::vector<std::vector<Best>> results(rankers.size());
    for (std::uint64_t seed = 1; seed <= splits; ++seed) {
      const Dataset labels = load(argv[1], argv[2], "labels", seed);
      const Dataset probabilities = load(argv[1], argv[2], "probability", seed);
      const JudgedLists train = judged(labels.train), valid = judged(labels.valid);
      for (std::size_t r = 0; r < rankers.size(); ++r) {
        Best& best = results[r].emplace_back();
        if (r == 0)
          tune_xgboost(train, valid, labels, seed, best);
        else
          tune_ours(rankers[r], rankers[r] == "pointwise" ? probabilities : labels, valid, seed,
                    best);
        fmt::print(stderr, "split {}: {} chose {}\n", seed, rankers[r], best.setting);
      }
    }
    fmt::print(
        "| ranker | nDCG@5 | less than XGBoost, 95% of test lists | nDCG@10 | nDCG@10 of each "
        "split |\n|---|---|---|---|---|\n");
    std::vector<double> xgboost5;
    for (std::size_t r = 0; r < rankers.size(); ++r) {
      Quality mean;
      std::vector<std::string> each;
      std::vector<double> each5(results[r].front().test.each5.size());
      for (const Best& best : results[r]) {
        mean.ndcg5 += best.test.ndcg5 / splits;
        mean.ndcg10 += best.test.ndcg10 / splits;
        each.push_back(fmt::format("{:.3f}", best.test.ndcg10));
        for (std::size_t i = 0; i < each5.size(); ++i) each5[i] += best.test.each5[i] / splits;
      }
      if (r == 0) xgboost5 = each5;
      std::string less = "-";
      if (r > 0) {
        for (std::size_t i = 0; i < each5.size(); ++i) each5[i] = xgboost5[i] - each5[i];
        const ConfidenceInterval interval = bootstrap_interval(each5);
        less = fmt::format("[{:+.3f}, {:+.3f}]", interval.lower, interval.upper);
      }
      fmt::print("| {} | {:.4f} | {} | {:.4f} | {} |\n", rankers[r], mean.ndcg5, less, mean.ndcg10,
                 fmt::join(each, " "));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
