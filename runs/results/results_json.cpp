#include "runs/results/results_json.h"

#include <cmath>

#include "base/text/json_number.h"
#include "base/version.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;
using RunNumber = std::optional<RunMeasure::Number>;

double sessions_per_second(const RunResult& run) {
  double seconds = 0;
  for (const EpochResult& epoch : run.training.epochs) seconds += epoch.seconds;
  return static_cast<double>(run.train_sessions) * static_cast<double>(run.training.epochs.size()) /
         seconds;
}

RunNumber peak_megabytes(const RunResult& run) {
  if (!run.peak_memory) return std::nullopt;
  return static_cast<double>(*run.peak_memory) / 1e6;
}

RunNumber known(const std::optional<double>& number) {
  if (!number || std::isnan(*number)) return std::nullopt;
  return *number;
}

constexpr RunMeasure run_table[] = {
    {{"epochs", "epochs of training (of the last stage)", Better::lower},
     [](const RunResult& run) -> RunNumber { return run.training.epochs.size(); }},
    {{"best_epoch", "the epoch whose parameters the model has", Better::lower},
     [](const RunResult& run) -> RunNumber {
       return static_cast<std::uint64_t>(run.training.best_epoch);
     }},
    {{"sessions", "sessions: of training, or of the split that was evaluated"},
     [](const RunResult& run) -> RunNumber { return run.train_sessions; }},
    {{"documents", "documents: of training, or those of a split whose clicks were predicted"},
     [](const RunResult& run) -> RunNumber { return run.train_documents; }},
    {{"seconds", "duration of training and validation", Better::lower},
     [](const RunResult& run) -> RunNumber { return run.total_seconds(); }},
    {{"cpu_seconds", "processor time of training, of all threads and processes", Better::lower},
     [](const RunResult& run) -> RunNumber { return run.cpu_seconds; }},
    {{"sessions_per_second", "training sessions per second (of the last stage)", Better::higher},
     [](const RunResult& run) -> RunNumber { return sessions_per_second(run); }},
    {{"peak_memory_megabytes", "peak memory of the process that used most", Better::lower},
     peak_megabytes},
    {{"cmip", "information about the logging policy's scores in relevance, given labels, in nats",
      Better::lower},
     [](const RunResult& run) { return known(run.cmip); }},
    {{"policy_kendall_tau", "Kendall's tau with the logging policy's order, on judged lists"},
     [](const RunResult& run) { return known(run.policy_kendall_tau); }},
};

Json split_json(const ClickEvaluation& evaluation) {
  Json json;
  if (evaluation.conditional.documents() == 0) {  // there are no clicks, or none was predicted
    for (const MetricValue& value : evaluation.values())
      if (!std::isnan(value.value)) json[value.name] = value.value;
    json["sessions"] = evaluation.sessions;
    return json;
  }
  for (const MetricValue& value : evaluation.values()) json[value.name] = value.value;
  for (const ClickMeasure& measure : evaluation.measures)
    if (const auto* per_rank = std::get_if<ClickMeasure::PerRank>(&measure.compute))
      json[std::string(measure.name)] = (*per_rank)(evaluation);
  for (const ClickMeasure& measure : evaluation.measures)
    if (const auto* count = std::get_if<ClickMeasure::Count>(&measure.compute))
      json[std::string(measure.name)] = (*count)(evaluation);
  return json;
}

