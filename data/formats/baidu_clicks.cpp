#include "data/formats/baidu_clicks.h"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// Copies a list to `to` as a click log stores it. Returns true if documents beyond
/// rules.max_positions were cut off.
bool copy_list(const BaiduList& list, const ReadRules& rules, RawList& to) {
  const bool cut =
      needs_truncation(*list.documents.back().columns.position + std::size_t{1}, rules);
  to.query = list.query;
  to.documents.clear();
  to.positions.clear();
  to.clicks.clear();
  for (const Signal signal : all_signals) to.signals[signal].clear();
  for (const auto& [columns, text] : list.documents) {
    if (*columns.position >= rules.max_positions) break;
    to.documents.push_back(*columns.id);
    to.positions.push_back(*columns.position);
    to.clicks.push_back(*columns.click);
    for (const Signal signal : all_signals)
      if (columns.signals[signal]) to.signals[signal].push_back(*columns.signals[signal]);
  }
  if (to.documents.empty())
    throw DataError(
        fmt::format("the list shows no document at the first {} positions; expected at least one",
                    rules.max_positions));
  return cut;
}

void baidu_signals_field(Fields& f, bool& signals) {
  f.boolean("signals", signals,
            "Keep which documents were viewed and skipped, and for how long users stayed on them.");
}

}  // namespace

ReadReport read_baidu_click_lists(const std::filesystem::path& file, const ReadRules& rules,
                                  BaiduReading reading,
                                  const std::function<void(const BaiduList&)>& take) {
  const std::size_t fewest = reading.prepare ? fewest_prepared_documents : 1;
  ReadReport taken;                  // counts lists, which reach `take` after their lines were read
  std::optional<BaiduList> running;  // empty after a malformed query
  bool started = false;
  std::optional<std::uint16_t>
      last;  // position of the running list's last document, placeholders included
  const auto finish = [&] {
    const std::optional<BaiduList> list = std::exchange(running, std::nullopt);
    if (!list || list->documents.size() < fewest) return;
    try {
      take(*list);
      ++taken.lists;
    } catch (const DataError& error) {
      reject_or_skip(file, list->line, error, rules, taken);
    }
  };
  ReadReport report = for_each_line(file, rules, [&](std::string_view text, std::uint64_t number) {
    const BaiduLine line = split_baidu_line(text);
    if (line.kind == BaiduLine::Kind::query) {
      finish();
      started = true;
      last.reset();
      running = BaiduList{.line = number,
                          .query = text_id(line.query),
                          .words = parse_tokens(line.query, "a token of the query")};
      return;
    }
    if (line.kind != BaiduLine::Kind::document)
      throw DataError("an annotation; expected a click log");
    if (!started) throw DataError("a document before any query; expected a query first");
    BaiduDocument document = parse_baidu_document(line);
    const std::uint16_t position = *document.columns.position;
    if (last && position <= *last)
      throw DataError(fmt::format("position {} after {}; expected positions that rise",
                                  position + 1, *last + 1));
    last = position;
    if (reading.signals) document.columns.signals = parse_baidu_signals(line);
    if (running && !(reading.prepare && is_placeholder(document.text.title)))
      running->documents.push_back(std::move(document));
  });
  finish();
  report.add(taken);
  return report;
}

void BaiduClickLogFormat::fields(Fields& f) {
  f.boolean("prepare", reading_.prepare,
            "Drop placeholder documents, then lists with fewer than five documents.");
  baidu_signals_field(f, reading_.signals);
}

void BaiduClicksFormat::fields(Fields& f) {
  BaiduFeatureFormat::fields(f);
  baidu_signals_field(f, signals_);
}

LogReader BaiduClickLogFormat::reader() const {
  return [reading = reading_](const std::filesystem::path& file, const ReadRules& rules,
                              const std::function<void(const RawList&)>& take) {
    RawList list;
    std::uint64_t truncated = 0;
    ReadReport report = read_baidu_click_lists(file, rules, reading, [&](const BaiduList& read) {
      const bool cut = copy_list(read, rules, list);
      take(list);
      truncated += cut ? 1 : 0;
    });
    report.truncated = truncated;
    expect_lists(file, report, "at least one query with documents");
    return report;
  };
}

}  // namespace ultr
