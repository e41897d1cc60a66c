#include "experiment/evaluation.h"

#include <cmath>
#include <numeric>

#include "experiment/parallel_shards.h"

namespace ultr {
namespace {

/// Calls visit(document, rank number j) for the documents of a shard in its order.
template <class Visit>
void for_each_document(const Shard& shard, Visit visit) {
  for (std::size_t k = 0; k < shard.longest(); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j) visit(shard.begin(k) + j, j);
}

/// What one shard adds to an evaluation.
struct ShardEvaluation {
  ClickMetrics conditional, unconditional;
  Calibration calibration{click_calibration};
  double loss = 0;
  std::size_t impossible_clicks = 0;
  std::vector<double> examined, shown;  // by position
};

ShardEvaluation evaluate_shard(const Shard& shard, const ClickProgram& conditional,
                               const ClickProgram& unconditional, const ClickProgram& examination,
                               LossMean mean, std::span<SessionLikelihood> each) {
  ShardEvaluation result;
  auto log_p = conditional.log_p();
  const auto log_not = conditional.log_complement();
  const auto free_log_p = unconditional.log_p(), free_log_not = unconditional.log_complement();
  const auto log_examined = examination.log_p();
  std::vector<double> length(shard.sessions());
  for_each_document(shard, [&](std::size_t, std::size_t j) { ++length[j]; });
  for_each_document(shard, [&](std::size_t i, std::size_t j) {
    const bool clicked = shard.clicks()[i] != 0;
    const std::size_t position = shard.positions()[i];
    if (clicked && log_p[i] == -HUGE_VAL) {
      log_p[i] = min_log_prob;
      ++result.impossible_clicks;
    }
    result.conditional.add(position, clicked, log_p[i], log_not[i]);
    result.unconditional.add(position, clicked, free_log_p[i], free_log_not[i]);
    result.calibration.add(clicked, log_p[i]);
    const double seen = clicked ? log_p[i] : log_not[i];
    result.loss -= mean == LossMean::documents ? seen : seen / length[j];
    if (!each.empty()) {
      SessionLikelihood& session = each[shard.order()[j]];
      session.conditional += seen;
      session.unconditional += clicked ? free_log_p[i] : free_log_not[i];
    }
    if (result.shown.size() <= position) {
      result.shown.resize(position + 1);
      result.examined.resize(position + 1);
    }
    ++result.shown[position];
    result.examined[position] += std::exp(log_examined[i]);
  });
  return result;
}

double units(const SessionLog& log, LossMean mean) {
  return static_cast<double>(mean == LossMean::documents ? log.documents() : log.sessions());
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
  auto conditional = programs_for_workers(model, ProgramKind::conditional, threads);
  auto unconditional = programs_for_workers(model, ProgramKind::unconditional, threads);
  auto examination = programs_for_workers(model, ProgramKind::examination, threads);
  std::fill(each.begin(), each.end(), SessionLikelihood{});
  std::vector<ShardEvaluation> shards(count_shards(log));
  for_each_shard(log, threads, [&](std::size_t worker, std::size_t number, const Shard& shard) {
    shards[number] =
        evaluate_shard(shard, conditional[worker].run(shard), unconditional[worker].run(shard),
                       examination[worker].run(shard), mean, each);
  });
  ClickEvaluation result;
  std::vector<double> shown;
  for (const ShardEvaluation& shard : shards) {
    result.conditional.add(shard.conditional);
    result.unconditional.add(shard.unconditional);
    result.calibration.add(shard.calibration);
    result.loss += shard.loss;
    result.impossible_clicks += shard.impossible_clicks;
    if (shown.size() < shard.shown.size()) {
      shown.resize(shard.shown.size());
      result.examination.resize(shard.shown.size());
    }
    for (std::size_t k = 0; k < shard.shown.size(); ++k) {
      shown[k] += shard.shown[k];
      result.examination[k] += shard.examined[k];
    }
  }
  for (std::size_t k = 0; k < shown.size(); ++k) result.examination[k] /= shown[k];
  result.loss /= units(log, mean);
  result.sessions = log.sessions();
  return result;
}

double evaluate_loss(const TrainableModel& model, const SessionLog& log, LossMean mean,
                     int threads) {
  auto programs = programs_for_workers(model, ProgramKind::loss, threads, mean);
  std::vector<double> losses(count_shards(log));
  for_each_shard(log, threads, [&](std::size_t worker, std::size_t number, const Shard& shard) {
    losses[number] = programs[worker].run(shard).loss();
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0) / units(log, mean);
}

RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options) {
  RankingMetrics metrics(options);
  ClickPrograms programs(model, ProgramKind::relevance);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    // A judged list is a session without clicks; only what a document is worth is asked for.
    SessionLog list;
    const std::size_t length = lists.rows(i).size();
    std::vector<std::uint16_t> positions(length);
    std::iota(positions.begin(), positions.end(), std::uint16_t{0});
    list.add({lists.rows(i), positions, std::vector<std::uint8_t>(length)});
    Shard shard;
    shard.pack(list, std::array{0u});
    // The logit, which tells probabilities near 1 apart.
    const ClickProgram& program = programs.run(shard);
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