Json position_bias_json(const RunResult& result) {
  const PositionBias& learned = *result.position_bias;
  Json json = {{"scale", learned.additive ? "logit" : "relative"}, {"estimated", learned.by_rank}};
  for (const ConfidenceInterval& interval : result.position_bias_intervals) {
    json["low"].push_back(json_number(interval.lower));
    json["high"].push_back(json_number(interval.upper));
  }
  if (result.knows_bias_error()) {
    json["true"] = result.true_position_bias->by_rank;
    json["error"] = mean_squared_error(learned, *result.true_position_bias);
  }
  if (result.examination_check) {
    const ExaminationCheck& check = *result.examination_check;
    Json& estimate = json["all_pairs"];
    estimate["estimated"] = json_numbers(check.estimated);
    for (const auto& [name, end] : {std::pair("lower", &ConfidenceInterval::lower),
                                    std::pair("upper", &ConfidenceInterval::upper)}) {
      estimate[name] = Json::array();
      for (const auto& interval : check.intervals)
        estimate[name].push_back(interval ? json_number((*interval).*end) : Json());
    }
  }
  return json;
}

}  // namespace

const ClickEvaluation& RunResult::last_split() const {
  return test ? *test : valid ? *valid : *train;
}

std::string RunResult::last_split_name() const {
  return test ? "test" : valid ? "validation" : "training";
}

double RunResult::total_seconds() const {
  double seconds = training.seconds;
  for (const TrainingResult& stage : earlier_stages) seconds += stage.seconds;
  return seconds;
}

bool RunResult::knows_bias_error() const {
  return position_bias && true_position_bias &&
         position_bias->additive == true_position_bias->additive;
}

std::span<const RunMeasure> run_measures() { return run_table; }

nlohmann::ordered_json ranking_json(const RankingMetrics& metrics) {
  Json json;
  for (const MetricValue& metric : metrics.values()) json[metric.name] = metric.value;
  for (const RankingCount& count : ranking_counts)
    json[std::string(count.name)] = (metrics.*count.compute)();
  return json;
}

nlohmann::ordered_json policy_bins_json(const PolicyBins& bins) {
  return {{"lists", bins.lists},
          {"policy", json_numbers(bins.policy)},
          {"model", json_numbers(bins.model)},
          {"random", json_numbers(bins.random)}};
}

std::string results_json(const RunResult& result) {
  Json json = {{"name", result.name},
               {"model", result.model_type},
               {"version", version()},
               {"seed", result.seed},
               {"processes", result.processes}};
  if (!result.matrix_products.empty()) json["matrix_products"] = result.matrix_products;
  if (!result.training.divergence.empty()) json["divergence"] = result.training.divergence;
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  for (const RunMeasure& measure : run_table)
    if (const auto value = measure.compute(result))
      std::visit([&](auto number) { json[std::string(measure.name)] = number; }, *value);
  for (const TrainingResult& stage : result.earlier_stages)
    json["earlier_stages"].push_back({{"name", stage.epochs.front().stage},
                                      {"epochs", stage.epochs.size()},
                                      {"best_epoch", stage.best_epoch},
                                      {"seconds", stage.seconds}});
  if (result.train) json["train"] = split_json(*result.train);
  if (const auto& interval = result.train_ll_interval) {
    json["train"]["of_sessions"] = result.train_sessions;
    json["train"]["ll_interval"] = {interval->lower, interval->upper};
  }
  if (result.valid) json["valid"] = split_json(*result.valid);
  if (result.test) json["test"] = split_json(*result.test);
  if (result.ranking) json["test"]["ranking"] = ranking_json(*result.ranking);
  if (result.by_policy) json["test"]["ranking"]["by_policy"] = policy_bins_json(*result.by_policy);
  if (result.policy_ranking) json["logging_policy"] = ranking_json(*result.policy_ranking);
  if (result.position_bias) json["position_bias"] = position_bias_json(result);
  if (!result.words.empty()) json["words"] = words_json(result.words);
  if (const auto& messages = result.messages)
    json["messages"] = {{"megabytes", messages->bytes / 1e6}, {"seconds", messages->seconds}};
  if (const auto& teacher = result.teacher)
    json["teacher"] = {{"run", teacher->run},
                       {"model", teacher->model_type},
                       {"lists", teacher->lists},
                       {"kendall_tau", json_number(teacher->kendall_tau)}};
  if (!result.true_examination.empty())
    json["truth"] = {{"examination_per_rank", result.true_examination}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ultr
