#include "analyses/diagnosis_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/markup.h"

namespace ultr {
namespace {

/// Formats 0-based ranks, counted from 1: "1", "1 to 4" or "1, 3, 5 to 10".
std::string words_for(const std::vector<std::size_t>& ranks) {
  std::vector<std::string> ranges;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    for (end = begin + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1;) ++end;
    ranges.push_back(end - begin == 1
                         ? fmt::format("{}", ranks[begin] + 1)
                         : fmt::format("{} to {}", ranks[begin] + 1, ranks[end - 1] + 1));
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

Identification by_pairs(const RankGraph& graph) {
  if (!graph.connected()) return Identification::none;
  const bool known = std::ranges::all_of(graph.standard_errors,
                                         [](double error) { return error <= weak_standard_error; });
  return known ? Identification::identified : Identification::weak;
}

/// Judges FeatureOverlap::hardest_step.
Identification by_features(std::span<const double> areas) {
  const auto any = [&](auto matches) { return std::ranges::any_of(areas, matches); };
  if (any([](double area) { return area > disjoint_area; })) return Identification::none;
  // A rank or combination with too few documents has no area.
  if (any([](double area) { return std::isnan(area); })) return Identification::not_measured;
  return any([](double area) { return area > weak_area; }) ? Identification::weak
                                                           : Identification::identified;
}

std::string answer_of(Identification pairs, Identification features) {
  if (pairs != Identification::none) return std::string(identification_name(pairs));
  if (features == Identification::identified || features == Identification::weak)
    return fmt::format("{} through features only", identification_name(features));
  return std::string(identification_name(Identification::none));
}

std::string reason_by_pairs(const RankGraph& graph, Identification pairs) {
  if (pairs == Identification::none) {
    std::vector<std::string> parts;
    for (const auto& component : graph.components) parts.push_back(words_for(component));
    if (graph.links.empty())
      return fmt::format(
          "No query-document pair is shown at two ranks: what clicks owe to rank {} and what to "
          "the documents there cannot be told apart, for any of the {} ranks.",
          graph.ranks.front() + 1, graph.ranks.size());
    return fmt::format(
        "Query-document pairs seen at several ranks connect these into {} separate parts: {}. "
        "Between parts, position bias and relevance cannot be told apart.",
        parts.size(), fmt::join(parts, " | "));
  }
  const auto worst = std::max_element(graph.standard_errors.begin(), graph.standard_errors.end());
  const auto at = static_cast<std::size_t>(worst - graph.standard_errors.begin());
  const RankLink& weakest = **std::min_element(
      graph.weakest_links.begin() + 1, graph.weakest_links.end(),
      [](const auto& a, const auto& b) { return a->effective_swaps < b->effective_swaps; });
  return fmt::format(
      "Query-document pairs seen at several ranks connect all {} ranks. The weakest link on the "
      "best path to rank {} is between {} and {}: {} pair{}, worth {} swaps. {}",
      graph.ranks.size(), graph.ranks.front() + 1, weakest.a + 1, weakest.b + 1,
      group_digits(weakest.pairs, 0), weakest.pairs == 1 ? "" : "s",
      group_digits(weakest.effective_swaps, 1),
      std::isinf(*worst)
          ? fmt::format("Clicks at rank {} are too few to tell its bias.", graph.ranks[at] + 1)
          : fmt::format("The bias of rank {} is known to a factor of {:.2f} in odds (95%).",
                        graph.ranks[at] + 1, std::exp(1.96 * *worst)));
}

std::string reason_by_features(const FeatureOverlap& overlap, Identification features) {
  const auto worst = std::find_if(overlap.hardest_step.begin(), overlap.hardest_step.end(),
                                  [](double area) { return std::isnan(area); });
  if (worst != overlap.hardest_step.end())
    return "Features of some ranks cannot be compared, for want of documents of several queries.";
  const auto hardest = std::max_element(overlap.hardest_step.begin(), overlap.hardest_step.end());
  return fmt::format(
      "Features {} between ranks: trees tell documents of two ranks apart with an area under the "
      "curve of {:.2f} at most on the easiest way to rank {} (0.5: not at all, 1: always).",
      features == Identification::identified ? "overlap"
      : features == Identification::weak     ? "overlap little"
                                             : "hardly overlap",
      *hardest, overlap.ranks.front() + 1);
}

std::string reason_by_pairs(const BiasFeatureDiagnosis& d, Identification pairs) {
  const std::size_t count = d.combinations.all.size();
  if (pairs == Identification::none) {
    const auto smallest = std::ranges::min_element(
        d.graph.components, {}, [](const auto& component) { return component.size(); });
    return fmt::format(
        "A bias for each combination of {} asks for more: pairs seen with several of the {} that "
        "the log shows leave {} separate parts, of which the smallest has {} and begins with {}. "
        "Between parts, bias and relevance cannot be told apart (Hager, 2025, 4.A).",
        d.combinations.dimensions(), group_digits(count), group_digits(d.graph.components.size()),
        group_digits(smallest->size()), d.combinations.name(smallest->front()));
  }
  const auto worst = std::ranges::max_element(d.graph.standard_errors);
  const std::string its =
      d.combinations.name(static_cast<std::size_t>(worst - d.graph.standard_errors.begin()));
  return fmt::format(
      "Pairs seen with several combinations of {} connect all {} that the log shows. {}",
      d.combinations.dimensions(), group_digits(count),
      std::isinf(*worst)
          ? fmt::format("Clicks are too few to tell the bias of {}.", its)
          : fmt::format("The bias of {} is known to a factor of {:.2f} in odds (95%).", its,
                        std::exp(1.96 * *worst)));
}

std::string reason_by_features(const BiasFeatureDiagnosis& d) {
  const std::vector<double>& areas = d.overlap.hardest_step;
  const auto unknown = std::ranges::find_if(areas, [](double area) { return std::isnan(area); });
  const auto at = [&](auto found) {
    return d.combinations.name(static_cast<std::size_t>(found - areas.begin()));
  };
  if (unknown != areas.end())
    return fmt::format(
        "Features of relevance cannot be compared between all combinations, for want of documents "
        "of several queries with {}.",
        at(unknown));
  const auto hardest = std::ranges::max_element(areas);
  return fmt::format(
      "Between combinations trees tell such features apart with an area of {:.2f} at most on the "
      "easiest way to {}; the hardest to reach is {}.",
      *hardest, d.combinations.name(0), at(hardest));
}

std::vector<std::string> advice_for(const Diagnosis& d, const Verdict& verdict) {
  std::vector<std::string> advice;
  const bool by_swaps = verdict.pairs == Identification::identified;
  if (!by_swaps && d.bias_features && by_pairs(d.graph) == Identification::identified)
    advice.emplace_back(
        "By rank alone, bias is identifiable: leave bias features out of the model, divide them "
        "into fewer groups, or show the same documents with other values of them, at random or by "
        "collecting for longer (Hager, 2025, 4.A).");
  else if (!by_swaps)
    advice.emplace_back(
        "Collect swaps: show a share of the sessions in an order that is random, or that exchanges "
        "two documents at random, such that every rank shares pairs with another (Hager, 2025, "
        "4.9; Chen et al., 2023). It takes few sessions to connect ranks, and more to be sure.");
  if (verdict.pairs == Identification::none)
    advice.emplace_back(
        "Do not train a parameter for each query-document pair on these sessions; what it says of "
        "position bias follows from where it starts.");
  if (verdict.pairs == Identification::weak)
    advice.emplace_back(
        "Give estimates with intervals (ultr-run estimate-bias) and trust no rank beyond the "
        "weakest link.");
  if (!by_swaps &&
      (verdict.features == Identification::identified || verdict.features == Identification::weak))
    advice.emplace_back(
        "Relevance must come from features, and continuously: shallow towers, regularisation, few "
        "features. Deep towers may jump between documents that differ little (Hager, 2025, "
        "4.4.5).");
  if (!by_swaps && verdict.features == Identification::none)
    advice.emplace_back(
        "Use fewer features or reduce their dimension: overlap falls with each (Hager, 2025, "
        "4.4.5).");
  if (d.residuals.correlation.follows_policy())
    advice.push_back(fmt::format(
        "The {} misses clicks in a way that goes with the logging policy, as models do that bias "
        "their estimates (Hager, 2025, 4.5.2). {} If residuals still go with the policy, give the "
        "model the features that the policy has, or another form.{}",
        d.residuals.of_run ? "run" : "additive model",
        d.residuals.of_run
            ? "A model of the right form does so too where early stopping, weight decay or "
              "pseudo-counts hold its parameters back, or where they fit the chance of rare pairs: "
              "first train it to the end without them, and on more sessions."
            : "It does so too if users follow another model, such as pbm, which is no sum of "
              "logits: first measure a run of the model that you will use (--run).",
        by_swaps ? " What is left can be lessened by loss: logging_policy_weights (4.6)."
                 : " Sample weights (logging_policy_weights) do nothing without swaps (4.8.3)."));
  else if (d.policy && d.policy->interval.lower > d.policy->random_ndcg)
    advice.emplace_back(
        "The policy ties relevance to ranks, which harms models that are misspecified only (Hager, "
        "2025, 4.5). Watch residuals (--run) of the model that is trained; against confounding, "
        "compare loss: two_tower with bias_dropout and loss: backdoor, which did not help on "
        "Baidu-ULTR (de Haan and Hager, 2024).");
  return advice;
}

}  // namespace

std::string_view identification_name(Identification identification) {
  constexpr std::array<std::string_view, 4> names = {"identifiable", "weakly identifiable",
                                                     "not identifiable", "not measured"};
  return names[static_cast<std::size_t>(identification)];
}

Verdict verdict_of(const Diagnosis& diagnosis) {
  Verdict verdict;
  const auto& bias_features = diagnosis.bias_features;
  const Identification ranks_by_pairs = by_pairs(diagnosis.graph);
  verdict.pairs = bias_features ? by_pairs(bias_features->graph) : ranks_by_pairs;
  verdict.reasons.push_back(reason_by_pairs(diagnosis.graph, ranks_by_pairs));
  if (bias_features) verdict.reasons.push_back(reason_by_pairs(*bias_features, verdict.pairs));
  if (diagnosis.overlap) {
    const Identification ranks_by_features = by_features(diagnosis.overlap->hardest_step);
    verdict.features =
        bias_features ? by_features(bias_features->overlap.hardest_step) : ranks_by_features;
    verdict.reasons.push_back(reason_by_features(*diagnosis.overlap, ranks_by_features));
    if (bias_features) verdict.reasons.push_back(reason_by_features(*bias_features));
  }
  verdict.answer = answer_of(verdict.pairs, verdict.features);
  verdict.advice = advice_for(diagnosis, verdict);
  return verdict;
}

}  // namespace ultr
