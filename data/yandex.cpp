#include "data/yandex.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "data/error.h"
#include "data/fields_of_line.h"
#include "options/quote.h"

namespace ultr {
namespace {

/// The latest queries of a log, in their order, whose clicks may still come.
class OpenQueries {
 public:
  /// A query line that is malformed is a list without urls, which is handed to nobody: clicks on it
  /// must not go to another.
  struct List {
    std::uint64_t session = 0, query = 0, line = 0;
    std::uint64_t begin = 0;  // number of its first url, of all urls
    std::size_t length = 0;
    std::uint64_t before = none;  // number of an older list whose session shares its place
    bool cut = false;
  };

  bool full() const { return next_ - first_ == yandex_open_queries; }
  bool empty() const { return next_ == first_; }
  const List& oldest() const { return of(first_); }
  /// Urls and clicks of the oldest.
  std::span<const std::uint64_t> urls() const { return urls_of(oldest()); }
  std::span<const std::uint8_t> clicks() const {
    return std::span(clicks_).subspan(oldest().begin - forgotten_, oldest().length);
  }
  void close_oldest() {
    closed_ = oldest().begin + oldest().length;
    ++first_;
  }

  /// Opens a list, unless as many as can be are open. Its urls follow.
  List& open(std::uint64_t session, std::uint64_t line) {
    // Urls of closed lists go when they are half of all: each is moved once on average.
    if (closed_ - forgotten_ > urls_.size() / 2) forget_closed();
    List& list = of(next_++);
    list = {.session = session, .line = line, .begin = forgotten_ + urls_.size()};
    return list;
  }
  void add_url(List& list, std::uint64_t url) {
    urls_.push_back(url);
    clicks_.push_back(0);
    ++list.length;
  }
  void keep_urls(List& newest, std::size_t count) {
    newest.length = count;
    urls_.resize(newest.begin - forgotten_ + count);
    clicks_.resize(urls_.size());
  }

  /// Whether the session has an open list, of which the latest takes the click.
  bool click(std::uint64_t session, std::uint64_t url) {
    const std::uint64_t number = latest_of(session);
    if (number == none) return false;
    const auto urls = urls_of(of(number));
    const auto found = std::find(urls.begin(), urls.end(), url);
    if (found != urls.end())
      clicks_[of(number).begin - forgotten_ + static_cast<std::size_t>(found - urls.begin())] = 1;
    return true;
  }
  /// Whether a list was closed before.
  bool closed_any() const { return first_ > 0; }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  static constexpr int place_bits = 17;

  List& of(std::uint64_t number) { return lists_[number % yandex_open_queries]; }
  const List& of(std::uint64_t number) const { return lists_[number % yandex_open_queries]; }
  std::span<const std::uint64_t> urls_of(const List& list) const {
    return std::span(urls_).subspan(list.begin - forgotten_, list.length);
  }

  /// Number of the latest open list of a session, or `none`.
  std::uint64_t latest_of(std::uint64_t session) {
    // One of the last few, unless sessions are mixed: only then is there an index.
    constexpr std::uint64_t few = 4;
    const std::uint64_t last_few = std::max(first_ + few, next_) - few;
    for (std::uint64_t number = next_; number-- > last_few;)
      if (of(number).session == session) return number;
    update_index();
    std::uint64_t number = place_of(session);
    while (number != none && number >= first_ && of(number).session != session)
      number = of(number).before;
    return number != none && number >= first_ ? number : none;
  }

  /// The newest list at a session's place in the index: a hash table of chains from new to old.
  std::uint64_t& place_of(std::uint64_t session) {
    return places_[session * 0x9E3779B97F4A7C15u >> (64 - place_bits)];
  }
  void update_index() {
    if (places_.empty()) places_.assign(std::size_t{1} << place_bits, none);
    for (indexed_ = std::max(indexed_, first_); indexed_ < next_; ++indexed_)
      of(indexed_).before = std::exchange(place_of(of(indexed_).session), indexed_);
  }

  void forget_closed() {
    const auto gone = static_cast<std::ptrdiff_t>(closed_ - forgotten_);
    urls_.erase(urls_.begin(), urls_.begin() + gone);
    clicks_.erase(clicks_.begin(), clicks_.begin() + gone);
    forgotten_ = closed_;
  }

