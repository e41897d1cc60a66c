#include "metrics/click_evaluation.h"

#include <algorithm>

namespace ultr {
namespace {

using Clicks = ClickEvaluation;

constexpr ClickMeasure click_measure_table[] = {
    {{"loss", "mean training loss, over documents or sessions", Better::lower, Shown::progress},
     [](const Clicks& e) { return e.loss; }},
    {{"ll", "mean log-likelihood of a click or skip given earlier clicks (natural log)",
      Better::higher, Shown::summary},
     [](const Clicks& e) { return e.conditional.log_likelihood(); },
     "ll"},
    {{"ppl", "perplexity of unconditional click predictions, over all documents; 1 is perfect",
      Better::lower, Shown::progress},
     [](const Clicks& e) { return e.unconditional.perplexity(); },
     "unconditional_ll"},
    {{"ppl_rank_mean", "ppl of each rank, then the plain mean over ranks", Better::lower},
     [](const Clicks& e) { return e.unconditional.perplexity_rank_mean(); }},
    {{"cond_ppl", "perplexity of click predictions given earlier clicks, over all documents",
      Better::lower, Shown::progress},
     [](const Clicks& e) { return e.conditional.perplexity(); },
     "ll"},
    {{"cond_ppl_rank_mean", "cond_ppl of each rank, then the plain mean over ranks", Better::lower},
     [](const Clicks& e) { return e.conditional.perplexity_rank_mean(); }},
    {{"ppl_per_rank", "ppl of the documents at each rank", Better::lower},
     [](const Clicks& e) { return e.unconditional.perplexity_per_rank(); }},
    {{"cond_ppl_per_rank", "cond_ppl of the documents at each rank", Better::lower},
     [](const Clicks& e) { return e.conditional.perplexity_per_rank(); }},
    {{"click_rate_per_rank", "observed clicks over documents at each rank"},
     [](const Clicks& e) { return e.conditional.click_rate_per_rank(); }},
    {{"examination_per_rank", "mean probability that a user examines each rank"},
     [](const Clicks& e) { return e.examination; }},
    {{"sessions", "sessions: of training, or of the split that was evaluated"},
     [](const Clicks& e) { return std::uint64_t{e.sessions}; }},
    {{"documents", "documents: of training, or those of a split whose clicks were predicted"},
     [](const Clicks& e) { return e.conditional.documents(); }},
    {{"impossible_clicks", "clicks that had probability 0", Better::lower},
     [](const Clicks& e) { return std::uint64_t{e.impossible_clicks}; }},
};

}  // namespace

std::span<const ClickMeasure> click_measures() { return click_measure_table; }

std::vector<ClickMeasure> numbers_in_files(std::span<const ClickMeasure> table) {
  std::vector<ClickMeasure> numbers;
  for (const ClickMeasure& measure : table)
    if (std::holds_alternative<ClickMeasure::Number>(measure.compute)) numbers.push_back(measure);
  std::stable_partition(numbers.begin(), numbers.end(),
                        [](const Measure& measure) { return measure.shown >= Shown::summary; });
  return numbers;
}

Calibration empty_click_calibration() {
  static const Calibration empty{click_calibration};
  return empty;
}

std::vector<MetricValue> ClickEvaluation::values(Shown least) const {
  std::vector<MetricValue> values;
  for (const ClickMeasure& measure : numbers_in_files(measures))
    if (measure.shown >= least)
      values.push_back(
          {std::string(measure.name), std::get<ClickMeasure::Number>(measure.compute)(*this)});
  return values;
}

}  // namespace ultr
