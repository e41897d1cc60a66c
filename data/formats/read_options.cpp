#include "data/formats/read_options.h"

namespace ultr {

void MalformedLines::fields(Fields& f) {
  f.word("on_error", on_error, "What to do with malformed lines.", {"fail", "skip"});
}

void ReadOptions::fields(Fields& f) {
  f.integer("max_positions", max_positions, "Largest displayed position that a list may have.",
            between(1, 1000));
  f.word("long_lists", long_lists, "What to do with longer lists.", {"error", "truncate"});
  malformed.fields(f);
}

ReadRules ReadOptions::rules() const {
  return {.max_positions = static_cast<std::size_t>(max_positions),
          .truncate = long_lists == "truncate",
          .skip_malformed = malformed.skip()};
}

}  // namespace ultr