  std::vector<List> lists_ = std::vector<List>(yandex_open_queries);  // number n at n mod size
  std::uint64_t first_ = 0, next_ = 0;        // numbers of the oldest and of the next list
  std::vector<std::uint64_t> urls_;           // without those that were forgotten
  std::vector<std::uint8_t> clicks_;          // on them
  std::uint64_t closed_ = 0, forgotten_ = 0;  // urls of lists that were closed; that were removed
  std::vector<std::uint64_t> places_;
  std::uint64_t indexed_ = 0;  // lists that are in the index, or were closed before
};

void add_query(const std::vector<std::string_view>& fields, std::uint64_t line,
               const ReadRules& rules, OpenQueries& into) {
  const std::uint64_t session = parse_id(fields[0], "the session id");
  OpenQueries::List& list = into.open(session, line);
  try {
    parse_id(fields[1], "the time");
    if (fields.size() < 6)
      throw DataError(
          fmt::format("a query with {} fields; expected session, time, Q, query, "
                      "region and at least one url",
                      fields.size()));
    list.query = parse_id(fields[3], "the query id");
    parse_id(fields[4], "the region id");
    for (std::size_t i = 5; i < fields.size(); ++i)
      into.add_url(list, parse_id(fields[i], "a url id"));
    list.cut = must_cut(list.length, rules);
    if (list.cut) into.keep_urls(list, rules.max_positions);
  } catch (const DataError&) {
    into.keep_urls(list, 0);
    throw;
  }
}

void add_click(const std::vector<std::string_view>& fields, OpenQueries& into) {
  if (fields.size() != 4)
    throw DataError(
        fmt::format("a click with {} fields; expected session, time, C and url", fields.size()));
  const std::uint64_t session = parse_id(fields[0], "the session id");
  parse_id(fields[1], "the time");
  const std::uint64_t url = parse_id(fields[3], "the url id");
  if (into.click(session, url)) return;
  if (!into.closed_any())
    throw DataError(
        fmt::format("a click before any query of session {}; expected its query first", session));
  throw DataError(
      fmt::format("a click, but no query of session {} among the {} queries before it; expected "
                  "its query there",
                  session, yandex_open_queries));
}

}  // namespace

ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take) {
  OpenQueries open;
  RawList list;
  ReadReport taken;  // of lists, which are handed over long after their lines
  // Throws what `take` throws, with `line` at the list's query.
  const auto close_oldest = [&](std::uint64_t& line) {
    const OpenQueries::List oldest = open.oldest();
    list.query = oldest.query;
    list.documents.assign(open.urls().begin(), open.urls().end());
    list.clicks.assign(open.clicks().begin(), open.clicks().end());
    open.close_oldest();
    if (oldest.length == 0) return;
    list.positions.resize(oldest.length);
    std::iota(list.positions.begin(), list.positions.end(), std::uint16_t{0});
    line = oldest.line;
    take(list);
    ++taken.lists;
    taken.truncated += oldest.cut ? 1 : 0;
  };
  std::vector<std::string_view> fields;
  ReadReport report = for_each_line(file, rules, [&](std::string_view line, std::uint64_t& place) {
    split_at_tabs(line, fields);
    if (fields.size() < 3)
      throw DataError(fmt::format("{} fields; expected session, time, Q or C, ...", fields.size()));
    if (fields[2] == "Q") {
      const std::uint64_t here = place;
      if (open.full()) {
        try {
          close_oldest(place);
        } catch (const DataError& error) {
          if (!rules.skip_malformed) throw;
          refuse_or_skip(file, place, error, rules, taken);  // and goes on with this line
        }
      }
      place = here;
      add_query(fields, here, rules, open);
    } else if (fields[2] == "C") {
      add_click(fields, open);
    } else {
      throw DataError(fmt::format("the action is {}; expected Q or C", quote(fields[2], 40)));
    }
  });
  while (!open.empty()) {
    std::uint64_t line = 0;
    try {
      close_oldest(line);
    } catch (const DataError& error) {
      refuse_or_skip(file, line, error, rules, taken);
    }
  }
  report.add(taken);
  expect_lists(file, report, "at least one line with Q");
  return report;
}

}  // namespace ultr
