#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Patterns of the clicks of a log: what a click model should reproduce, whatever it assumes.
namespace ultr {

/// A share of cases, such as the clicks of impressions.
struct EventRate {
  std::uint64_t cases = 0, events = 0;

  void count(bool event) {
    ++cases;
    events += event ? 1 : 0;
  }
  /// Returns events over cases; NaN without cases.
  double rate() const;
};

/// Rates by rank, by distance or by number of clicks.
using EventRates = std::vector<EventRate>;

/// A pattern: how a session adds to rates.
struct ClickPattern {
  std::string_view name;   // its key in results: "click_rate_by_rank"
  std::string_view title;  // "Click rate by rank"
  std::string_view axis;   // what the rates are by: "rank"
  int first;               // value on that axis of the first rate
  std::size_t most;        // rates; the last of so many also has all larger values; 0: no limit
  /// Adds a session: the displayed positions of its documents, from the top, and their clicks.
  void (*add)(std::span<const std::uint32_t> positions, std::span<const std::uint8_t> clicks,
              EventRates& rates);

  /// Returns the value on the axis of rate `i`: "3", or "5+" if it also has larger values.
  std::string label(std::size_t i) const;
};

/// The patterns: click rate by rank, click rate by distance to the last click above, and sessions
/// by their number of clicks. A row added here appears wherever patterns are shown.
inline constexpr std::size_t click_pattern_count = 3;
std::span<const ClickPattern, click_pattern_count> click_patterns();

/// Numbers of the patterns in their order.
inline constexpr std::size_t rank_pattern = 0, after_click_pattern = 1, click_count_pattern = 2;

/// The rates of all patterns, counted session by session.
class ClickPatternCounts {
 public:
  void add(std::span<const std::uint32_t> positions, std::span<const std::uint8_t> clicks);
  void add(const ClickPatternCounts& other);
  /// Returns the rates of pattern number `pattern`.
  const EventRates& operator[](std::size_t pattern) const { return rates_[pattern]; }

 private:
  std::array<EventRates, click_pattern_count> rates_;
};

/// Returns how far rates are from others: the mean absolute difference, weighted by the cases of
/// `observed`. Rates without cases in either do not count. NaN if none counts.
double mean_gap(const EventRates& observed, const EventRates& other);

/// Returns the difference of two rates, a - b, in standard errors; 0 if either has no cases. Cases
/// count as independent.
double gap_in_errors(const EventRate& a, const EventRate& b);

/// Returns all cases of rates `first` to the end as one rate.
EventRate pooled(const EventRates& rates, std::size_t first = 0);

}  // namespace ultr
