#include "data/formats/tiangong.h"

#include <algorithm>
#include <limits>
#include <span>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/line_fields.h"
#include "data/text/number_lists.h"

namespace ultr {
namespace {

constexpr std::int64_t any_integer = std::numeric_limits<std::int64_t>::max();

void expect_length(std::size_t found, std::size_t documents, std::string_view what) {
  if (found != documents)
    throw DataError(
        fmt::format("{} {} for {} documents; expected equally many", found, what, documents));
}

/// Writes the documents that are displayed at the first `most` positions to `list`. Document 0 is
/// padding. `labels` may be empty.
void list_shown(std::span<const std::int64_t> documents, std::span<const std::int64_t> clicks,
                std::span<const std::int64_t> labels, std::size_t most, RawList& list) {
  for (std::size_t k = 0; k < documents.size(); ++k)
    if (documents[k] == 0 && clicks[k] != 0)
      throw DataError(fmt::format(
          "a click at rank {}, which is padding (document 0); expected 0 there", k + 1));
  const auto resize = [&](std::size_t size) {
    list.documents.resize(size);
    list.positions.resize(size);
    list.clicks.resize(size);
    list.labels.resize(labels.empty() ? 0 : size);
  };
  const std::size_t positions = std::min(documents.size(), most);
  resize(positions);
  std::size_t shown = 0;
  for (std::size_t k = 0; k < positions; ++k) {
    list.documents[shown] = static_cast<std::uint64_t>(documents[k]);
    list.positions[shown] = static_cast<std::uint16_t>(k);
    list.clicks[shown] = static_cast<std::uint8_t>(clicks[k]);
    if (!labels.empty()) list.labels[shown] = static_cast<int>(labels[k]);
    shown += documents[k] != 0 ? 1 : 0;  // else the next document overwrites it
  }
  resize(shown);
}

}  // namespace

ReadReport read_tiangong(const std::filesystem::path& file, const ReadRules& rules,
                         const std::function<void(const RawList&)>& take) {
  std::vector<std::int64_t> documents, verticals, clicks, labels;
  RawList list;
  std::uint64_t lists = 0, truncated = 0;
  const auto read = [&](SplitLine& line, std::uint64_t) {
    if (line.fields() != 5 && line.fields() != 6)
      throw DataError(fmt::format(
          "{} fields; expected session, query, [documents], [verticals], [clicks] and perhaps "
          "[relevance], separated by tabs",
          line.fields()));
    if (!line.are_numbers(0, 2)) {
      parse_id(line.field(0), "the session id");
      parse_id(line.field(1), "the query id");
    }
    list.query = line.numbers()[1];
    parse_integer_list(line.field(2), "a document id", 0, any_integer, documents);
    parse_integer_list(line.field(3), "a vertical", -any_integer, any_integer, verticals);
    parse_integer_list(line.field(4), "a click", 0, 1, clicks);
    expect_length(verticals.size(), documents.size(), "verticals");
    expect_length(clicks.size(), documents.size(), "clicks");
    if (line.fields() == 6) {
      parse_integer_list(line.field(5), "a relevance", -2, 4, labels);
      expect_length(labels.size(), documents.size(), "relevance labels");
      if (std::find(labels.begin(), labels.end(), -1) != labels.end())
        throw DataError("a relevance is '-1'; expected -2 (unjudged) or 0 to 4");
    }
    std::size_t last = documents.size();
    while (last > 0 && documents[last - 1] == 0) --last;
    if (last == 0) throw DataError("the list is empty; expected at least one document");
    const bool cut = needs_truncation(last, rules);

    list_shown(documents, clicks, line.fields() == 6 ? labels : std::span<const std::int64_t>(),
               rules.max_positions, list);
    if (list.documents.empty())
      throw DataError(
          fmt::format("the list shows no document at the first {} positions; expected at least one",
                      rules.max_positions));
    take(list);
    ++lists;
    truncated += cut ? 1 : 0;
  };
  ReadReport report = for_each_split_line(file, rules, read);
  report.lists = lists;
  report.truncated = truncated;
  expect_lists(file, report, "at least one line");
  return report;
}

}  // namespace ultr
