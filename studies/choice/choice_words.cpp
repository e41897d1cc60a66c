#include "studies/choice/choice_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/markup.h"

namespace ultr {
namespace {

/// A gap is worth a word from this size on, in standard errors and relative to the expected rate.
constexpr double least_errors = 3, least_share = 0.05;

std::string percent(const EventRate& rate) {
  const double value = 100 * rate.rate();
  return value >= 9.995 ? fmt::format("{:.1f}%", value) : fmt::format("{:.2f}%", value);
}

/// Returns -1 or 1 if a rate is below or above the expected one by more than noise, else 0.
int compared(const EventRate& observed, const EventRate& expected) {
  if (expected.cases == 0 || observed.cases == 0) return 0;
  const double gap = observed.rate() - expected.rate();
  if (std::abs(gap_in_errors(observed, expected)) < least_errors ||
      std::abs(gap) < least_share * expected.rate())
    return 0;
  return gap < 0 ? -1 : 1;
}

const FittedModel* best_without_memory(const ModelChoice& choice) {
  const auto found = std::ranges::find(choice.models, false, &FittedModel::reads_clicks_above);
  return found == choice.models.end() ? nullptr : &*found;
}

/// A rate of a pattern.
struct PlaceInPattern {
  std::size_t pattern = 0, rate = 0;
};

/// Returns the rate that a model misses most, if that is more than noise and the best model comes
/// nearer.
std::optional<PlaceInPattern> worst_miss(const ModelChoice& choice, const FittedModel& model) {
  std::optional<PlaceInPattern> worst;
  double most = least_errors;
  for (std::size_t p = 0; p < click_pattern_count; ++p)
    for (std::size_t i = 0; i < std::min(choice.observed[p].size(), model.patterns[p].size());
         ++i) {
      const EventRate& observed = choice.observed[p][i];
      if (compared(observed, model.patterns[p][i]) == 0) continue;
      const EventRates& best = choice.models.front().patterns[p];
      const double errors = std::abs(gap_in_errors(observed, model.patterns[p][i]));
      const double of_best = i < best.size() ? std::abs(gap_in_errors(observed, best[i])) : errors;
      if (errors <= most || errors <= of_best) continue;
      most = errors;
      worst = {p, i};
    }
  return worst;
}

/// Returns "the click rate at rank 3", as a part of a sentence.
std::string name_of(const PlaceInPattern& place) {
  const std::string at = click_patterns()[place.pattern].label(place.rate);
  switch (place.pattern) {
    case rank_pattern:
      return fmt::format("the click rate at rank {}", at);
    case after_click_pattern:
      return fmt::format("the click rate {} rank{} below a click", at, at == "1" ? "" : "s");
    default:
      return fmt::format("the share of sessions with {} click{}", at == "0" ? "no" : at,
                         at == "1" ? "" : "s");
  }
}

std::string prediction_answer(const ModelChoice& choice) {
  const FittedModel& best = choice.models[*choice.for_prediction];
  std::string text = fmt::format(
      "For prediction: {}. Its perplexity on the validation sessions, given the clicks "
      "above, is {:.5f}, the lowest of {}.",
      best.type, best.cond_ppl, choice.models.size());
  std::vector<std::string> equals;
  for (const FittedModel& model : choice.models)
    if (model.against_best && model.as_good)
      equals.push_back(
          fmt::format("{}{}", model.type,
                      model.parameters < best.parameters ? " (with fewer parameters)" : ""));
  if (!equals.empty())
    text += fmt::format(" Within noise as good: {}.", fmt::join(equals, ", "));
  else if (choice.models.size() > 1 && choice.sessions == 1)
    text += " One validation session does not allow tests of the others.";
  else if (choice.models.size() > 1)
    text += fmt::format(" All others are worse by more than noise (paired tests over {}).",
                        choice.pairs_name());
  return text;
}

/// Says what the next model misses. Empty if all are as good.
std::string reason(const ModelChoice& choice) {
  const auto next = std::ranges::find(choice.models, false, &FittedModel::as_good);
  if (next == choice.models.end()) return "";
  const FittedModel& best = choice.models.front();
  const std::optional<PlaceInPattern> place = worst_miss(choice, *next);
  if (!place)
    return fmt::format(
        "The next, {}, reproduces the patterns below as well; it is worse document by document.",
        next->type);
  const auto rate = [&](const ClickPatternCounts& patterns) {
    return percent(patterns[place->pattern][place->rate]);
  };
  return fmt::format("The next, {}, misses {} most: it is {}; {} predicts {} and {} predicts {}.",
                     next->type, name_of(*place), rate(choice.observed), next->type,
                     rate(next->patterns), best.type, rate(best.patterns));
}

std::string relevance_answer(const ModelChoice& choice) {
  if (!choice.for_relevance)
    return "For relevance: none of the fitted models tells the relevance of a document from the "
           "rank "
           "at which it was shown.";
  const FittedModel& model = choice.models[*choice.for_relevance];
  std::string text = fmt::format("For relevance: {}.", model.type);
  if (model.ranking)
    text += fmt::format(
        " Of the models that tell relevance from rank, it ranks the judged lists best ({} {:.4f}).",
        choice.ranking_metric, *model.ranking);
  else
    text += " It predicts best of the models that tell relevance from rank.";
  if (!model.as_good)
    text += fmt::format(" It predicts clicks worse than {} by more than noise.",
                        choice.models.front().type);
  if (!choice.examination)
    text +=
        " But no document of a query is shown at several ranks, so that nothing in the log "
        "separates "
        "its relevance from position bias (ultr-run diagnose).";
  return text;
}

std::string about_ranks(const ModelChoice& choice) {
  const EventRates& rates = choice.observed[rank_pattern];
  const std::size_t first = choice.first_shown();
  if (rates.size() < first + 2) return "";
  std::string text =
      fmt::format("Users click {} of the documents at rank {} and {} at rank {}.",
                  percent(rates[first]), first + 1, percent(rates.back()), rates.size());
  if (!choice.examination) return text;
  const ExaminationCheck& check = *choice.examination;
  for (std::size_t k = check.estimated.size(); k-- > 1;) {
    if (!check.intervals[k]) continue;
    const ConfidenceInterval& interval = *check.intervals[k];
    const std::string estimate = fmt::format(
        "{:.2g} times as many clicks at rank {} as at rank 1 "
        "(99.7%: {:.2g} to {:.2g})",
        check.estimated[k], k + 1, interval.lower, interval.upper);
    if (interval.upper < 1)
      return text +
             fmt::format(" The same document gets {}: users look less at lower ranks.", estimate);
    if (interval.lower > 1)
      return text +
             fmt::format(" The same document gets {}: users look more at lower ranks.", estimate);
    return text +
           fmt::format(" The same document gets {}: the rank alone makes no clear difference.",
                       estimate);
  }
  return text;
}

std::string about_clicks_above(const ModelChoice& choice, const FittedModel& expected) {
  const EventRate seen = pooled(choice.observed[after_click_pattern]),
                  usual = pooled(expected.patterns[after_click_pattern]);
  if (seen.cases == 0) return "";
  const std::string rates = fmt::format(
      "below a click, {} of the documents are clicked, where {}, which ignores clicks "
      "above, expects {}",
      percent(seen), expected.type, percent(usual));
  switch (compared(seen, usual)) {
    case -1:
      return fmt::format(
          "A click makes further clicks less likely: {}. Many users stop once they have clicked.",
          rates);
    case 1:
      return fmt::format(
          "A click makes further clicks more likely: {}. Users who click once tend to click again.",
          rates);
    default:
      return fmt::format("A click makes little difference to those that follow: {}.", rates);
  }
}

std::string about_no_clicks(const ModelChoice& choice, const FittedModel& expected) {
  if (choice.observed[click_count_pattern].empty()) return "";
  const EventRate &seen = choice.observed[click_count_pattern].front(),
                  &usual = expected.patterns[click_count_pattern].front();
  const std::string rates = fmt::format("{} of the sessions have no click, where {} expects {}",
                                        percent(seen), expected.type, percent(usual));
  switch (compared(seen, usual)) {
    case -1:
      return fmt::format(
          "Fewer sessions stay without a click than if clicks were independent: {}. "
          "Users go on until they find something.",
          rates);
    case 1:
      return fmt::format(
          "More sessions stay without a click than if clicks were independent: {}. "
          "Users differ: some click hardly anything.",
          rates);
    default:
      return fmt::format("As many sessions stay without a click as if clicks were independent: {}.",
                         rates);
  }
}

std::string about_several_clicks(const ModelChoice& choice) {
  const EventRates& counts = choice.observed[click_count_pattern];
  if (counts.size() < 3) return "";
  const std::uint64_t several = pooled(counts, 2).events, any = several + counts[1].events;
  if (any == 0) return "Nobody clicked anything.";
  const EventRate share{any, several};
  std::string text = fmt::format("{} of the sessions with a click have several.", percent(share));
  std::vector<std::string> impossible;
  for (const FittedModel& model : choice.models)
    if (model.impossible > 0)
      impossible.push_back(
          fmt::format("{} ({} clicks)", model.type, group_digits(model.impossible)));
  if (!impossible.empty())
    text += fmt::format(" They refute models under which some clicks are impossible: {}.",
                        fmt::join(impossible, ", "));
  return text;
}

std::vector<std::string> without_empty(std::vector<std::string> texts) {
  std::erase(texts, "");
  return texts;
}

}  // namespace

std::vector<std::string> answer_of(const ModelChoice& choice) {
  if (choice.models.empty()) return {"No model could be fitted; the reasons are below."};
  return without_empty({prediction_answer(choice), reason(choice), relevance_answer(choice)});
}

std::vector<std::string> users_of(const ModelChoice& choice) {
  std::vector<std::string> texts = {about_ranks(choice)};
  if (const FittedModel* expected = best_without_memory(choice)) {
    texts.push_back(about_clicks_above(choice, *expected));
    texts.push_back(about_no_clicks(choice, *expected));
  }
  texts.push_back(about_several_clicks(choice));
  return without_empty(std::move(texts));
}

std::vector<std::string> warnings_of(const ModelChoice& choice) {
  std::vector<std::string> warnings;
  for (const FittedModel& model : choice.models)
    warnings.insert(warnings.end(), model.warnings.begin(), model.warnings.end());
  if (choice.pairs == ChoicePairs::sessions && choice.sessions > 1 && choice.models.size() > 1)
    warnings.push_back(fmt::format(
        "the validation sessions have fewer than {} queries, so that tests pair sessions: they say "
        "nothing about other queries",
        fewest_queries));
  return warnings;
}

}  // namespace ultr
