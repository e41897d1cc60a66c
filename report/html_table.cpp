#include <algorithm>

#include <fmt/format.h>

#include "report/markup.h"
#include "report/table.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

// Widths of text in ems: up to which the first column stays in view, and from which a column of
// words is prose, whose lines are broken.
constexpr double widest_key = 14, widest_word = 24;

/// Returns the class attribute of the cells of each column, with a leading space.
std::vector<std::string> column_classes(const ReportTable& table) {
  std::vector<std::string> classes;
  for (std::size_t column = 0; column < table.header.size(); ++column) {
    double widest = text_width(table.header[column], 1);
    for (const auto& row : table.rows) widest = std::max(widest, text_width(row[column].text, 1));
    std::string names;
    if (is_numeric_column(table, column))
      names = "number";
    else if (widest > widest_word)
      names = "prose";
    if (column == 0 && table.header.size() > 2 && widest <= widest_key)
      names += names.empty() ? "key" : " key";
    classes.push_back(names.empty() ? "" : fmt::format(" class=\"{}\"", names));
  }
  return classes;
}

/// Returns the text of a number with its interval, if it has one, in another colour.
std::string number_markup(std::string_view text) {
  const std::size_t interval = text.find(" [");
  if (interval == std::string_view::npos) return escape_markup(text);
  return fmt::format("{}<span class=\"interval\">{}</span>",
                     escape_markup(text.substr(0, interval)), escape_markup(text.substr(interval)));
}

std::string cell_markup(const ReportCell& cell, bool numeric) {
  std::string text = numeric ? number_markup(cell.text) : escape_markup(cell.text);
  if (!cell.link.empty())
    text = fmt::format("<a href=\"{}\">{}</a>", escape_markup(cell.link), text);
  return render_icon(cell.mark) + text;
}

std::string row_markup(const std::vector<ReportCell>& row,
                       const std::vector<std::string>& classes) {
  const bool chosen = std::ranges::count(row, Mark::chosen, &ReportCell::mark) > 0;
  std::string markup = chosen ? "<tr class=\"chosen\">" : "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i)
    markup += fmt::format("<td{}>{}</td>", classes[i],
                          cell_markup(row[i], classes[i].starts_with(" class=\"number")));
  return markup + "</tr>\n";
}

}  // namespace

std::string render_table(const ReportTable& table) {
  check_table(table);
  const std::vector<std::string> classes = column_classes(table);
  std::string header, body;
  for (std::size_t i = 0; i < table.header.size(); ++i)
    header +=
        fmt::format("<th scope=\"col\"{}>{}</th>", classes[i], escape_markup(table.header[i]));
  for (const auto& row : table.rows) body += row_markup(row, classes);
  const std::string caption = escape_markup(table.caption);
  std::string markup = fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n{}<thead>"
      "\n<tr>{}</tr>\n</thead>\n<tbody>\n{}</tbody>\n</table>\n</div>\n",
      caption.empty() ? "Table" : caption,
      caption.empty() ? "" : fmt::format("<caption>{}</caption>\n", caption), header, body);
  if (table.folded_under.empty()) return markup;
  return fmt::format("<details class=\"numbers\">\n<summary>{}</summary>\n{}</details>\n",
                     escape_markup(table.folded_under), markup);
}

}  // namespace ultr
