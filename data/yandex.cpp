#include "data/yandex.h"

#include <limits>
#include <numeric>
#include <unordered_map>

#include <fmt/core.h>

#include "data/error.h"
#include "data/fields_of_line.h"
#include "options/quote.h"

namespace ultr {
namespace {

/// All lists of a file; clicks may come for any session's latest.
struct Lists {
  static constexpr std::size_t left_out = std::numeric_limits<std::size_t>::max();

  std::vector<std::uint64_t> queries, lines, urls;
  std::vector<std::uint8_t> clicks, cut;
  std::vector<std::size_t> begin = {0};
  std::unordered_map<std::uint64_t, std::size_t> latest;  // list of each session

  void add_query(const std::vector<std::string_view>& fields, std::uint64_t line,
                 const ReadRules& rules) {
    const std::uint64_t session = parse_id(fields[0], "the session id");
    // Until all of the line is read: clicks on a query that is left out must not go to another.
    latest[session] = left_out;
    parse_id(fields[1], "the time");
    if (fields.size() < 6)
      throw DataError(
          fmt::format("a query with {} fields; expected session, time, Q, query, "
                      "region and at least one url",
                      fields.size()));
    const std::uint64_t query = parse_id(fields[3], "the query id");
    parse_id(fields[4], "the region id");
    std::vector<std::uint64_t> listed;
    for (std::size_t i = 5; i < fields.size(); ++i)
      listed.push_back(parse_id(fields[i], "a url id"));
    const bool too_long = must_cut(listed.size(), rules);
    if (too_long) listed.resize(rules.max_positions);
    latest[session] = queries.size();
    queries.push_back(query);
    lines.push_back(line);
    cut.push_back(too_long ? 1 : 0);
    urls.insert(urls.end(), listed.begin(), listed.end());
    clicks.resize(urls.size());
    begin.push_back(urls.size());
  }

  void add_click(const std::vector<std::string_view>& fields) {
    if (fields.size() != 4)
      throw DataError(
          fmt::format("a click with {} fields; expected session, time, C and url", fields.size()));
    const std::uint64_t session = parse_id(fields[0], "the session id");
    parse_id(fields[1], "the time");
    const std::uint64_t url = parse_id(fields[3], "the url id");
    const auto list = latest.find(session);
    if (list == latest.end())
      throw DataError(
          fmt::format("a click before any query of session {}; expected its query first", session));
    if (list->second == left_out) return;
    for (std::size_t i = begin[list->second]; i < begin[list->second + 1]; ++i)
      if (urls[i] == url) {
        clicks[i] = 1;
        return;
      }
  }

  void copy(std::size_t i, RawList& list) const {
    const auto first = static_cast<std::ptrdiff_t>(begin[i]);
    const auto last = static_cast<std::ptrdiff_t>(begin[i + 1]);
    list.query = queries[i];
    list.documents.assign(urls.begin() + first, urls.begin() + last);
    list.clicks.assign(clicks.begin() + first, clicks.begin() + last);
    list.positions.resize(list.documents.size());
    std::iota(list.positions.begin(), list.positions.end(), std::uint16_t{0});
  }
};

}  // namespace

ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take) {
  Lists lists;
  std::vector<std::string_view> fields;
  ReadReport report = for_each_line(file, rules, [&](std::string_view line, std::uint64_t number) {
    split_at_tabs(line, fields);
    if (fields.size() < 3)
      throw DataError(fmt::format("{} fields; expected session, time, Q or C, ...", fields.size()));
    if (fields[2] == "Q")
      lists.add_query(fields, number, rules);
    else if (fields[2] == "C")
      lists.add_click(fields);
    else
      throw DataError(fmt::format("the action is {}; expected Q or C", quote(fields[2], 40)));
  });
  RawList list;
  for (std::size_t i = 0; i < lists.queries.size(); ++i) {
    lists.copy(i, list);
    try {
      take(list);
    } catch (const DataError& error) {
      refuse_or_skip(file, lists.lines[i], error, rules, report);
      continue;
    }
    ++report.lists;
    report.truncated += lists.cut[i];
  }
  expect_lists(file, report, "at least one line with Q");
  return report;
}

}  // namespace ultr
