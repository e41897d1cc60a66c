#include "studies/choice/model_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "data/log/parallel_shards.h"
#include "dsl/programs/sampler.h"
#include "runs/results/bounded_json.h"
#include "runs/results/run_results.h"
#include "runs/run_inputs.h"
#include "runs/saved_model.h"
#include "training/evaluation.h"
#include "training/predictor.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Returns the model of a run for the pairs of a data set, with its trained parameters.
TrainableModel trained_model(const PlannedRun& run, const fs::path& folder, const Dataset& dataset,
                             Registry& registry) {
  const SavedModel saved(folder, registry);
  TrainableModel model = build_model(run.options, dataset);
  const std::vector<Parameter*> from = saved.model().parameters(), to = model.parameters();
  for (std::size_t i = 0; i < to.size(); ++i) to[i]->assign(from.at(i)->values());
  return model;
}

/// Calls visit(positions, clicks) for every session of a shard; `clicks` are in the shard's order.
template <class Visit>
void for_each_session(const Shard& shard, std::span<const std::uint8_t> clicks, Visit visit) {
  std::vector<std::uint32_t> positions;
  std::vector<std::uint8_t> clicked;
  for (std::size_t j = 0; j < shard.sessions(); ++j) {
    positions.clear();
    clicked.clear();
    for (std::size_t k = 0; k < shard.longest() && j < shard.count(k); ++k) {
      positions.push_back(shard.positions()[shard.begin(k) + j]);
      clicked.push_back(clicks[shard.begin(k) + j]);
    }
    visit(std::span<const std::uint32_t>(positions), std::span<const std::uint8_t>(clicked));
  }
}

/// Adds up patterns that `add(worker, shard, counts)` counts in the shards of a log.
template <class Add>
ClickPatternCounts count_patterns(const SessionLog& log, int threads, Add add) {
  std::vector<ClickPatternCounts> by_worker(static_cast<std::size_t>(threads));
  for_each_shard(log, threads,
                 [&](std::size_t worker, std::size_t, const Shard& shard, const Shard*) {
                   add(worker, shard, by_worker[worker]);
                 });
  ClickPatternCounts sum;
  for (const ClickPatternCounts& counts : by_worker) sum.add(counts);
  return sum;
}

ClickPatternCounts observed_patterns(const SessionLog& log, int threads) {
  return count_patterns(
      log, threads, [](std::size_t, const Shard& shard, ClickPatternCounts& counts) {
        for_each_session(shard, shard.clicks(),
                         [&](auto positions, auto clicks) { counts.add(positions, clicks); });
      });
}

/// Samples clicks on the lists of a log, several times if it is small, and counts their patterns.
ClickPatternCounts sampled_patterns(const TrainableModel& model, const SessionLog& log,
                                    std::uint64_t seed, int threads) {
  constexpr std::size_t enough_sessions = 50000, most_times = 20;
  const std::size_t times =
      std::clamp<std::size_t>(enough_sessions / log.sessions(), 1, most_times);
  std::vector<std::unique_ptr<ClickSampler>> samplers;
  for (int i = 0; i < threads; ++i) samplers.push_back(std::make_unique<ClickSampler>(model));
  return count_patterns(
      log, threads, [&](std::size_t worker, const Shard& shard, ClickPatternCounts& counts) {
        std::vector<std::uint64_t> numbers(shard.sessions());
        for (std::size_t time = 0; time < times; ++time) {
          for (std::size_t j = 0; j < numbers.size(); ++j)
            numbers[j] = time * log.sessions() + shard.order()[j];
          const SampledClicks sampled = samplers[worker]->sample(shard, seed, numbers);
          for_each_session(shard, sampled.clicks,
                           [&](auto positions, auto clicks) { counts.add(positions, clicks); });
        }
      });
}

/// Returns some sessions of a log.
SessionLog first_sessions(const SessionLog& log) {
  SessionLog some;
  for (std::size_t i = 0; i < std::min(log.sessions(), shard_sessions); ++i) some.add(log[i]);
  return some;
}

/// Returns true unless all values that are known are the same. NaN: unknown, as at a rank that no
/// session shows.
bool varies(const std::vector<double>& values) {
  const auto known = std::ranges::find_if(values, [](double x) { return !std::isnan(x); });
  return std::any_of(known, values.end(), [&](double x) { return std::abs(x - *known) > 1e-6; });
}

/// Returns whether relevance tells documents apart and is free of the ranks at which they are
/// shown, on which clicks depend.
bool separates_relevance(const TrainableModel& model, const std::vector<double>& examination,
                         const SessionLog& log, int threads) {
  Predictor predictor(model, threads);
  if (predictor.relevance_reads_positions()) return false;
  if (!varies(examination) && !predictor.clicks_read_positions()) return false;
  if (!log.features().empty()) return true;  // of documents; samples would need theirs
  return varies(predictor.relevance(first_sessions(log)));
}

/// Returns the mean log-likelihood of each query, or session, in an order that all models share.
std::vector<double> paired_values(const SessionLog& log, std::span<const SessionLikelihood> each,
                                  ChoicePairs pairs) {
  struct Sums {
    double value = 0, documents = 0;
  };
  std::map<std::uint64_t, Sums> sums;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    Sums& sum = sums[pairs == ChoicePairs::queries ? log[i].query : i];
    sum.value += each[i].conditional;
    sum.documents += static_cast<double>(log.length(i));
  }
  std::vector<double> values;
  for (const auto& [unit, sum] : sums) values.push_back(sum.value / sum.documents);
  return values;
}

