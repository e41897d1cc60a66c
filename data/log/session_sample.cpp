#include "data/log/session_sample.h"

#include <algorithm>

namespace ultr {
namespace {

/// Calls visit(session) for a few sessions of a log, in their order. Those of a mapped log are
/// announced some ahead, since a disk reads many at a time, and nothing between them is read.
template <class Visit>
void visit_announced(const SessionLog& log, std::span<const std::uint32_t> sessions, Visit visit) {
  constexpr std::size_t announced = 512, sessions_at_once = 1 << 16;
  log.read_only_what_is_asked_for(true);
  const auto announce = [&](std::size_t i) {
    if (i < sessions.size()) log.read_ahead(sessions[i], 1, SessionLog::Part::all);
  };
  for (std::size_t i = 0; i < announced; ++i) announce(i);
  std::size_t released = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (sessions[i] - released >= sessions_at_once) {
      log.release(released, sessions[i] - released);
      released = sessions[i];
    }
    announce(i + announced);
    visit(sessions[i]);
  }
  log.release();
  log.read_only_what_is_asked_for(false);
}

}  // namespace

std::vector<std::uint32_t> even_sessions(const SessionLog& log, std::size_t count) {
  count = std::min(count, log.sessions());
  std::vector<std::uint32_t> sessions(count);
  for (std::size_t i = 0; i < count; ++i)
    sessions[i] = static_cast<std::uint32_t>(i * log.sessions() / count);
  return sessions;
}

SessionLog sample_sessions(const SessionLog& log, std::size_t count) {
  SessionLog sample;
  visit_announced(log, even_sessions(log, count),
                  [&](std::uint32_t session) { sample.add(log[session]); });
  return sample;
}

}  // namespace ultr
