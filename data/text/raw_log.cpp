#include "data/text/raw_log.h"

#include <cmath>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

std::uint64_t RawList::times(std::string_view reason) const {
  if (weight != std::floor(weight))
    throw DataError(
        fmt::format("the weight is {}; expected a whole number, since {}", weight, reason));
  return static_cast<std::uint64_t>(weight);
}

void add_notes(const std::filesystem::path& file, const ReadReport& report, const ReadRules& rules,
               std::vector<std::string>& notes) {
  if (report.truncated > 0)
    notes.push_back(fmt::format("{}: {} of {} lists were cut to {} positions", file.string(),
                                report.truncated, report.lists, rules.max_positions));
  if (report.malformed > 0)
    notes.push_back(fmt::format("{}: {} of {} lines were left out; the first: {}", file.string(),
                                report.malformed, report.lines, report.first_malformed));
  for (const std::string& note : report.notes)
    notes.push_back(fmt::format("{}: {}", file.string(), note));
}

void ReadReport::add(const ReadReport& other) {
  if (malformed == 0 ||
      (other.malformed > 0 && other.first_malformed_line < first_malformed_line)) {
    first_malformed_line = other.first_malformed_line;
    first_malformed = other.first_malformed;
  }
  lines += other.lines;
  lists += other.lists;
  truncated += other.truncated;
  malformed += other.malformed;
  notes.insert(notes.end(), other.notes.begin(), other.notes.end());
}

}  // namespace ultr
