#pragma once

#include <cstdint>
#include <string>

#include "data/formats/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// The user's options for long lists and malformed lines; see ReadRules.
struct ReadOptions final : Options {
  std::int64_t max_positions = 10;   // displayed positions per list
  std::string long_lists = "error";  // or "truncate"
  std::string on_error = "fail";     // or "skip": what to do with malformed lines

  void fields(Fields& f) override;
  ReadRules rules() const;
};

}  // namespace ultr
