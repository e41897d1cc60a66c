#include "metrics/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace ultr {
namespace {

constexpr double not_counted = std::numeric_limits<double>::quiet_NaN();

std::span<const int> first(std::span<const int> labels, std::size_t k) {
  if (k == 0) throw Error("ranking metric at cut-off 0; expected at least 1");
  return labels.first(std::min(k, labels.size()));
}

double gain_of(int label, Gain gain) {
  if (gain == Gain::linear) return label;
  if (label > 1000)
    throw Error(
        fmt::format("the exponential gain of label {} overflows; expected labels up to "
                    "1000, or linear gain",
                    label));
  return std::ldexp(1.0, label) - 1;
}

/// Returns DCG@k of a list's labels in the given order.
double list_gain(const RankedLabels& list, std::span<const int> in_order, std::size_t k,
                 Gain gain) {
  const std::span<const int> labels = first(in_order, k);
  double sum = 0;
  if (list.relevant() == 0) return sum;  // though its labels may have gains
  for (std::size_t i = 0; i < labels.size(); ++i)
    sum += gain_of(labels[i], gain) / std::log2(static_cast<double>(i + 2));
  return sum;
}

/// Averages a column; NaN marks values that do not count.
double mean_of_counted(const std::vector<double>& column) {
  double sum = 0, count = 0;
  for (const double value : column) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? not_counted : sum / count;
}

constexpr RankingMeasure ranking_measure_table[] = {
    {{"dcg@K",
      "discounted cumulative gain of the first K, gain 2^y-1 or y, discount 1/log2(1+rank)",
      Better::higher},
     dcg},
    {{"ndcg@K", "dcg@K over that of the best order; 1 is perfect", Better::higher, Shown::summary},
     ndcg},
    {{"mrr@K", "1 / rank of the first relevant document, 0 below rank K", Better::higher},
     [](const RankedLabels& list, std::size_t k, Gain) { return reciprocal_rank(list, k); }},
    {{"map@K", "precision at the relevant ranks up to K, summed, over all relevant documents",
      Better::higher},
     [](const RankedLabels& list, std::size_t k, Gain) { return average_precision(list, k); }},
    {{"precision@K", "relevant documents among the first K, over K", Better::higher},
     [](const RankedLabels& list, std::size_t k, Gain) { return precision(list, k); }},
    {{"arp", "mean rank of relevant documents, weighted by label", Better::lower, Shown::summary},
     [](const RankedLabels& list, std::size_t, Gain) { return average_relevance_position(list); }},
};

}  // namespace

std::span<const RankingMeasure> ranking_measures() { return ranking_measure_table; }

RankedLabels::RankedLabels(std::span<const double> scores, std::span<const int> labels,
                           int relevant_from)
    : relevant_from_(relevant_from) {
  if (scores.size() != labels.size())
    throw Error(fmt::format("ranking: {} scores and {} labels; expected equally many",
                            scores.size(), labels.size()));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::isnan(scores[i]))
      throw Error(fmt::format("ranking: the score of document {} is NaN", i));
    if (labels[i] < 0 && labels[i] != unjudged)
      throw Error(
          fmt::format("ranking: the label of document {} is {}; expected 0 or more, or {} "
                      "for unjudged",
                      i, labels[i], unjudged));
    if (labels[i] != unjudged) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  for (const std::size_t i : order) labels_.push_back(labels[i]);
  ideal_ = labels_;
  std::sort(ideal_.begin(), ideal_.end(), std::greater<>());
  relevant_ = static_cast<std::size_t>(
      std::count_if(labels_.begin(), labels_.end(), [&](int label) { return is_relevant(label); }));
}

double dcg(const RankedLabels& list, std::size_t k, Gain gain) {
  return list_gain(list, list.labels(), k, gain);
}

double ideal_dcg(const RankedLabels& list, std::size_t k, Gain gain) {
  return list_gain(list, list.ideal(), k, gain);
}

double ndcg(const RankedLabels& list, std::size_t k, Gain gain) {
  const double ideal = ideal_dcg(list, k, gain);
  return ideal == 0 ? 0 : dcg(list, k, gain) / ideal;
}

double reciprocal_rank(const RankedLabels& list, std::size_t k) {
  const auto labels = first(list.labels(), k);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (list.is_relevant(labels[i])) return 1 / static_cast<double>(i + 1);
  return 0;
}

