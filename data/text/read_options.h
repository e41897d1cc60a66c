#pragma once

#include <cstdint>
#include <string>

#include "data/text/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// The user's option for malformed lines.
struct MalformedLines {
  std::string on_error = "fail";  // or "skip"

  void fields(Fields& f) {
    f.word("on_error", on_error, "What to do with malformed lines.", {"fail", "skip"});
  }
  bool skip() const { return on_error == "skip"; }
};

/// The user's options for long lists and malformed lines; see ReadRules.
struct ReadOptions final : Options {
  std::int64_t max_positions = 10;   // displayed positions per list
  std::string long_lists = "error";  // or "truncate"
  MalformedLines malformed;

  void fields(Fields& f) override {
    f.integer("max_positions", max_positions, "Largest displayed position that a list may have.",
              between(1, 1000));
    f.word("long_lists", long_lists, "What to do with longer lists.", {"error", "truncate"});
    malformed.fields(f);
  }
  ReadRules rules() const {
    return {.max_positions = static_cast<std::size_t>(max_positions),
            .truncate = long_lists == "truncate",
            .skip_malformed = malformed.skip()};
  }
};

}  // namespace ultr
