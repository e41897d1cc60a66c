#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/data_options.h"
#include "experiment/registry.h"
#include "metrics/click_patterns.h"
#include "metrics/seed_summary.h"
#include "runs/results/run_warnings.h"
#include "studies/planned_runs.h"

/// The choice of a click model for a log: how well each predicts held-out clicks, and what it
/// misses.
namespace ultr {

/// A model that could not be fitted.
struct RefusedModel {
  std::string type, reason;
};

/// A fitted click model, measured on the validation sessions.
struct FittedModel {
  std::string type, help;        // of the registry
  std::filesystem::path folder;  // of its run
  std::uint64_t parameters = 0;  // learned numbers
  double epochs = 0, seconds = 0;
  double cond_ppl = 0, ppl = 0;           // perplexities of the validation sessions
  std::uint64_t impossible = 0;           // clicks that had probability 0
  std::optional<double> test_cond_ppl{};  // of the test sessions
  std::optional<double> ranking{};        // of judged lists, by ModelChoice::ranking_metric
  /// Its mean log-likelihood against that of the best model, pair by pair (ModelChoice::pairs);
  /// empty for the best model, and for all if there is one pair alone.
  std::optional<SeedTest> against_best{};
  double corrected_p = 1;  // for all models
  /// Not worse than the best model by more than noise, as far as tests say.
  bool as_good = true;
  bool reads_clicks_above = false;  // predictions depend on clicks above
  /// Has a relevance for each document that does not depend on the rank at which it was shown.
  bool separates_relevance = false;
  std::vector<double> examination{};  // mean P(examined) by displayed position
  ClickPatternCounts patterns{};      // of sessions that it samples for the lists of the log
  std::vector<std::string> warnings{};
};

/// The units that tests of a choice pair.
enum class ChoicePairs : std::uint8_t { queries, sessions };

struct ModelChoice {
  std::string name;
  std::size_t train_sessions = 0, sessions = 0, documents = 0;  // validation: the last two
  ChoicePairs pairs = ChoicePairs::queries;
  std::vector<FittedModel> models{};  // the best first
  std::vector<RefusedModel> refused{};
  std::string ranking_metric{};  // "ndcg@10"; empty without judged lists
  ClickPatternCounts observed{};
  /// The examination of ranks by all_pairs from the training sessions; `learned` is empty.
  std::optional<ExaminationCheck> examination{};
  /// Numbers of the models to use; none if no model was fitted, or none separates relevance.
  std::optional<std::size_t> for_prediction{}, for_relevance{};

  /// Returns the first 0-based rank that the validation sessions show; 0 if they show none.
  std::size_t first_shown() const {
    const EventRates& rates = observed[rank_pattern];
    std::size_t rank = 0;
    while (rank + 1 < rates.size() && rates[rank].cases == 0) ++rank;
    return rank;
  }
  std::string pairs_name() const { return pairs == ChoicePairs::queries ? "queries" : "sessions"; }
};

/// Validation sessions of fewer queries than this are paired session by session.
inline constexpr std::size_t fewest_queries = 20;

/// Measures the runs of a choice that have results, each in a folder below `folder`, on the
/// validation sessions of their data, and chooses. Models are sorted by their perplexity given the
/// clicks above. For prediction it chooses the first; for relevance that which ranks judged lists
/// best if there are any, and otherwise the first that separates relevance without a warning. Runs
/// without results are refused with their reason, after `refused`. Throws as SavedModel does.
ModelChoice measure_choice(std::vector<PlannedRun>& runs, std::vector<RefusedModel> refused,
                           const std::filesystem::path& folder, const ExperimentData& data,
                           Registry& registry);

}  // namespace ultr
