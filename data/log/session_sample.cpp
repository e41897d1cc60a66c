#include "data/log/session_sample.h"

#include <algorithm>

namespace ultr {

std::vector<std::uint32_t> even_sessions(const SessionLog& log, std::size_t count) {
  count = std::min(count, log.sessions());
  std::vector<std::uint32_t> sessions(count);
  for (std::size_t i = 0; i < count; ++i)
    sessions[i] = static_cast<std::uint32_t>(i * log.sessions() / count);
  return sessions;
}

SessionLog sample_sessions(const SessionLog& log, std::size_t count) {
  constexpr std::size_t sessions_at_once = 1 << 16;
  SessionLog sample;
  std::size_t released = 0;
  for (const std::uint32_t session : even_sessions(log, count)) {
    if (session - released >= sessions_at_once) {
      log.release(released, session - released);
      released = session;
    }
    sample.add(log[session]);
  }
  log.release();
  return sample;
}

}  // namespace ultr
