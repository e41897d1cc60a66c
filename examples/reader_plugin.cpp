#include <algorithm>

#include <fmt/core.h>

#include "data/text/line_fields.h"
#include "experiment/plugin.h"

/// Parses a line of a query and its documents from the top, each with its click, 0 or 1:
///
///     query ⇥ document:click ⇥ document:click ⇥ ...
///
/// Returns true if the list was cut. Throws DataError if the line is malformed.
bool parse_list(std::string_view line, const ultr::ReadRules& rules, ultr::RawList& list) {
  std::vector<std::string_view> fields;
  ultr::split_at_tabs(line, fields);
  const std::size_t documents = fields.size() - 1;
  if (documents == 0) throw ultr::DataError("a query alone; expected documents after it");
  const bool cut = ultr::needs_truncation(documents, rules);
  list = {};
  list.query = ultr::parse_id(fields[0], "query");
  for (std::size_t k = 0; k < std::min(documents, rules.max_positions); ++k) {
    const std::string_view field = fields[k + 1];
    const std::size_t colon = field.find(':');
    if (colon == field.npos)
      throw ultr::DataError(
          fmt::format("document {} is '{}'; expected document:click", k + 1, field));
    list.documents.push_back(ultr::parse_id(field.substr(0, colon), "document"));
    list.positions.push_back(static_cast<std::uint16_t>(k));
    list.clicks.push_back(
        static_cast<std::uint8_t>(ultr::parse_integer(field.substr(colon + 1), "click", 0, 1)));
  }
  return cut;
}

/// A click log with one list per line (parse_list).
class ColonsFormat final : public ultr::LogFormat {
 public:
  void fields(ultr::Fields& f) override {
    f.boolean("clicked_only", clicked_only_, "Leave out lists without a click.");
  }

  ultr::LogReader reader() const override {
    return [clicked_only = clicked_only_](const auto& file, const auto& rules, const auto& take) {
      ultr::RawList list;
      std::uint64_t lists = 0, truncated = 0;
      const auto read_line = [&](std::string_view line, std::uint64_t) {
        const bool cut = parse_list(line, rules, list);
        if (clicked_only && std::ranges::count(list.clicks, 1) == 0) return;
        take(list);
        ++lists;
        truncated += cut ? 1 : 0;
      };
      ultr::ReadReport report = ultr::for_each_line(file, rules, read_line);
      report.lists = lists;
      report.truncated = truncated;
      ultr::expect_lists(file, report, "at least one line");
      return report;
    };
  }

 private:
  bool clicked_only_ = false;
};

/// Adds the format to any ultr-run: ultr-run --plugin libreader.so CONFIG
void ultr_register(ultr::Registry& registry) {
  registry.add(ultr::ReaderType("colons", "Lists as query, document:click, ...",
                                [] { return std::make_unique<ColonsFormat>(); }));
}
