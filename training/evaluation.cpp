#include "training/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads/ordered_reducer.h"
#include "dsl/divided_model.h"
#include "kernels/sum_of_logs.h"
#include "layers/sequence_encoder.h"
#include "losses/ranking_loss.h"
#include "metrics/rank_runs.h"
#include "training/process_shards.h"

namespace ultr {
namespace {

/// Numbers per document of a shard, whose memory a worker reuses.
struct ShardNumbers {
  std::vector<double> given_clicks, alone, p, logs;
  std::vector<double> weights;  // of their sessions; empty if all are 1

  void set_weights(const Shard& shard) {
    weights.clear();
    if (shard.weights().empty()) return;
    for (std::size_t k = 0; k < shard.longest(); ++k)
      weights.insert(weights.end(), shard.weights().begin(),
                     shard.weights().begin() + shard.count(k));
  }
  /// Returns Σ of numbers `begin` to `begin` + `count` - 1, by their weights.
  double sum(std::span<const double> numbers, std::size_t begin, std::size_t count) const {
    if (weights.empty()) return sum_of(numbers.data() + begin, count);
    return std::inner_product(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                              numbers.begin() + static_cast<std::ptrdiff_t>(begin + count),
                              weights.begin() + static_cast<std::ptrdiff_t>(begin), 0.0);
  }
  /// Returns the number of these documents, by their weights.
  double count(std::size_t begin, std::size_t count) const {
    if (weights.empty()) return static_cast<double>(count);
    const auto first = weights.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::accumulate(first, first + static_cast<std::ptrdiff_t>(count), 0.0);
  }
};

/// Gives clicks that are impossible under the model their score, in `numbers`, where the
/// likelihoods are then, and returns how many there are.
std::size_t score_impossible_clicks(std::span<const std::uint8_t> clicks, Likelihoods& likelihoods,
                                    std::vector<double>& numbers) {
  const double never = likelihoods.are_logarithms ? -HUGE_VAL : 0;
  if (likelihoods.values.data() != numbers.data())
    numbers.assign(likelihoods.values.begin(), likelihoods.values.end());
  likelihoods.values = numbers;
  std::size_t impossible = 0;
  for (std::size_t i = 0; i < clicks.size(); ++i)
    if (clicks[i] != 0 && numbers[i] == never) {
      numbers[i] = likelihoods.are_logarithms ? min_log_prob : std::exp(min_log_prob);
      ++impossible;
    }
  return impossible;
}

/// Returns the log-likelihood of each session of a shard.
std::vector<double> sums_by_session(const Shard& shard, const Likelihoods& likelihoods,
                                    std::vector<double>& memory) {
  std::span<const double> logs = likelihoods.values;
  if (!likelihoods.are_logarithms) {
    write_logs(likelihoods.values, memory);
    logs = memory;
  }
  std::vector<double> sums(shard.sessions());
  for (std::size_t k = 0; k < shard.longest(); ++k) {
    const double* const here = logs.data() + shard.begin(k);
    for (std::size_t j = 0; j < shard.count(k); ++j) sums[j] += here[j];
  }
  return sums;
}

/// Returns the sum over sessions, by their weights, of the mean over their documents.
double sum_of_session_means(const Shard& shard, std::span<const double> sums) {
  double total = 0;
  for (std::size_t k = shard.longest(); k-- > 0;)  // sessions are ordered longest first
    for (std::size_t j = shard.count(k + 1); j < shard.count(k); ++j) {
      const double mean = sums[j] / static_cast<double>(k + 1);
      total += shard.weights().empty() ? mean : static_cast<double>(shard.weights()[j]) * mean;
    }
  return total;
}

/// The evaluation of one or several shards, which are added in their order.
struct EvaluationSum {
  ClickEvaluation result;     // sums, not yet divided into means
  std::vector<double> shown;  // documents by displayed position

  void add(const EvaluationSum& shard) {
    result.conditional.add(shard.result.conditional);
    result.unconditional.add(shard.result.unconditional);
    result.calibration.add(shard.result.calibration);
    result.loss += shard.result.loss;
    result.impossible_clicks += shard.result.impossible_clicks;
    if (shown.size() < shard.shown.size()) {
      shown.resize(shard.shown.size());
      result.examination.resize(shard.shown.size());
    }
    for (std::size_t k = 0; k < shard.shown.size(); ++k) {
      shown[k] += shard.shown[k];
      result.examination[k] += shard.result.examination[k];
    }
  }

