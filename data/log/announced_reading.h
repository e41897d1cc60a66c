#pragma once

#include "data/log/session_log.h"

namespace ultr {

/// While it lives, the system reads only those lists of a mapped log that are announced by
/// SessionLog::read_ahead, and nothing around them.
class AnnouncedReading {
 public:
  explicit AnnouncedReading(const SessionLog& log) : log_(log) {
    log_.read_only_what_is_asked_for(true);
  }
  ~AnnouncedReading() { log_.read_only_what_is_asked_for(false); }
  AnnouncedReading(const AnnouncedReading&) = delete;
  AnnouncedReading& operator=(const AnnouncedReading&) = delete;

 private:
  const SessionLog& log_;
};

}  // namespace ultr