double average_precision(const RankedLabels& list, std::size_t k) {
  const auto labels = first(list.labels(), k);
  double sum = 0, found = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (list.is_relevant(labels[i])) sum += ++found / static_cast<double>(i + 1);
  return found == 0 ? 0 : sum / static_cast<double>(list.relevant());
}

double precision(const RankedLabels& list, std::size_t k) {
  const auto labels = first(list.labels(), k);
  const auto found =
      std::count_if(labels.begin(), labels.end(), [&](int y) { return list.is_relevant(y); });
  return static_cast<double>(found) / static_cast<double>(k);
}

double average_relevance_position(const RankedLabels& list) {
  double weighted = 0, total = 0;
  for (std::size_t i = 0; i < list.labels().size(); ++i) {
    if (!list.is_relevant(list.labels()[i])) continue;
    const double label = list.labels()[i];
    weighted += label * static_cast<double>(i + 1);
    total += label;
  }
  return total == 0 ? not_counted : weighted / total;
}

RankingMetrics::RankingMetrics(RankingOptions options, std::span<const RankingMeasure> table)
    : options_(std::move(options)) {
  const std::vector<std::size_t>& cutoffs = options_.cutoffs;
  for (auto k = cutoffs.begin(); k != cutoffs.end(); ++k)
    if (*k == 0 || std::find(cutoffs.begin(), k, *k) != k)
      throw Error(
          fmt::format("ranking metrics: cut-offs {}; expected different numbers from 1", cutoffs));
  for (const RankingMeasure& measure : table) {
    if (!measure.has_cutoff()) {
      names_.emplace_back(measure.name);
      columns_.push_back({.measure = &measure, .cutoff = 0});
      continue;
    }
    for (const std::size_t k : cutoffs) {
      names_.push_back(fmt::format("{}{}", measure.name.substr(0, measure.name.size() - 1), k));
      columns_.push_back({.measure = &measure, .cutoff = k});
    }
  }
}

void RankingMetrics::add(const RankedLabels& list) {
  const bool judged = !list.labels().empty();
  const bool counts =
      judged && (list.relevant() > 0 || options_.without_relevant == WithoutRelevant::zero);
  std::vector<double> row;  // all computed before any is added, since a measure may throw
  for (const Column& column : columns_)
    row.push_back(counts ? column.measure->compute(list, column.cutoff, options_.gain)
                         : not_counted);
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].values.push_back(row[i]);
  ++lists_;
  without_judged_ += judged ? 0 : 1;
  without_relevant_ += judged && list.relevant() == 0 ? 1 : 0;
}

void RankingMetrics::add(const RankingMetrics& other) {
  if (options_ != other.options_ || names_ != other.names_)
    throw Error("ranking metrics: the parts have different options; expected equal ones");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::vector<double>& more = other.columns_[i].values;
    columns_[i].values.insert(columns_[i].values.end(), more.begin(), more.end());
  }
  lists_ += other.lists_;
  without_relevant_ += other.without_relevant_;
  without_judged_ += other.without_judged_;
}

std::vector<MetricValue> RankingMetrics::values(Shown least) const {
  std::vector<MetricValue> means;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].measure->shown >= least)
      means.push_back({names_[i], mean_of_counted(columns_[i].values)});
  return means;
}

double RankingMetrics::value(std::string_view name) const { return mean_of_counted(column(name)); }

std::vector<double> RankingMetrics::per_list(std::string_view name) const {
  std::vector<double> counted;
  for (const double value : column(name))
    if (!std::isnan(value)) counted.push_back(value);
  return counted;
}

std::vector<std::size_t> RankingMetrics::counted_lists(std::string_view name) const {
  const std::vector<double>& values = column(name);
  std::vector<std::size_t> counted;
  for (std::size_t list = 0; list < values.size(); ++list)
    if (!std::isnan(values[list])) counted.push_back(list);
  return counted;
}

const std::vector<double>& RankingMetrics::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw Error(
        fmt::format("no ranking metric '{}'; expected one of {}", name, fmt::join(names_, ", ")));
  return columns_[static_cast<std::size_t>(found - names_.begin())].values;
}

}  // namespace ultr
