#include "data/formats/svmlight.h"

#include <unordered_set>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/line_fields.h"

namespace ultr {

ReadReport SvmlightFormat::read_file(const std::filesystem::path& file, const ReadRules& rules,
                                     SparseRow row, FeatureListsBuilder& into) const {
  std::unordered_set<std::uint64_t> queries;
  std::optional<std::uint64_t> running;  // query of the list that is being read
  return for_each_line(file, rules, [&](std::string_view line, std::uint64_t) {
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) return;
    row.parse(line);
    if (!row.query()) throw DataError("no qid; expected label qid:7 1:0.5 ...");
    if (row.query() != running) {
      if (!queries.insert(*row.query()).second)
        throw DataError(fmt::format(
            "qid {} again after other queries; expected its documents together", *row.query()));
      running = row.query();
      into.start_list(*running);
    }
    row.fill(into.add({.label = row.label()}, row.width()));
  });
}

}  // namespace ultr
