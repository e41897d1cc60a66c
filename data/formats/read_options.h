#pragma once

#include <cstdint>
#include <string>

#include "data/formats/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// The user's option for malformed lines.
struct MalformedLines {
  std::string on_error = "fail";  // or "skip"

  void fields(Fields& f);
  bool skip() const { return on_error == "skip"; }
};

/// The user's options for long lists and malformed lines; see ReadRules.
struct ReadOptions final : Options {
  std::int64_t max_positions = 10;   // displayed positions per list
  std::string long_lists = "error";  // or "truncate"
  MalformedLines malformed;

  void fields(Fields& f) override;
  ReadRules rules() const;
};

}  // namespace ultr
