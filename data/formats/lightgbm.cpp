#include "data/formats/lightgbm.h"

#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Returns FILE.query (for the suffix .query) for FILE or FILE.gz, or FILE.query.gz if only that
/// one exists.
fs::path beside(const fs::path& file, std::string_view suffix) {
  fs::path plain = file.extension() == ".gz" ? fs::path(file).replace_extension() : file;
  plain += suffix;
  fs::path packed = plain;
  packed += ".gz";
  std::error_code ignored;
  return !fs::exists(plain, ignored) && fs::exists(packed, ignored) ? packed : plain;
}

/// Reads one integer per line. Throws DataError for a malformed line whatever the rules say, since
/// skipping it would shift all numbers below.
std::vector<std::int64_t> read_numbers(const fs::path& file, std::string_view what,
                                       std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> numbers;
  for_each_line(file, {}, [&](std::string_view line, std::uint64_t) {
    numbers.push_back(parse_integer(line, what, low, high));
  });
  return numbers;
}

}  // namespace

ReadReport LightgbmFormat::read_file(const fs::path& file, const ReadRules& rules, SparseRow row,
                                     FeatureListsBuilder& into) const {
  const fs::path query_file = beside(file, ".query"), position_file = beside(file, ".position");
  const auto sizes =
      read_numbers(query_file, "the size of a list", 1, std::numeric_limits<std::int32_t>::max());
  std::vector<std::int64_t> positions;
  std::error_code ignored;
  if (fs::exists(position_file, ignored))
    positions =
        read_numbers(position_file, "a position", 0, std::numeric_limits<std::uint16_t>::max());
  const auto total =
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));

  std::size_t documents = 0, list = 0, end = 0;  // `end`: documents of the lists started so far
  ReadReport report = for_each_line(file, rules, [&](std::string_view line, std::uint64_t) {
    // Malformed lines count too, since the list sizes include them.
    const std::size_t document = documents++;
    if (document == end && list < sizes.size()) {
      end += static_cast<std::size_t>(sizes[list]);
      into.start_list(list++);
    }
    if (document >= total) return;
    row.parse(line);
    if (row.query()) throw DataError("a qid; expected list sizes in FILE.query only");
    FeatureDocument added = {.label = row.label()};
    if (document < positions.size())
      added.position = static_cast<std::uint16_t>(positions[document]);
    row.fill(into.add(added, row.width()));
  });
  if (total != documents)
    throw DataError(fmt::format("{}: the {} list sizes sum to {}; expected {}, the lines of {}",
                                query_file.string(), sizes.size(), total, documents,
                                file.string()));
  if (!positions.empty() && positions.size() != documents)
    throw DataError(fmt::format("{}: {} positions; expected {}, the lines of {}",
                                position_file.string(), positions.size(), documents,
                                file.string()));
  return report;
}

}  // namespace ultr
