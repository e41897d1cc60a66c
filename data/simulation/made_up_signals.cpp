#include "data/simulation/made_up_signals.h"

#include "base/mix_bits.h"

namespace ultr {

SessionLog with_made_up_signals(const SessionLog& log) {
  SessionLog result;
  SignalColumns signals;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    SessionView session = log[i];
    for (const Signal signal : all_signals) signals[signal].clear();
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const std::uint64_t bits =
          mix_bits((std::uint64_t{session.rows[k]} << 16) + session.positions[k]);
      signals[Signal::viewed].push_back(bits % 4 != 0 ? 1 : 0);
      signals[Signal::skipped].push_back(bits / 4 % 2 != 0 ? 1 : 0);
      signals[Signal::dwell].push_back(
          static_cast<std::uint16_t>(bits / 8 % 2 != 0 ? bits % 4096 >> bits / 4096 % 12 : 0));
    }
    session.signals = spans_of(signals);
    result.add(session);
  }
  if (!log.features().empty()) result.set_features(log.features());
  return result;
}

}  // namespace ultr
