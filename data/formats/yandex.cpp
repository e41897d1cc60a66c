#include "data/formats/yandex.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// The latest queries of a log, in order, which may still get clicks.
class OpenQueries {
 public:
  /// The result list of a query. A malformed query line becomes a list without urls, which is never
  /// passed on: it absorbs clicks that must not go to an earlier query.
  struct List {
    std::uint64_t session = 0, query = 0, line = 0;
    std::vector<std::uint64_t> urls{};
    std::vector<std::uint8_t> clicks{};  // one per url
    std::uint64_t before = none;         // next older list in its chain of the index
    bool cut = false;
  };

  bool full() const { return next_ - first_ == yandex_open_queries; }
  bool empty() const { return next_ == first_; }
  /// The oldest open list; it is valid until the next one is opened, even if it is closed.
  List& oldest() { return of(first_); }
  void close_oldest() {
    ++first_;
    // A list is closed long after its line was read, when its urls have left the cache.
    constexpr std::uint64_t soon = 4;
    if (first_ + soon < next_) __builtin_prefetch(of(first_ + soon).urls.data());
  }

  /// Opens a list without urls, valid until the next one is opened. Must not be called if full().
  List& open(std::uint64_t session, std::uint64_t query, std::uint64_t line) {
    if (lists_.size() < yandex_open_queries) lists_.emplace_back();
    List& list = of(next_++);
    list.session = session;
    list.query = query;
    list.line = line;
    list.urls.clear();
    list.clicks.clear();
    list.before = none;
    list.cut = false;
    return list;
  }

  /// Adds a click to the latest open list of the session. Returns false if there is no such list.
  bool click(std::uint64_t session, std::uint64_t url) {
    const std::uint64_t number = latest_of(session);
    if (number == none) return false;
    List& list = of(number);
    const auto found = std::find(list.urls.begin(), list.urls.end(), url);
    if (found != list.urls.end())
      list.clicks[static_cast<std::size_t>(found - list.urls.begin())] = 1;
    return true;
  }
  /// True if a list has been closed.
  bool closed_any() const { return first_ > 0; }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  static constexpr int place_bits = 17;

  List& of(std::uint64_t number) { return lists_[number % yandex_open_queries]; }

