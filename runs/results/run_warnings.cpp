#include "runs/results/run_warnings.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "data/log/session_sample.h"
#include "dsl/identical_components.h"
#include "dsl/programs/click_program.h"
#include "metrics/bias/position_bias.h"
#include "metrics/bootstrap.h"
#include "training/predictor.h"

namespace ultr {
namespace {

constexpr std::size_t most_documents_drawn = 1'000'000, most_ranks = 100, resamples = 40;
/// Normal 99.7% intervals: all of a few dozen ranks are inside with high probability.
constexpr double deviations = 3;
constexpr double smallest_factor = 1.5;

/// Returns how many sessions of a log have about most_documents_drawn documents.
std::size_t affordable_sessions(const SessionLog& log) {
  if (log.documents() <= most_documents_drawn) return log.sessions();
  const double share =
      static_cast<double>(most_documents_drawn) / static_cast<double>(log.documents());
  return static_cast<std::size_t>(std::ceil(share * static_cast<double>(log.sessions())));
}

/// Returns true if a log whose lists have weights can be taken session by session.
bool can_be_single_sessions(const SessionLog& log) {
  return log.weighted_documents() <= static_cast<double>(most_documents_drawn) &&
         std::ranges::all_of(log.weights(),
                             [](double weight) { return weight == std::floor(weight); });
}

/// Returns the interval of a number above 0 from its logarithms in resamples. Returns nothing if
/// some resample does not have one.
std::optional<ConfidenceInterval> interval_of(double estimate,
                                              const std::vector<Propensities>& resampled,
                                              std::size_t k) {
  double sum = 0, squares = 0;
  for (const Propensities& values : resampled) {
    if (!(values[k] > 0)) return std::nullopt;
    const double difference = std::log(values[k] / estimate);
    sum += difference;
    squares += difference * difference;
  }
  const auto count = static_cast<double>(resampled.size());
  const double variance = std::max(0.0, (squares - sum * sum / count) / (count - 1));
  const double width = deviations * std::sqrt(variance);
  return ConfidenceInterval{estimate * std::exp(-width), estimate * std::exp(width)};
}

}  // namespace

std::optional<std::size_t> ExaminationCheck::farthest_outside() const {
  std::optional<std::size_t> farthest;
  double largest = std::log(smallest_factor);
  for (std::size_t k = 0; k < std::min(learned.size(), estimated.size()); ++k) {
    if (!intervals[k] || !(learned[k] >= 0)) continue;
    if (learned[k] >= intervals[k]->lower && learned[k] <= intervals[k]->upper) continue;
    const double factor = std::abs(std::log(learned[k] / estimated[k]));
    if (factor < largest) continue;
    largest = factor;
    farthest = k;
  }
  return farthest;
}

std::optional<ExaminationCheck> check_examination(const std::optional<PositionBias>& learned,
                                                  const SessionLog& train, std::uint64_t seed,
                                                  int threads) {
  if (!learned || learned->additive || train.documents() == 0 || train.positions() > most_ranks)
    return std::nullopt;
  if (train.target_above_one()) return std::nullopt;
  // Intervals are from resamples of single sessions.
  if (train.has_weights() && !can_be_single_sessions(train)) return std::nullopt;
  const SessionLog sample = train.has_weights()
                                ? train.without_weights("sessions are resampled")
                                : sample_sessions(train, affordable_sessions(train));
  const Interventions interventions(sample);
  const InterventionSums sums = interventions.sums();
  if (!sums.any()) return std::nullopt;
  ExaminationCheck check{
      .learned = learned->by_rank, .estimated = all_pairs(sums), .intervals = {}};
  std::vector<Propensities> resampled(resamples);
  resample_sums(interventions,
                {.resamples = resamples, .seed = seed, .step = 1, .threads = threads},
                [&](std::size_t i, const InterventionSums& resample) {
                  resampled[i] = all_pairs(resample);
                  resampled[i].resize(sums.positions, std::nan(""));
                });
  for (std::size_t k = 0; k < check.estimated.size(); ++k)
    check.intervals.push_back(check.estimated[k] > 0 ? interval_of(check.estimated[k], resampled, k)
                                                     : std::nullopt);
  return check;
}

std::vector<std::string> run_warnings(const TrainableModel& model,
                                      const std::optional<ExaminationCheck>& examination) {
  std::vector<std::string> warnings;
  if (examination)
    if (const auto k = examination->farthest_outside())
      warnings.push_back(fmt::format(
          "{}: learned examination of rank {} is {:.3g} times that of rank 1, but clicks on pairs "
          "shown at several ranks say {:.3g} (all_pairs, {:.3g} to {:.3g}); before using its "
          "position "
          "bias or relevance, train to convergence (em with a tolerance, more epochs) or with a "
          "pseudo_count",
          model.type(), *k + 1, examination->learned[*k], examination->estimated[*k],
          examination->intervals[*k]->lower, examination->intervals[*k]->upper));
  for (const auto& [one, other] : identical_components(model))
    warnings.push_back(fmt::format(
        "{}: components {} and {} ended the same, so that the mixture has one component less than "
        "it seems; expected different types, or other starting values",
        model.type(), one, other));
  return warnings;
}

std::optional<std::string> warning_of_single_documents(const TrainableModel& model,
                                                       const SessionLog& train) {
  if (train.sessions() == 0 || train.documents() > train.sessions() || train.positions() < 2)
    return std::nullopt;
  if (model.setting().processes != nullptr || !model.story().predicts_clicks() ||
      train.has_targets() || !train.features().empty() ||
      ClickProgram(model, ProgramKind::conditional, 1).has_independent_clicks())
    return std::nullopt;
  return fmt::format(
      "{}: each training list has one document, such as a row of counts, so that clicks above it, "
      "which the model reads, are unknown; expected lists of all shown documents, or a model that "
      "reads ranks on their own, such as pbm",
      model.type());
}

std::optional<std::string> warning_of_unknown_documents(const TrainableModel& model,
                                                        const JudgedLists& judged) {
  std::size_t documents = 0, unknown = 0;
  for (std::size_t list = 0; list < judged.size(); ++list) {
    documents += judged.rows(list).size();
    unknown += static_cast<std::size_t>(std::ranges::count(judged.rows(list), 0u));
  }
  if (unknown == 0 || 2 * unknown < documents || !Predictor(model, 1).reads_dictionary())
    return std::nullopt;
  return fmt::format(
      "{}: {} of {} judged documents are query-document pairs that the training sessions do not "
      "show; the model ranks all of these alike",
      model.type(), unknown, documents);
}

}  // namespace ultr