ChoicePairs pairs_of(const SessionLog& log) {
  std::map<std::uint64_t, int> queries;
  for (std::size_t i = 0; i < log.sessions() && queries.size() < fewest_queries; ++i)
    queries[log[i].query];
  return queries.size() < fewest_queries ? ChoicePairs::sessions : ChoicePairs::queries;
}

std::vector<std::string> saved_warnings(const fs::path& run) {
  const nlohmann::json results = read_bounded_json(run / results_file);
  return results.value("warnings", std::vector<std::string>());
}

std::optional<double> find_metric(const RunResults& run, const std::string& name) {
  const auto found = run.metrics.find(name);
  return found == run.metrics.end() || !std::isfinite(found->second) ? std::nullopt
                                                                     : std::optional(found->second);
}

/// Returns the nDCG with cut-off 10, or else the largest; empty if there is none.
std::string usual_ranking_metric(const ExperimentOptions& options) {
  const auto& cutoffs = options.evaluate.cutoffs;
  if (cutoffs.empty()) return "";
  const bool has_ten = std::ranges::count(cutoffs, 10) > 0;
  return fmt::format("ndcg@{}", has_ten ? 10 : std::ranges::max(cutoffs));
}

/// A model with the values that tests pair.
struct Measured {
  FittedModel model;
  std::vector<double> values;
};

Measured measure(const PlannedRun& run, const RunResults& results, const ModelChoice& choice,
                 const ExperimentData& data, Registry& registry) {
  const SessionLog& log = data.dataset.valid;
  const int threads = count_threads(run.options);
  const TrainableModel model = trained_model(run, results.folder, data.dataset, registry);
  std::vector<SessionLikelihood> each(log.sessions());
  const ClickEvaluation clicks = evaluate_clicks(model, log, LossMean::documents, threads, each);
  FittedModel fitted{.type = model.type(), .help = {}, .folder = results.folder};
  for (const OptionType& type : registry.models())
    if (type.name == fitted.type) fitted.help = type.help;
  for (const Parameter* parameter : model.parameters())
    fitted.parameters += static_cast<std::uint64_t>(parameter->rows() * parameter->columns());
  fitted.epochs = find_metric(results, "epochs").value_or(0);
  fitted.seconds = find_metric(results, "seconds").value_or(0);
  fitted.cond_ppl = clicks.conditional.perplexity();
  fitted.ppl = clicks.unconditional.perplexity();
  fitted.impossible = clicks.impossible_clicks;
  fitted.test_cond_ppl = find_metric(results, "test.cond_ppl");
  fitted.ranking = find_metric(results, "test.ranking." + choice.ranking_metric);
  // Rounding differs between the two programs.
  fitted.reads_clicks_above =
      std::abs(clicks.conditional.log_likelihood() - clicks.unconditional.log_likelihood()) > 1e-6;
  fitted.separates_relevance = separates_relevance(model, clicks.examination, log, threads);
  fitted.examination = clicks.examination;
  fitted.patterns =
      sampled_patterns(model, log, static_cast<std::uint64_t>(run.options.seed), threads);
  fitted.warnings = saved_warnings(results.folder);
  return {std::move(fitted), paired_values(log, each, choice.pairs)};
}

/// Sorts models from the best and tests the others against it.
void rank(std::vector<Measured>& measured, ModelChoice& choice) {
  std::ranges::stable_sort(measured, {}, [](const Measured& m) { return m.model.cond_ppl; });
  for (Measured& m : measured) {
    if (&m != &measured.front() && m.values.size() > 1) {
      m.model.against_best = test_pairs(m.values, measured.front().values);
      m.model.corrected_p = m.model.against_best->corrected(measured.size() - 1);
      m.model.as_good =
          m.model.corrected_p >= 0.05 || m.model.against_best->t_test.mean_difference >= 0;
    }
    choice.models.push_back(std::move(m.model));
  }
}

void choose_for_relevance(ModelChoice& choice) {
  const auto better = [&](const FittedModel& a, const FittedModel& b) {
    if (a.ranking && b.ranking) return *a.ranking > *b.ranking;
    return a.warnings.empty() && !b.warnings.empty();
  };
  for (std::size_t m = 0; m < choice.models.size(); ++m)
    if (choice.models[m].separates_relevance &&
        (!choice.for_relevance || better(choice.models[m], choice.models[*choice.for_relevance])))
      choice.for_relevance = m;
}

}  // namespace

ModelChoice measure_choice(std::vector<PlannedRun>& runs, std::vector<RefusedModel> refused,
                           const fs::path& folder, const ExperimentData& data, Registry& registry) {
  const ExperimentOptions& options = runs.front().options;
  const SessionLog& valid = data.dataset.valid;
  const int threads = count_threads(options);
  ModelChoice choice{.name = options.name,
                     .train_sessions = data.dataset.train.sessions(),
                     .sessions = valid.sessions(),
                     .documents = valid.documents(),
                     .pairs = pairs_of(valid),
                     .refused = std::move(refused)};
  if (data.dataset.labels.size() > 0) choice.ranking_metric = usual_ranking_metric(options);
  std::vector<Measured> measured;
  for (const PlannedRun& run : runs) {
    const std::vector<fs::path> one = {folder / run.folder};
    const RunResults results = std::move(read_runs(one).front());
    if (results.failure.empty())
      measured.push_back(measure(run, results, choice, data, registry));
    else
      choice.refused.push_back({run.name, results.failure});
  }
  rank(measured, choice);
  choice.observed = observed_patterns(valid, threads);
  choice.examination = check_examination(PositionBias{}, data.dataset.train,
                                         static_cast<std::uint64_t>(options.seed), threads);
  if (!choice.models.empty()) choice.for_prediction = 0;
  choose_for_relevance(choice);
  return choice;
}

}  // namespace ultr
