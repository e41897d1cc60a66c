#include "data/log/session_sample.h"

#include <algorithm>

#include "data/log/announced_reading.h"

namespace ultr {
std::vector<std::uint32_t> even_sessions(const SessionLog& log, std::size_t count) {
  count = std::min(count, log.sessions());
  std::vector<std::uint32_t> sessions(count);
  for (std::size_t i = 0; i < count; ++i)
    sessions[i] = static_cast<std::uint32_t>(i * log.sessions() / count);
  return sessions;
}

SessionLog sample_sessions(const SessionLog& log, std::size_t count) {
  constexpr std::size_t announced = 512, sessions_at_once = 1 << 16;
  const std::vector<std::uint32_t> sessions = even_sessions(log, count);
  const AnnouncedReading only_these(log);
  // A disk reads many at a time, so each is announced some ahead.
  const auto announce = [&](std::size_t i) {
    if (i < sessions.size()) log.read_ahead(sessions[i], 1, SessionLog::Part::all);
  };
  for (std::size_t i = 0; i < announced; ++i) announce(i);
  SessionLog sample;
  std::size_t released = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (sessions[i] - released >= sessions_at_once) {
      log.release(released, sessions[i] - released);
      released = sessions[i];
    }
    announce(i + announced);
    sample.add(log[sessions[i]]);
  }
  log.release();
  return sample;
}

}  // namespace ultr
