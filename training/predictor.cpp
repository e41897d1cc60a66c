#include "training/predictor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "training/process_shards.h"

namespace ultr {
namespace {

/// Rows whose relevance is predicted at once.
constexpr std::size_t rows_at_once = std::size_t{1} << 16;

/// Distinguishes probabilities near 1.
double logit(double log_p, double log_complement) { return log_p - log_complement; }
double probability(double log_p, double) { return std::exp(log_p); }

/// Returns the result of each document, in the log's order.
std::vector<double> predict(const TrainableModel& model, std::vector<ClickPrograms>& programs,
                            const SessionLog& log, double (*result)(double, double)) {
  std::vector<double> results(log.documents());
  for_each_process_shard(
      model, log, static_cast<int>(programs.size()),
      [&](std::size_t worker, const ProcessShard& s) {
        const ClickProgram& program = programs[worker].run(s.shard, {}, s.table_rows, s.next);
        const auto p = program.log_p(), complement = program.log_complement();
        for (std::size_t k = 0; k < s.shard.longest(); ++k)
          for (std::size_t j = 0; j < s.shard.count(k); ++j) {
            const std::size_t at = s.shard.begin(k) + j;
            results[log.first_document(s.shard.order()[j]) + k] = result(p[at], complement[at]);
          }
      });
  Communicator* const processes = model.setting().processes;
  if (processes == nullptr) return results;
  const NumberRange own = sessions_of_process(processes, log);
  const std::size_t first = log.first_document(own.first), last = log.first_document(own.last);
  return gather_all(*processes, std::span<const double>(results).subspan(first, last - first));
}

/// Lists of a log that show documents only at the first `positions` positions.
struct KnownLists {
  SessionLog log;
  std::vector<std::uint32_t> documents;  // their documents' numbers in the whole log

  KnownLists(const SessionLog& all, std::size_t positions) {
    for (std::size_t i = 0; i < all.sessions(); ++i) {
      if (std::ranges::max(all[i].positions) >= positions) continue;
      log.add(all[i]);
      for (std::size_t k = 0; k < all.length(i); ++k)
        documents.push_back(static_cast<std::uint32_t>(all.first_document(i) + k));
    }
    if (all.features().empty()) return;
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t document : documents) rows.push_back(document + 1);
    log.set_features(all.features().of_rows(rows));
  }
};

}  // namespace

Predictor::Predictor(const TrainableModel& model, int threads)
    : model_(model),
      relevance_(programs_for_workers(model, ProgramKind::relevance, threads)),
      click_(programs_for_workers(model, ProgramKind::unconditional, threads)),
      given_clicks_above_(programs_for_workers(model, ProgramKind::conditional, threads)) {
  std::vector<ProgramKind> kinds = {ProgramKind::relevance};
  if (predicts_clicks())
    kinds.insert(kinds.end(), {ProgramKind::unconditional, ProgramKind::conditional});
  for (const ProgramKind kind : kinds) {
    const ClickProgram program(model, kind, 2);  // a list of one document may read fewer inputs
    reads_dictionary_ |= program.inputs().uses_rows();
    bool& reads_positions =
        kind == ProgramKind::relevance ? relevance_reads_positions_ : clicks_read_positions_;
    reads_positions |= program.inputs().uses_positions();
  }
}

std::vector<double> Predictor::relevance(const SessionLog& log) {
  return run(relevance_, log, relevance_reads_positions_, logit);
}

std::vector<double> Predictor::click(const SessionLog& log) {
  return run(click_, log, clicks_read_positions_, probability);
}

std::vector<double> Predictor::click_given_clicks_above(const SessionLog& log) {
  return run(given_clicks_above_, log, clicks_read_positions_, probability);
}

std::vector<double> Predictor::run(Programs& programs, const SessionLog& log, bool reads_positions,
                                   double (*result)(double, double)) const {
  const auto positions = static_cast<std::size_t>(model_.setting().positions);
  if (!reads_positions || log.positions() <= positions)
    return predict(model_, programs, log, result);
  const KnownLists known(log, positions);
  const std::vector<double> some = predict(model_, programs, known.log, result);
  std::vector<double> results(log.documents(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < some.size(); ++i) results[known.documents[i]] = some[i];
  return results;
}

std::vector<double> relevance_logits(const TrainableModel& model,
                                     std::span<const std::uint32_t> rows, int threads,
                                     const FeatureTable& features) {
  Predictor predictor(model, threads);
  std::vector<double> logits;
  for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
    const auto these = rows.subspan(first, std::min(rows.size() - first, rows_at_once));
    SessionLog lists;  // of one document each
    lists.add_unclicked(std::vector<std::uint64_t>(these.size()), these);
    if (!features.empty()) {
      std::vector<std::uint32_t> of_features(these.size());
      std::iota(of_features.begin(), of_features.end(), static_cast<std::uint32_t>(first));
      lists.set_features(features.of_rows(of_features));
    }
    const std::vector<double> some = predictor.relevance(lists);
    logits.insert(logits.end(), some.begin(), some.end());
  }
  return logits;
}

std::vector<double> relevance_logits(const TrainableModel& model, std::int64_t rows, int threads,
                                     const FeatureTable& features) {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0u);
  return relevance_logits(model, all, threads, features);
}

std::vector<double> relevance_logits(const TrainableModel& model, const JudgedLists& lists,
                                     int threads) {
  SessionLog log;  // without clicks: only relevance is computed
  for (std::size_t i = 0; i < lists.size(); ++i)
    log.add_unclicked(std::array{lists.query(i)}, lists.rows(i));
  auto programs = programs_for_workers(model, ProgramKind::relevance, threads);
  return predict(model, programs, log, logit);
}

}  // namespace ultr
