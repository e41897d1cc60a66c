#include "training/ranking_evaluation.h"

#include <array>
#include <numeric>

#include "dsl/divided_model.h"
#include "dsl/programs/click_program.h"

namespace ultr {

std::vector<double> relevance_logits(const TrainableModel& model, const JudgedLists& lists) {
  std::vector<double> all;
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
    const ClickProgram& program =
        programs.run(shard, {}, divided ? divided->rows(0) : std::span<const std::uint32_t>());
    const std::vector<double> log_p = program.log_p(), log_complement = program.log_complement();
    for (std::size_t k = 0; k < length; ++k) all.push_back(log_p[k] - log_complement[k]);
  }
  return all;
}

RankingMetrics evaluate_ranking(const TrainableModel& model, const JudgedLists& lists,
                                const RankingOptions& options) {
  return evaluate_scores(relevance_logits(model, lists), lists, options);
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
