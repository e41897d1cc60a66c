#include "experiment/predictor.h"

#include <cmath>

#include "experiment/parallel_shards.h"

namespace ultr {

Predictor::Predictor(const TrainableModel& model, int threads) : model_(model) {
  for (int t = 0; t < threads; ++t) {
    relevance_.emplace_back(model, ProgramKind::relevance);
    click_.emplace_back(model, ProgramKind::unconditional);
    given_clicks_above_.emplace_back(model, ProgramKind::conditional);
  }
  std::vector<ProgramKind> kinds = {ProgramKind::relevance};
  if (predicts_clicks())
    kinds.insert(kinds.end(), {ProgramKind::unconditional, ProgramKind::conditional});
  for (const ProgramKind kind : kinds) {
    const ClickProgram program(model, kind, 2);  // one document asks for less than several do
    reads_dictionary_ |= program.inputs().uses_rows();
    reads_positions_ |= program.inputs().uses_positions();
  }
}

std::vector<double> Predictor::relevance(const SessionLog& log) {
  // The logit, which tells probabilities near 1 apart.
  return run(relevance_, log, [](double p, double complement) { return p - complement; });
}

std::vector<double> Predictor::click(const SessionLog& log) {
  return run(click_, log, [](double p, double) { return std::exp(p); });
}

std::vector<double> Predictor::click_given_clicks_above(const SessionLog& log) {
  return run(given_clicks_above_, log, [](double p, double) { return std::exp(p); });
}

std::vector<double> Predictor::run(Programs& programs, const SessionLog& log,
                                   double (*result)(double, double)) const {
  std::vector<double> results(log.documents());
  for_each_shard(log, static_cast<int>(programs.size()),
                 [&](std::size_t worker, std::size_t, const Shard& shard) {
                   const ClickProgram& program = programs[worker].run(shard);
                   const auto p = program.log_p(), complement = program.log_complement();
                   for (std::size_t k = 0; k < shard.longest(); ++k)
                     for (std::size_t j = 0; j < shard.count(k); ++j) {
                       const std::size_t at = shard.begin(k) + j;
                       results[log.first_document(shard.order()[j]) + k] =
                           result(p[at], complement[at]);
                     }
                 });
  return results;
}

}  // namespace ultr
