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
  SessionLog sample;
  for (const std::uint32_t session : even_sessions(log, count)) sample.add(log[session]);
  log.release();
  return sample;
}

}  // namespace ultr
