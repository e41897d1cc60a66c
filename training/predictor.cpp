#include "training/predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "data/log/parallel_shards.h"

namespace ultr {
namespace {

/// Rows whose relevance is predicted at once.
constexpr std::uint32_t rows_at_once = std::uint32_t{1} << 16;

/// Returns the features of rows `first` to `last` - 1 as documents of a log bring them.
FeatureTable features_of_rows(const FeatureTable& features, std::uint32_t first,
                              std::uint32_t last) {
  std::vector<float> values(static_cast<std::size_t>(features.count()));  // row 0 is zero
  for (std::uint32_t row = first; row < last; ++row) {
    const std::span<const float> from = features.row(row);
    values.insert(values.end(), from.begin(), from.end());
  }
  FeatureTable table(std::move(values), features.count(), features.bias_count(),
                     features.may_miss());
  if (!features.tokens().empty()) {
    TokenColumnsBuilder words;
    for (std::uint32_t row = first; row < last; ++row) words.add(features.tokens()[row]);
    table.set_tokens({words.build(), features.tokens().vocabulary()});
  }
  return table;
}

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
  // The logit, which distinguishes probabilities near 1.
  return run(relevance_, log, relevance_reads_positions_,
             [](double p, double complement) { return p - complement; });
}

std::vector<double> Predictor::click(const SessionLog& log) {
  return run(click_, log, clicks_read_positions_, [](double p, double) { return std::exp(p); });
}

std::vector<double> Predictor::click_given_clicks_above(const SessionLog& log) {
  return run(given_clicks_above_, log, clicks_read_positions_,
             [](double p, double) { return std::exp(p); });
}

std::vector<double> Predictor::run(Programs& programs, const SessionLog& log, bool reads_positions,
                                   double (*result)(double, double)) const {
  std::vector<double> results(log.documents(), std::numeric_limits<double>::quiet_NaN());
  const auto known = static_cast<std::uint16_t>(
      std::min<std::int64_t>(model_.setting().positions - 1, 65535));  // the last known position
  std::vector<std::uint32_t> sessions;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    if (!reads_positions || std::ranges::max(log[i].positions) <= known)
      sessions.push_back(static_cast<std::uint32_t>(i));
  std::vector<Shard> shards(programs.size());  // one per worker
  const auto predict = [&](std::size_t worker, std::size_t number) {
    Shard& shard = shards[worker];
    const std::size_t begin = number * shard_sessions;
    shard.pack(
        log, std::span(sessions).subspan(begin, std::min(shard_sessions, sessions.size() - begin)));
    const ClickProgram& program = programs[worker].run(shard);
    const auto p = program.log_p(), complement = program.log_complement();
    for (std::size_t k = 0; k < shard.longest(); ++k)
      for (std::size_t j = 0; j < shard.count(k); ++j) {
        const std::size_t at = shard.begin(k) + j;
        results[log.first_document(shard.order()[j]) + k] = result(p[at], complement[at]);
      }
  };
  for_each_item(static_cast<int>(programs.size()), shards_of(sessions.size()), predict);
  return results;
}

std::vector<double> relevance_logits(const TrainableModel& model, std::int64_t rows, int threads,
                                     const FeatureTable& features) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  Predictor predictor(model, threads);
  std::vector<double> logits;
  const auto end = static_cast<std::uint32_t>(rows);
  for (std::uint32_t first = 0; first < end; first += rows_at_once) {
    const std::uint32_t last = std::min(end, first + rows_at_once);
    SessionLog lists;
    for (std::uint32_t row = first; row < last; ++row)
      lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
    if (!features.empty()) lists.set_features(features_of_rows(features, first, last));
    const std::vector<double> some = predictor.relevance(lists);
    logits.insert(logits.end(), some.begin(), some.end());
  }
  return logits;
}

}  // namespace ultr
