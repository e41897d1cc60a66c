#include "metrics/click_patterns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace ultr {
namespace {

using ShownPositions = std::span<const std::uint32_t>;
using SessionClicks = std::span<const std::uint8_t>;

constexpr std::size_t most_distances = 10, most_click_counts = 6;

EventRate& at(EventRates& rates, std::size_t i) {
  if (rates.size() <= i) rates.resize(i + 1);
  return rates[i];
}

void count_by_rank(ShownPositions positions, SessionClicks clicks, EventRates& rates) {
  for (std::size_t i = 0; i < clicks.size(); ++i) at(rates, positions[i]).count(clicks[i] != 0);
}

void count_after_click(ShownPositions positions, SessionClicks clicks, EventRates& rates) {
  bool any = false;
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < clicks.size(); ++i) {
    if (any)
      at(rates, std::min<std::size_t>(positions[i] - last, most_distances) - 1)
          .count(clicks[i] != 0);
    if (clicks[i] == 0) continue;
    any = true;
    last = positions[i];
  }
}

void count_clicks(ShownPositions, SessionClicks clicks, EventRates& rates) {
  const auto clicked =
      static_cast<std::size_t>(std::ranges::count_if(clicks, [](auto c) { return c != 0; }));
  rates.resize(most_click_counts);
  for (std::size_t n = 0; n < most_click_counts; ++n)
    rates[n].count(n == std::min(clicked, most_click_counts - 1));
}

constexpr ClickPattern click_pattern_table[click_pattern_count] = {
    {"click_rate_by_rank", "Click rate by rank", "rank", 1, 0, count_by_rank},
    {"click_rate_after_click", "Click rate below a click", "ranks below the last click above", 1,
     most_distances, count_after_click},
    {"sessions_by_clicks", "Sessions by number of clicks", "clicks", 0, most_click_counts,
     count_clicks},
};

}  // namespace

double EventRate::rate() const {
  return cases == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(events) / static_cast<double>(cases);
}

std::string ClickPattern::label(std::size_t i) const {
  return fmt::format("{}{}", static_cast<int>(i) + first, i + 1 == most ? "+" : "");
}

std::span<const ClickPattern, click_pattern_count> click_patterns() { return click_pattern_table; }

void ClickPatternCounts::add(std::span<const std::uint32_t> positions,
                             std::span<const std::uint8_t> clicks) {
  for (std::size_t p = 0; p < click_pattern_count; ++p)
    click_pattern_table[p].add(positions, clicks, rates_[p]);
}

void ClickPatternCounts::add(const ClickPatternCounts& other) {
  for (std::size_t p = 0; p < click_pattern_count; ++p)
    for (std::size_t i = 0; i < other.rates_[p].size(); ++i) {
      EventRate& sum = at(rates_[p], i);
      sum.cases += other.rates_[p][i].cases;
      sum.events += other.rates_[p][i].events;
    }
}

double mean_gap(const EventRates& observed, const EventRates& other) {
  double sum = 0, cases = 0;
  for (std::size_t i = 0; i < std::min(observed.size(), other.size()); ++i) {
    if (observed[i].cases == 0 || other[i].cases == 0) continue;
    const auto weight = static_cast<double>(observed[i].cases);
    sum += weight * std::abs(observed[i].rate() - other[i].rate());
    cases += weight;
  }
  return cases == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / cases;
}

double gap_in_errors(const EventRate& a, const EventRate& b) {
  if (a.cases == 0 || b.cases == 0) return 0;
  const double n = static_cast<double>(a.cases), m = static_cast<double>(b.cases);
  const double both = static_cast<double>(a.events + b.events) / (n + m);
  const double error = std::sqrt(both * (1 - both) * (1 / n + 1 / m));
  return error == 0 ? 0 : (a.rate() - b.rate()) / error;
}

EventRate pooled(const EventRates& rates, std::size_t first) {
  EventRate sum;
  for (std::size_t i = first; i < rates.size(); ++i) {
    sum.cases += rates[i].cases;
    sum.events += rates[i].events;
  }
  return sum;
}

}  // namespace ultr