  std::vector<std::byte> message() const {
    std::vector<std::byte> message;
    append(message, result.loss);
    append(message, result.impossible_clicks);
    for (const auto& numbers : {result.conditional.sums(), result.unconditional.sums(),
                                result.calibration.sums(), result.examination, shown}) {
      append(message, numbers.size());
      append(message, std::span<const double>(numbers));
    }
    return message;
  }
  void set(std::span<const std::byte> message) {
    MessageReader reader(message);
    std::vector<double> numbers;
    const auto next = [&]() -> const std::vector<double>& {
      reader.read(numbers, reader.read<std::size_t>());
      return numbers;
    };
    result.loss = reader.read<double>();
    result.impossible_clicks = reader.read<std::size_t>();
    result.conditional = ClickMetrics::of_sums(next());
    result.unconditional = ClickMetrics::of_sums(next());
    result.calibration.set_sums(next());
    result.examination = next();
    shown = next();
  }
};

/// Adds calibration and examination to the evaluation of a shard.
void describe_predictions(const Shard& shard, const ClickProgram& predictions,
                          ShardNumbers& numbers, EvaluationSum& sum) {
  sum.result.calibration.add(shard.clicks(), predictions.p(ProgramKind::conditional, numbers.p),
                             numbers.weights);
  sum.shown.resize(shard.positions_count());
  sum.result.examination.resize(shard.positions_count());
  const auto examined = predictions.p(ProgramKind::examination, numbers.p);
  for_each_rank_run(shard.positions(),
                    [&](std::uint32_t position, std::size_t begin, std::size_t count) {
                      sum.shown[position] += numbers.count(begin, count);
                      sum.result.examination[position] += numbers.sum(examined, begin, count);
                    });
}

EvaluationSum evaluate_shard(const Shard& shard, const ClickProgram& predictions, LossMean mean,
                             std::span<SessionLikelihood> each, EvaluatedParts parts,
                             ShardNumbers& numbers) {
  EvaluationSum sum;
  ClickEvaluation& result = sum.result;
  const auto clicks = shard.clicks();
  const auto positions = shard.positions();
  numbers.set_weights(shard);
  Likelihoods given_clicks =
      predictions.likelihoods(ProgramKind::conditional, clicks, numbers.given_clicks);
  result.conditional.add(positions, clicks, given_clicks, numbers.weights);
  if (!std::isfinite(result.conditional.log_likelihood())) {  // something impossible happened
    result.impossible_clicks = score_impossible_clicks(clicks, given_clicks, numbers.given_clicks);
    result.conditional = {};
    result.conditional.add(positions, clicks, given_clicks, numbers.weights);
  }
  const bool same = predictions.has_independent_clicks() && result.impossible_clicks == 0;
  Likelihoods alone = given_clicks;
  if (same) {
    result.unconditional = result.conditional;
  } else {
    alone = predictions.likelihoods(ProgramKind::unconditional, clicks, numbers.alone);
    result.unconditional.add(positions, clicks, alone, numbers.weights);
  }
  if (mean == LossMean::sessions || !each.empty()) {
    const auto sums = sums_by_session(shard, given_clicks, numbers.logs);
    if (mean == LossMean::sessions) result.loss = -sum_of_session_means(shard, sums);
    if (!each.empty()) {
      const auto sums_alone = same ? sums : sums_by_session(shard, alone, numbers.logs);
      for (std::size_t j = 0; j < sums.size(); ++j)
        each[shard.order()[j]] = {sums[j], sums_alone[j]};
    }
  }
  if (parts == EvaluatedParts::all) describe_predictions(shard, predictions, numbers, sum);
  return sum;
}

double units(const SessionLog& log, LossMean mean) {
  return mean == LossMean::documents ? log.weighted_documents() : log.weighted_sessions();
}

std::size_t counted_sessions(const SessionLog& log) {
  return static_cast<std::size_t>(std::llround(log.weighted_sessions()));
}

/// Adds up the evaluations of all processes. Each process continues from the sum of the one before
/// it, so shards are added in their order and the result is bit-identical to that of a single
/// process.
void add_in_turn(Communicator& processes, EvaluationSum& sum,
                 const std::vector<EvaluationSum>& own) {
  Messages all;
  for (int turn = 0; turn < processes.size(); ++turn) {
    const bool mine = processes.process() == turn;
    if (mine)
      for (const EvaluationSum& shard : own) sum.add(shard);
    processes.gather(mine ? sum.message() : std::vector<std::byte>(), all);
    sum.set(all[static_cast<std::size_t>(turn)]);
  }
}

/// Shares the likelihoods of each process's own sessions with all processes.
void share(Communicator* processes, const SessionLog& log, std::span<SessionLikelihood> each) {
  if (processes == nullptr || each.empty()) return;
  const NumberRange own = sessions_of_process(processes, log);
  const auto all = gather_all(
      *processes, std::span<const SessionLikelihood>(each.subspan(own.first, own.size())));
  std::copy(all.begin(), all.end(), each.begin());
}

bool weights_likelihood(const TrainableModel& model) {
  const auto* loss = dynamic_cast<const RankingLoss*>(&model.story());
  return loss != nullptr && loss->weights_likelihood();
}

}  // namespace

ClickEvaluation evaluate_clicks(const TrainableModel& model, const SessionLog& log, LossMean mean,
                                int threads, std::span<SessionLikelihood> each,
                                EvaluatedParts parts) {
  if (!model.story().predicts_clicks() || log.has_targets()) {
    ClickEvaluation result;
    result.loss = evaluate_loss(model, log, mean, threads);
    result.sessions = counted_sessions(log);
    return result;
  }
  Communicator* const processes = model.setting().processes;
  const bool all = parts == EvaluatedParts::all;
  auto predictions = programs_for_workers(
      model, all ? ProgramKind::predictions : ProgramKind::likelihoods, threads);
  std::vector<ShardNumbers> numbers(static_cast<std::size_t>(threads));  // by worker
  const NumberRange own = shards_of_process(processes, log);
  EvaluationSum sum;
  // With several processes, shards wait for the turn of this one. Otherwise they are added as they
  // are done.
  std::vector<EvaluationSum> waiting(processes == nullptr ? 0 : own.size());
  OrderedReducer<EvaluationSum> in_order(own.first,
                                         [&](const EvaluationSum& shard) { sum.add(shard); });
  for_each_process_shard(model, log, threads, [&](std::size_t worker, const ProcessShard& s) {
    EvaluationSum shard =
        evaluate_shard(s.shard, predictions[worker].run(s.shard, {}, s.table_rows, s.next), mean,
                       each, parts, numbers[worker]);
    if (processes == nullptr)
      in_order.put(s.number, std::move(shard));
    else
      waiting[s.number - own.first] = std::move(shard);
  });
  if (processes != nullptr) add_in_turn(*processes, sum, waiting);
  share(processes, log, each);
  ClickEvaluation& result = sum.result;
  for (std::size_t k = 0; k < sum.shown.size(); ++k) result.examination[k] /= sum.shown[k];
  if (weights_likelihood(model))
    result.loss = evaluate_loss(model, log, mean, threads);
  else if (mean == LossMean::documents)
    result.loss = -result.conditional.log_likelihood();
  else
    result.loss /= units(log, mean);
  result.sessions = counted_sessions(log);
  return std::move(result);
}

double evaluate_loss(const TrainableModel& model, const SessionLog& log, LossMean mean,
                     int threads) {
  Communicator* const processes = model.setting().processes;
  auto programs = programs_for_workers(model, ProgramKind::loss, threads, mean);
  const NumberRange own = shards_of_process(processes, log);
  std::vector<double> losses(own.size());
  for_each_process_shard(model, log, threads, [&](std::size_t worker, const ProcessShard& s) {
    losses[s.number - own.first] = programs[worker].run(s.shard, {}, s.table_rows, s.next).loss();
  });
  if (processes != nullptr) losses = gather_all(*processes, std::span<const double>(losses));
  return std::accumulate(losses.begin(), losses.end(), 0.0) / units(log, mean);
}

std::string masked_accuracy_of(const std::string& parameter) {
  return parameter + ".masked_accuracy";
}

std::vector<MetricValue> evaluate_masked_words(const TrainableModel& model, const SessionLog& log,
                                               int threads) {
  std::vector<MetricValue> accuracies;
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (!model.learns_words(layer)) continue;
    const MaskedWordTask& words = *layer.layer->masked_words();
    const auto mean = [&](const SequenceEncoder& count) {
      return 0 - evaluate_loss(model.of_words(layer, count), log, LossMean::documents, threads);
    };
    accuracies.push_back(
        {masked_accuracy_of(layer.name), mean(*words.guessed) / mean(*words.masked)});
  }
  return accuracies;
}

}  // namespace ultr
