#include "data/yandex.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/core.h>

#include "data/error.h"
#include "data/fields_of_line.h"

namespace ultr {
namespace {

/// All lists of a file; clicks may come for any session's latest.
struct Lists {
  std::vector<std::uint64_t> queries, urls;
  std::vector<std::uint8_t> clicks;
  std::vector<std::size_t> begin = {0};
  std::unordered_map<std::uint64_t, std::size_t> latest;  // list of each session

  void add_query(const std::vector<std::string_view>& fields, const ReadRules& rules) {
    if (fields.size() < 6)
      throw DataError(
          fmt::format("a query with {} fields; expected session, time, Q, query, "
                      "region and at least one url",
                      fields.size()));
    const std::uint64_t session = parse_id(fields[0], "the session id");
    const std::uint64_t query = parse_id(fields[3], "the query id");
    parse_id(fields[4], "the region id");
    std::vector<std::uint64_t> listed;
    for (std::size_t i = 5; i < fields.size(); ++i)
      listed.push_back(parse_id(fields[i], "a url id"));
    // Checked before anything is kept, so that a line that is left out leaves nothing behind.
    if (listed.size() > rules.max_positions && !rules.truncate)
      throw DataError(
          fmt::format("the list shows {} urls; expected at most data.max_positions = {} "
                      "(or data.long_lists: truncate)",
                      listed.size(), rules.max_positions));
    latest[session] = queries.size();
    queries.push_back(query);
    urls.insert(urls.end(), listed.begin(), listed.end());
    clicks.resize(urls.size());
    begin.push_back(urls.size());
  }

  void add_click(const std::vector<std::string_view>& fields) {
    if (fields.size() != 4)
      throw DataError(
          fmt::format("a click with {} fields; expected session, time, C and url", fields.size()));
    const std::uint64_t session = parse_id(fields[0], "the session id");
    const std::uint64_t url = parse_id(fields[3], "the url id");
    const auto list = latest.find(session);
    if (list == latest.end())
      throw DataError(fmt::format("a click before any query of session {}", session));
    for (std::size_t i = begin[list->second]; i < begin[list->second + 1]; ++i)
      if (urls[i] == url) {
        clicks[i] = 1;
        return;
      }
  }
};

}  // namespace

ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take) {
  Lists lists;
  std::vector<std::string_view> fields;
  ReadReport report = for_each_line(file, rules, [&](std::string_view line) {
    split_at_tabs(line, fields);
    if (fields.size() < 3)
      throw DataError(fmt::format("{} fields; expected session, time, Q or C, ...", fields.size()));
    parse_id(fields[1], "the time");
    if (fields[2] == "Q")
      lists.add_query(fields, rules);
    else if (fields[2] == "C")
      lists.add_click(fields);
    else
      throw DataError(fmt::format("the action is '{}'; expected Q or C", fields[2]));
  });
  RawList list;
  for (std::size_t i = 0; i < lists.queries.size(); ++i) {
    const auto at = [&](const auto& all) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto first = static_cast<std::ptrdiff_t>(*at(lists.begin));
    const auto last = static_cast<std::ptrdiff_t>(*(at(lists.begin) + 1));
    list.query = lists.queries[i];
    list.documents.assign(lists.urls.begin() + first, lists.urls.begin() + last);
    list.clicks.assign(lists.clicks.begin() + first, lists.clicks.begin() + last);
    list.positions.resize(list.documents.size());
    std::iota(list.positions.begin(), list.positions.end(), std::uint16_t{0});
    report.truncated += limit_length(list, rules) ? 1 : 0;
    ++report.lists;
    take(list);
  }
  if (report.lists == 0)
    throw DataError(file.string() + ": has no query; expected at least one line with Q");
  return report;
}

}  // namespace ultr
