#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ultr {

/// A signal of users beside clicks, which a log may have for each of its documents. It is an input
/// of models: they predict clicks given what it says.
enum class Signal : std::uint8_t {
  viewed,   // 1: the document was in the user's viewport (an impression), else 0
  skipped,  // 1: the user looked at the document and passed it over, else 0
  dwell,    // seconds on the document after a click, rounded up; 0: no click, or unknown
};

/// The declaration of a signal.
struct SignalType {
  std::string_view name;    // of its column: "viewed" of viewed.npy
  std::string_view plural;  // its entries in messages
  std::uint16_t most;       // its largest value
};
inline constexpr std::array signal_types = {
    SignalType{"viewed", "views", 1},
    SignalType{"skipped", "skips", 1},
    SignalType{"dwell", "dwell times", 65535},
};
inline constexpr std::array all_signals = {Signal::viewed, Signal::skipped, Signal::dwell};

constexpr const SignalType& type_of(Signal signal) {
  return signal_types[static_cast<std::size_t>(signal)];
}

/// Returns seconds, at least 0, as Signal::dwell stores them.
inline std::uint16_t dwell_of(double seconds) {
  return static_cast<std::uint16_t>(
      std::ceil(std::min<double>(seconds, type_of(Signal::dwell).most)));
}

/// One value for each signal.
template <class T>
class PerSignal {
 public:
  T& operator[](Signal signal) { return values_[static_cast<std::size_t>(signal)]; }
  const T& operator[](Signal signal) const { return values_[static_cast<std::size_t>(signal)]; }

  friend bool operator==(const PerSignal&, const PerSignal&) = default;

 private:
  std::array<T, all_signals.size()> values_{};
};

/// The entries of each signal, one per document; empty if unknown.
using SignalColumns = PerSignal<std::vector<std::uint16_t>>;
using SignalSpans = PerSignal<std::span<const std::uint16_t>>;

inline SignalSpans spans_of(const SignalColumns& columns) {
  SignalSpans spans;
  for (const Signal signal : all_signals) spans[signal] = columns[signal];
  return spans;
}

/// Returns `count` entries of each signal that is known, from entry `begin` on.
inline SignalSpans part(const SignalSpans& spans, std::size_t begin, std::size_t count) {
  SignalSpans parts;
  for (const Signal signal : all_signals)
    if (!spans[signal].empty()) parts[signal] = spans[signal].subspan(begin, count);
  return parts;
}

/// Returns true if some signal has a column with entries.
template <class Column>
bool has_any(const PerSignal<Column>& columns) {
  return std::ranges::any_of(all_signals, [&](Signal signal) { return !columns[signal].empty(); });
}

}  // namespace ultr