  /// Returns the number of the latest open list of a session, or `none`.
  std::uint64_t latest_of(std::uint64_t session) {
    // It is one of the last few unless sessions are interleaved. Only then is the index built.
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

  /// The newest list in a session's chain. The index is a hash table of chains from new to old.
  std::uint64_t& place_of(std::uint64_t session) {
    return places_[session * 0x9E3779B97F4A7C15u >> (64 - place_bits)];
  }
  void update_index() {
    if (places_.empty()) places_.assign(std::size_t{1} << place_bits, none);
    for (indexed_ = std::max(indexed_, first_); indexed_ < next_; ++indexed_)
      of(indexed_).before = std::exchange(place_of(of(indexed_).session), indexed_);
  }

  std::vector<List> lists_;             // list n is at n mod yandex_open_queries
  std::uint64_t first_ = 0, next_ = 0;  // numbers of the oldest and of the next list
  std::vector<std::uint64_t> places_;   // newest list of each chain of the index, or none
  std::uint64_t indexed_ = 0;           // lists before this one are in the index or closed
};

/// Clears a vector for `size` values, and frees the memory that a much longer list left: memory
/// follows the lists that are open.
template <class T>
void clear_for(std::size_t size, std::vector<T>& values) {
  constexpr std::size_t times = 4, spare = 64;
  if (values.capacity() > times * size + spare) values = std::vector<T>();
  values.clear();
}

/// Opens a list that shows some urls for a query, cut as the rules say.
void open_list(std::uint64_t session, std::uint64_t query, std::span<const std::uint64_t> urls,
               std::uint64_t line, const ReadRules& rules, OpenQueries& into) {
  OpenQueries::List& list = into.open(session, query, line);
  list.cut = needs_truncation(urls.size(), rules);
  const auto shown = urls.first(std::min(urls.size(), rules.max_positions));
  clear_for(shown.size(), list.urls);
  clear_for(shown.size(), list.clicks);
  list.urls.assign(shown.begin(), shown.end());
  list.clicks.assign(shown.size(), 0);
}

void take_click(std::uint64_t session, std::uint64_t url, OpenQueries& of) {
  if (of.click(session, url)) return;
  if (!of.closed_any())
    throw DataError(
        fmt::format("a click before any query of session {}; expected its query first", session));
  throw DataError(
      fmt::format("a click, but no query of session {} among the {} queries before it; expected "
                  "its query there",
                  session, yandex_open_queries));
}

/// A parsed line: its action and its fields in order, but for the action. The first one is the
/// session, and the url of a click the last one.
struct Line {
  char action = 0;  // Q or C
  std::span<const std::uint64_t> ids;
};

constexpr std::size_t action_field = 2, query_field = 3, first_url = 5, fields_of_click = 4;

/// Reads a line quickly; returns false if it is malformed.
bool read_well_formed(SplitLine& text, Line& line) {
  const std::size_t fields = text.fields();
  if (fields < fields_of_click || text.field(action_field).size() != 1) return false;
  line.action = text.field(action_field)[0];
  if (!(line.action == 'Q' && fields > first_url) &&
      !(line.action == 'C' && fields == fields_of_click))
    return false;
  line.ids = text.numbers();
  return text.are_numbers(0, action_field) && text.are_numbers(query_field, fields - query_field);
}

/// Reads a line. Throws DataError if it is malformed. If line.action is Q after that, line.ids[0]
/// is the session, whose following clicks must be skipped.
void read_line(SplitLine& text, Line& line) {
  if (read_well_formed(text, line)) return;
  line.action = 0;
  std::vector<std::string_view> fields;
  split_at_tabs(text.text(), fields);
  if (fields.size() < 3)
    throw DataError(fmt::format("{} fields; expected session, time, Q or C, ...", fields.size()));
  const bool query = fields[2] == "Q";
  if (!query && fields[2] != "C")
    throw DataError(fmt::format("the action is {}; expected Q or C", quote(fields[2], 40)));
  if (!query && fields.size() != 4)
    throw DataError(
        fmt::format("a click with {} fields; expected session, time, C and url", fields.size()));
  parse_id(fields[0], "the session id");
  text.are_numbers(0, 1);
  line.ids = text.numbers();
  line.action = fields[2][0];
  parse_id(fields[1], "the time");
  if (query && fields.size() < 6)
    throw DataError(
        fmt::format("a query with {} fields; expected session, time, Q, query, "
                    "region and at least one url",
                    fields.size()));
  for (std::size_t i = 3; i < fields.size(); ++i)
    parse_id(fields[i], !query   ? "the url id"
                        : i == 3 ? "the query id"
                        : i == 4 ? "the region id"
                                 : "a url id");
  throw Error("read_line: a line that is malformed, but none of its fields");
}

}  // namespace

ReadReport read_yandex(const std::filesystem::path& file, const ReadRules& rules,
                       const std::function<void(const RawList&)>& take) {
  OpenQueries open;
  RawList list;
  ReadReport taken;  // counts lists, which reach `take` long after their lines were read
  const auto close_oldest = [&] {
    OpenQueries::List& oldest = open.oldest();
    open.close_oldest();
    if (oldest.urls.empty()) return;
    list.query = oldest.query;
    list.documents.swap(oldest.urls);  // which is overwritten when the place is used again
    list.clicks.swap(oldest.clicks);
    if (list.positions.size() != list.documents.size()) {
      list.positions.resize(list.documents.size());
      std::iota(list.positions.begin(), list.positions.end(), std::uint16_t{0});
    }
    try {
      take(list);
      ++taken.lists;
      taken.truncated += oldest.cut ? 1 : 0;
    } catch (const DataError& error) {
      reject_or_skip(file, oldest.line, error, rules, taken);
    }
  };
  Line line;
  const auto read = [&](SplitLine& text, std::uint64_t number) {
    try {
      read_line(text, line);
    } catch (const DataError&) {
      if (line.action == 'Q') {
        if (open.full()) close_oldest();
        open.open(line.ids[0], 0, number);  // absorbs the clicks on the malformed query
      }
      throw;
    }
    const std::span<const std::uint64_t> ids = line.ids;
    if (line.action == 'Q') {
      if (open.full()) close_oldest();
      open_list(ids[0], ids[query_field], ids.subspan(first_url), number, rules, open);
    } else {
      take_click(ids[0], ids.back(), open);
    }
  };
  ReadReport report = for_each_split_line(file, rules, read);
  while (!open.empty()) close_oldest();
  report.add(taken);
  expect_lists(file, report, "at least one line with Q");
  return report;
}

}  // namespace ultr
