#pragma once

#include <vector>

#include "data/log/session_log.h"

namespace ultr::testing {

/// A number of clicks and of skips of a pair at a position, counted from 1.
struct LoggedClicks {
  std::uint32_t row;
  std::uint16_t position;
  int clicks, skips;
};

/// Returns a log with a session of one document for each click and skip.
inline SessionLog log_of(const std::vector<LoggedClicks>& all) {
  SessionLog log;
  for (const LoggedClicks& shown : all)
    for (int i = 0; i < shown.clicks + shown.skips; ++i) {
      const std::uint16_t position[] = {static_cast<std::uint16_t>(shown.position - 1)};
      const std::uint8_t click[] = {i < shown.clicks ? std::uint8_t{1} : std::uint8_t{0}};
      log.add({.rows = {&shown.row, 1}, .positions = position, .clicks = click, .query = 1});
    }
  return log;
}

}  // namespace ultr::testing
