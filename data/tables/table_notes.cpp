#include "data/tables/table_notes.h"

#include <fmt/core.h>

namespace ultr {
namespace {

/// Adds notes on clicks that nothing can be learned from.
void add_click_notes(const TableRows::Counts& counts, std::vector<std::string>& notes) {
  if (counts.clicks == 0)
    notes.emplace_back("no document is clicked; expected clicks to learn from");
  else if (counts.clicks == counts.documents)
    notes.emplace_back(
        "every document is clicked; expected the documents that were shown and not clicked, too");
}

}  // namespace

std::vector<std::string> table_notes(const TableFindings& found) {
  const TableRows::Counts& counts = found.counts;
  std::vector<std::string> notes;
  if (found.kinds.size() > 1) {
    std::string kinds;
    for (const auto& [kind, count] : found.kinds)
      kinds += fmt::format("{}{} for {}", kinds.empty() ? "" : ", ", count, kind);
    notes.push_back("left out: " + kinds);
  }
  if (!found.layout.unused.empty()) {
    std::string columns;
    for (const TableColumn& column : found.layout.unused)
      columns += (columns.empty() ? "" : ", ") + column.label;
    notes.push_back(fmt::format(
        "is a table of counts ({}), whose rows stand for impressions of any session; not used: {}",
        found.layout.impressions.label, columns));
  }
  if (!found.layout.query.exists())
    notes.emplace_back("has no column 'query' (data.columns.query); all lists have the same query");
  if (counts.with_duplicates > 0)
    notes.push_back(fmt::format("{} of {} lists show a document twice, the first on line {}",
                                counts.with_duplicates, counts.lists, counts.first_duplicate_line));
  if (counts.at_first == 0)
    notes.push_back(
        fmt::format("no list shows a document at position {}; expected positions that start there "
                    "(data.first_position)",
                    found.first_position));
  if (counts.without_propensity > 0)
    notes.push_back(fmt::format(
        "{} is empty in {} of {} rows, the first on line {}; it is not used, since losses need all "
        "propensities",
        found.layout.propensity.label, counts.without_propensity, counts.rows,
        counts.first_without_propensity));
  if (found.layout.has_clicks()) add_click_notes(counts, notes);
  return notes;
}

}  // namespace ultr
