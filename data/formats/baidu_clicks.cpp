#include "data/formats/baidu_clicks.h"

#include <algorithm>
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

/// Returns true if a line has fewer fields than a document or an annotation.
bool may_be_a_query(std::string_view line) {
  constexpr std::ptrdiff_t most_tabs = 4;
  return std::count(line.begin(), line.end(), '\t') <= most_tabs;
}

/// Gathers the documents of a file into lists, which are passed on.
class BaiduClickReading {
 public:
  BaiduClickReading(const std::filesystem::path& file, const ReadRules& rules, BaiduReading reading,
                    const std::function<void(const BaiduList&)>& take)
      : file_(file), rules_(rules), reading_(reading), take_(take) {}

  ReadReport read() {
    ReadReport report = for_each_line(
        file_, rules_,
        [this](std::string_view text, std::uint64_t number) { read_line(text, number); });
    finish();
    report.add(taken_);
    return report;
  }

 private:
  void read_line(std::string_view text, std::uint64_t number) {
    const BaiduLine line = split(text);
    if (line.kind == BaiduLine::Kind::query) {
      start();
      running_ = BaiduList{.line = number,
                           .query = text_id(line.query),
                           .words = parse_tokens(line.query, "a token of the query")};
    } else if (line.kind == BaiduLine::Kind::document) {
      add_document(line);
    } else {
      throw DataError("an annotation; expected a click log");
    }
  }

  BaiduLine split(std::string_view text) {
    try {
      return split_baidu_line(text);
    } catch (const DataError&) {
      if (may_be_a_query(text)) start();
      throw;
    }
  }

  /// Ends the list before a query.
  void start() {
    finish();
    started_ = true;
    last_.reset();
  }

  void finish() {
    const std::size_t fewest = reading_.prepare ? fewest_prepared_documents : 1;
    const std::optional<BaiduList> list = std::exchange(running_, std::nullopt);
    if (!list || list->documents.size() < fewest) return;
    try {
      take_(*list);
      ++taken_.lists;
    } catch (const DataError& error) {
      reject_or_skip(file_, list->line, error, rules_, taken_);
    }
  }

  void add_document(const BaiduLine& line) {
    if (!started_) throw DataError("a document before any query; expected a query first");
    BaiduDocument document = parse_baidu_document(line);
    const std::uint16_t position = *document.columns.position;
    if (last_ && position <= *last_)
      throw DataError(fmt::format("position {} after {}; expected positions that rise",
                                  position + 1, *last_ + 1));
    last_ = position;
    if (reading_.signals) document.columns.signals = parse_baidu_signals(line);
    if (running_ && !(reading_.prepare && is_placeholder(document.text.title)))
      running_->documents.push_back(std::move(document));
  }

  const std::filesystem::path& file_;
  const ReadRules& rules_;
  BaiduReading reading_;
  const std::function<void(const BaiduList&)>& take_;
  ReadReport taken_;  // counts lists, which reach `take` after their lines were read
  std::optional<BaiduList> running_;  // empty after a malformed query
  bool started_ = false;
  std::optional<std::uint16_t>
      last_;  // position of the running list's last document, placeholders included
};

void baidu_signals_field(Fields& f, bool& signals) {
  f.boolean("signals", signals,
            "Keep which documents were viewed and skipped, and for how long users stayed on them.");
}

}  // namespace

ReadReport read_baidu_click_lists(const std::filesystem::path& file, const ReadRules& rules,
                                  BaiduReading reading,
                                  const std::function<void(const BaiduList&)>& take) {
  return BaiduClickReading(file, rules, reading, take).read();
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
