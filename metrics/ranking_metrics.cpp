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

double discounted_gain(std::span<const int> labels, Gain gain) {
  double sum = 0;
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

}  // namespace

RankedLabels::RankedLabels(std::span<const double> scores, std::span<const int> labels) {
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
      std::count_if(labels_.begin(), labels_.end(), [](int label) { return label > 0; }));
}

double dcg(const RankedLabels& list, std::size_t k, Gain gain) {
  return discounted_gain(first(list.labels(), k), gain);
}

double ideal_dcg(const RankedLabels& list, std::size_t k, Gain gain) {
  return discounted_gain(first(list.ideal(), k), gain);
}

double ndcg(const RankedLabels& list, std::size_t k, Gain gain) {
  const double ideal = ideal_dcg(list, k, gain);
  return ideal == 0 ? 0 : dcg(list, k, gain) / ideal;
}

double reciprocal_rank(const RankedLabels& list, std::size_t k) {
  const auto labels = first(list.labels(), k);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] > 0) return 1 / static_cast<double>(i + 1);
  return 0;
}

double average_precision(const RankedLabels& list, std::size_t k) {
  const auto labels = first(list.labels(), k);
  double sum = 0, found = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] > 0) sum += ++found / static_cast<double>(i + 1);
  return found == 0 ? 0 : sum / static_cast<double>(list.relevant());
}

double precision(const RankedLabels& list, std::size_t k) {
  const auto labels = first(list.labels(), k);
  const auto found = std::count_if(labels.begin(), labels.end(), [](int y) { return y > 0; });
  return static_cast<double>(found) / static_cast<double>(k);
}

double average_relevance_position(const RankedLabels& list) {
  double weighted = 0, total = 0;
  for (std::size_t i = 0; i < list.labels().size(); ++i) {
    const double label = list.labels()[i];
    weighted += label * static_cast<double>(i + 1);
    total += label;
  }
  return total == 0 ? not_counted : weighted / total;
}

RankingMetrics::RankingMetrics(RankingOptions options) : options_(std::move(options)) {
  for (const char* metric : {"dcg", "ndcg", "mrr", "map", "precision"}) {
    for (const std::size_t k : options_.cutoffs) {
      const std::string name = fmt::format("{}@{}", metric, k);
      if (k == 0 || std::find(names_.begin(), names_.end(), name) != names_.end())
        throw Error(fmt::format("ranking metrics: cut-offs {}; expected different numbers from 1",
                                options_.cutoffs));
      names_.push_back(name);
    }
  }
  names_.push_back("arp");
  columns_.resize(names_.size());
}

void RankingMetrics::add(const RankedLabels& list) {
  const bool judged = !list.labels().empty();
  const bool counts =
      judged && (list.relevant() > 0 || options_.without_relevant == WithoutRelevant::zero);
  std::vector<double> row;  // in the order of names_
  const auto append_at_cutoffs = [&](const auto& metric) {
    for (const std::size_t k : options_.cutoffs) row.push_back(counts ? metric(k) : not_counted);
  };
  append_at_cutoffs([&](std::size_t k) { return dcg(list, k, options_.gain); });
  append_at_cutoffs([&](std::size_t k) { return ndcg(list, k, options_.gain); });
  append_at_cutoffs([&](std::size_t k) { return reciprocal_rank(list, k); });
  append_at_cutoffs([&](std::size_t k) { return average_precision(list, k); });
  append_at_cutoffs([&](std::size_t k) { return precision(list, k); });
  row.push_back(average_relevance_position(list));

  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].push_back(row[i]);
  ++lists_;
  without_judged_ += judged ? 0 : 1;
  without_relevant_ += judged && list.relevant() == 0 ? 1 : 0;
}

void RankingMetrics::add(const RankingMetrics& other) {
  if (options_ != other.options_)
    throw Error("ranking metrics: the parts have different options; expected equal ones");
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].insert(columns_[i].end(), other.columns_[i].begin(), other.columns_[i].end());
  lists_ += other.lists_;
  without_relevant_ += other.without_relevant_;
  without_judged_ += other.without_judged_;
}

std::vector<MetricValue> RankingMetrics::values() const {
  std::vector<MetricValue> means;
  for (std::size_t i = 0; i < names_.size(); ++i)
    means.push_back({names_[i], mean_of_counted(columns_[i])});
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
  return columns_[static_cast<std::size_t>(found - names_.begin())];
}

}  // namespace ultr
