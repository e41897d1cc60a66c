#include "data/features/graded_labels.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/core.h>

#include "base/error.h"
#include "base/quantile.h"

namespace ultr {
namespace {

constexpr std::int64_t most_grades = 31;  // labels 0 to 30, as LambdaMART takes them

/// Returns the gain 2^label - 1 of the best grade.
double largest_gain(const GradedLabelOptions& options) {
  return std::exp2(static_cast<double>(options.grades - 1)) - 1;
}

double mean_relevance(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return mean;
}

double variance(const std::vector<double>& values) {
  const double mean = mean_relevance(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

/// The 97.5% quantile of the normal distribution.
constexpr double interval_deviations = 1.959963984540054;

/// Returns the lower bound of a document's relevance.
double lower_relevance(const RelevanceEstimate& document) {
  if (!std::isnan(document.lower)) return document.lower;
  return std::max(0.0, document.relevance - interval_deviations * standard_error(document));
}

}  // namespace

void GradedLabelOptions::fields(Fields& f) {
  f.word(
      "by", by,
      "How grades follow from relevance: by its thresholds, by its quantiles, or expected, which "
      "is not rounded.",
      {"thresholds", "quantiles", "expected"});
  f.word("relevance", relevance,
         "Relevance that grades follow from: its estimate, the lower bound of its 95% interval, or "
         "shrunk towards the mean by its uncertainty.",
         {"estimate", "lower", "shrunk"});
  f.integer("grades", grades, "Number of grades; labels are 0 to this less 1.",
            between(2, static_cast<double>(most_grades)));
  f.numbers("cuts", cuts,
            "Relevance, or quantile, from which on grades are 1, 2, ...; default: each grade has "
            "twice the gain of the one below.",
            between(0, 1));
  f.integer("min_impressions", min_impressions, "Impressions that a document needs to get a label.",
            between(1, 1e9));
}

void GradedLabelOptions::check(const std::string& section) const {
  if (cuts.empty()) return;
  if (by == "expected")
    throw ConfigError(
        fmt::format("{}cuts are given and {}by is 'expected'; expected thresholds or quantiles",
                    section, section));
  if (cuts.size() != static_cast<std::size_t>(grades - 1))
    throw ConfigError(fmt::format("{}cuts has {} number{} and {}grades is {}; expected {} numbers",
                                  section, cuts.size(), cuts.size() == 1 ? "" : "s", section,
                                  grades, grades - 1));
  const auto unsorted = std::ranges::adjacent_find(cuts, std::greater_equal<>());
  if (unsorted != cuts.end())
    throw ConfigError(fmt::format("{}cuts has {} before {}; expected increasing numbers", section,
                                  *unsorted, *std::next(unsorted)));
}

std::vector<double> GradedLabelOptions::cuts_or_default() const {
  if (by == "expected" || !cuts.empty()) return cuts;
  std::vector<double> all;
  for (std::int64_t grade = 1; grade < grades; ++grade) {
    const auto y = static_cast<double>(grade);
    all.push_back(by == "quantiles" ? 1 - std::exp2(-y)
                                    : (std::exp2(y - 0.5) - 1) / largest_gain(*this));
  }
  return all;
}

double standard_error(const RelevanceEstimate& document) {
  if (!std::isnan(document.lower))
    return (document.upper - document.lower) / (2 * interval_deviations);
  const double impressions = document.impressions;
  const double share = (document.relevance * impressions + 2) / (impressions + 4);
  return std::sqrt(share * (1 - share) / (impressions + 4));
}

std::vector<std::optional<GradedLabel>> graded_labels(std::span<const RelevanceEstimate> documents,
                                                      const GradedLabelOptions& options) {
  const auto is_labelled = [&](const RelevanceEstimate& document) {
    return document.impressions >= static_cast<double>(options.min_impressions);
  };
  std::vector<double> estimates;
  for (const RelevanceEstimate& document : documents)
    if (is_labelled(document)) estimates.push_back(document.relevance);
  std::vector<std::optional<GradedLabel>> labels(documents.size());
  if (estimates.empty()) return labels;

  const double spread = variance(estimates), mean = mean_relevance(estimates);
  const auto weight_of = [&](const RelevanceEstimate& document) {
    const double error = standard_error(document);
    return spread > 0 ? spread / (spread + error * error) : 1;
  };
  const auto relevance_of = [&](const RelevanceEstimate& document) {
    if (options.relevance == "lower") return lower_relevance(document);
    if (options.relevance == "estimate") return document.relevance;
    return mean + weight_of(document) * (document.relevance - mean);
  };
  std::vector<double> sorted;
  for (const RelevanceEstimate& document : documents)
    if (is_labelled(document)) sorted.push_back(relevance_of(document));
  std::ranges::sort(sorted);
  std::vector<double> cuts = options.cuts_or_default();
  if (options.by == "quantiles")
    for (double& cut : cuts) cut = sorted[nearest_rank(cut, sorted.size()) - 1];
  const auto label_of = [&](double relevance) {
    if (options.by == "expected") return std::log2(1 + largest_gain(options) * relevance);
    return static_cast<double>(std::ranges::count_if(cuts, [&](double cut) {
      return options.by == "quantiles" ? relevance > cut : relevance >= cut;
    }));
  };
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (is_labelled(documents[i]))
      labels[i] = {.label = label_of(relevance_of(documents[i])),
                   .weight = weight_of(documents[i])};
  return labels;
}

std::vector<std::vector<std::size_t>> documents_by_query(std::span<const std::uint64_t> queries) {
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> lists;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto [found, is_new] = numbers.try_emplace(queries[i], lists.size());
    if (is_new) lists.emplace_back();
    lists[found->second].push_back(i);
  }
  return lists;
}

}  // namespace ultr
