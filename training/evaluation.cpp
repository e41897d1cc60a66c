#include "training/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads/ordered_reducer.h"
#include "dsl/divided_model.h"
#include "kernels/vector_math.h"
#include "losses/ranking_loss.h"
#include "training/process_shards.h"

namespace ultr {
namespace {

/// Returns e^x of each number x.
std::vector<double> exp(std::vector<double> numbers) {
  using P = Pack<double>;
  for (std::size_t i = 0; i < numbers.size(); i += P::size) {
    const std::size_t count = std::min(P::size, numbers.size() - i);
    ultr::exp(P::load(numbers.data() + i, count)).store(numbers.data() + i, count);
  }
  return numbers;
}

/// Calls visit(document, j) for the documents of a shard in its order, where j is the place of the
/// session in the shard.
template <class Visit>
void for_each_document(const Shard& shard, Visit visit) {
  for (std::size_t k = 0; k < shard.longest(); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j) visit(shard.begin(k) + j, j);
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

EvaluationSum evaluate_shard(const Shard& shard, const ClickProgram& predictions, LossMean mean,
                             std::span<SessionLikelihood> each) {
  EvaluationSum sum;
  ClickEvaluation& result = sum.result;
  auto log_p = predictions.log_p(ProgramKind::conditional);
  const auto log_not = predictions.log_complement(ProgramKind::conditional);
  const auto free_log_p = predictions.log_p(ProgramKind::unconditional),
             free_log_not = predictions.log_complement(ProgramKind::unconditional);
  const auto clicks = shard.clicks();
  for (std::size_t i = 0; i < clicks.size(); ++i)
    if (clicks[i] != 0 && log_p[i] == -HUGE_VAL) {
      log_p[i] = min_log_prob;
      ++result.impossible_clicks;
    }
  result.conditional.add(shard.positions(), clicks, log_p, log_not);
  result.unconditional.add(shard.positions(), clicks, free_log_p, free_log_not);
  result.calibration.add(clicks, log_p);
  std::vector<double> length(shard.sessions());
  for_each_document(shard, [&](std::size_t, std::size_t j) { ++length[j]; });
  double loss = 0;  // stays in a register, as do the sums below
  for_each_document(shard, [&](std::size_t i, std::size_t j) {
    const double seen = clicks[i] != 0 ? log_p[i] : log_not[i];
    loss -= mean == LossMean::documents ? seen : seen / length[j];
    if (each.empty()) return;
    SessionLikelihood& session = each[shard.order()[j]];
    session.conditional += seen;
    session.unconditional += clicks[i] != 0 ? free_log_p[i] : free_log_not[i];
  });
  result.loss = loss;
  sum.shown.resize(shard.positions_count());
  result.examination.resize(shard.positions_count());
  const std::vector<double> examined = exp(predictions.log_p(ProgramKind::examination));
  const auto positions = shard.positions();
  for (std::size_t i = 0; i < examined.size();) {
    const std::uint32_t position = positions[i];
    double shown = sum.shown[position], seen = result.examination[position];
    for (; i < examined.size() && positions[i] == position; ++i, ++shown) seen += examined[i];
    sum.shown[position] = shown;
    result.examination[position] = seen;
  }
  return sum;
}

double units(const SessionLog& log, LossMean mean) {
  return static_cast<double>(mean == LossMean::documents ? log.documents() : log.sessions());
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
  const NumberRange shards = shards_of_process(processes, log);
  const std::size_t begin = std::min(shards.first * shard_sessions, each.size()),
                    end = std::min(shards.last * shard_sessions, each.size());
  const auto all =
      gather_all(*processes, std::span<const SessionLikelihood>(each.subspan(begin, end - begin)));
  std::copy(all.begin(), all.end(), each.begin());
}

bool weights_likelihood(const TrainableModel& model) {
  const auto* loss = dynamic_cast<const RankingLoss*>(&model.story());
  return loss != nullptr && loss->weights_likelihood();
}

}  // namespace

ClickEvaluation evaluate_clicks(const TrainableModel& model, const SessionLog& log, LossMean mean,
                                int threads, std::span<SessionLikelihood> each) {
  if (!model.story().predicts_clicks() || log.has_targets()) {
    ClickEvaluation result;
    result.loss = evaluate_loss(model, log, mean, threads);
    result.sessions = log.sessions();
    return result;
  }
  Communicator* const processes = model.setting().processes;
  auto predictions = programs_for_workers(model, ProgramKind::predictions, threads);
  std::fill(each.begin(), each.end(), SessionLikelihood{});
  const NumberRange own = shards_of_process(processes, log);
  EvaluationSum sum;
  // With several processes, shards wait for the turn of this one. Otherwise they are added as they
  // are done.
  std::vector<EvaluationSum> waiting(processes == nullptr ? 0 : own.size());
  OrderedReducer<EvaluationSum> in_order(own.first,
                                         [&](const EvaluationSum& shard) { sum.add(shard); });
  for_each_process_shard(model, log, threads, [&](std::size_t worker, const ProcessShard& s) {
    EvaluationSum shard =
        evaluate_shard(s.shard, predictions[worker].run(s.shard, {}, s.table_rows), mean, each);
    if (processes == nullptr)
      in_order.put(s.number, std::move(shard));
    else
      waiting[s.number - own.first] = std::move(shard);
  });
  if (processes != nullptr) add_in_turn(*processes, sum, waiting);
  share(processes, log, each);
  ClickEvaluation& result = sum.result;
  for (std::size_t k = 0; k < sum.shown.size(); ++k) result.examination[k] /= sum.shown[k];
  result.loss = weights_likelihood(model) ? evaluate_loss(model, log, mean, threads)
                                          : result.loss / units(log, mean);
  result.sessions = log.sessions();
  return std::move(result);
}

double evaluate_loss(const TrainableModel& model, const SessionLog& log, LossMean mean,
                     int threads) {
  Communicator* const processes = model.setting().processes;
  auto programs = programs_for_workers(model, ProgramKind::loss, threads, mean);
  const NumberRange own = shards_of_process(processes, log);
  std::vector<double> losses(own.size());
  for_each_process_shard(model, log, threads, [&](std::size_t worker, const ProcessShard& s) {
    losses[s.number - own.first] = programs[worker].run(s.shard, {}, s.table_rows).loss();
  });
  if (processes != nullptr) losses = gather_all(*processes, std::span<const double>(losses));
  return std::accumulate(losses.begin(), losses.end(), 0.0) / units(log, mean);
}

RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options) {
  RankingMetrics metrics(options);
  ClickPrograms programs(model, ProgramKind::relevance);
  const auto divided = divide_tables(model);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    // A judged list is a session without clicks: only relevance is computed.
    SessionLog list;
    const std::size_t length = lists.rows(i).size();
    std::vector<std::uint16_t> positions(length);
    std::iota(positions.begin(), positions.end(), std::uint16_t{0});
    list.add({lists.rows(i), positions, std::vector<std::uint8_t>(length)});
    Shard shard;
    shard.pack(list, std::array{0u});
    if (divided) divided->fetch({&shard, 1});
    // The logit, which distinguishes probabilities near 1.
    const ClickProgram& program =
        programs.run(shard, {}, divided ? divided->rows(0) : std::span<const std::uint32_t>());
    std::vector<double> scores = program.log_p();
    const std::vector<double> log_complement = program.log_complement();
    for (std::size_t k = 0; k < length; ++k) scores[k] -= log_complement[k];
    metrics.add(scores, lists.labels(i));
  }
  return metrics;
}

RankingMetrics evaluate_scores(std::span<const double> scores, const JudgedLists& lists,
                               const RankingOptions& options) {
  RankingMetrics metrics(options);
  std::size_t first = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::size_t length = lists.rows(i).size();
    metrics.add(scores.subspan(first, length), lists.labels(i));
    first += length;
  }
  return metrics;
}

}  // namespace ultr
