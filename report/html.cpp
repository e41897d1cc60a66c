#include "report/html.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "report/markup.h"
#include "report/svg.h"

namespace ultr {
namespace {

constexpr std::string_view page_stylesheet = R"(
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--muted:#59626d;--rule:#d8dde3;--wash:#f5f7f9;--edge:#1f232848}
@media(prefers-color-scheme:dark){:root{--page:#14171b;--text:#f0f2f4;--muted:#9aa4af;--rule:#343b43;--wash:#1c2025;--edge:#f0f2f448}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 -apple-system,'Segoe UI',Inter,Roboto,'Helvetica Neue',Arial,'Liberation Sans',sans-serif;-webkit-text-size-adjust:100%}
main{max-width:760px;margin:0 auto;padding:40px 20px 64px}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .4rem}
h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 .75rem;padding-top:1.25rem;border-top:1px solid var(--rule)}
h1,h2,p,figcaption,caption{overflow-wrap:break-word;text-wrap:pretty}
p{margin:0 0 1rem;max-width:42rem}
.summary{color:var(--muted);font-size:1.05rem}
figure{margin:2rem 0 2.5rem}
figure svg{display:block;width:100%;height:auto;overflow:visible}
h2+figure{margin-top:1.25rem}
figcaption,caption{color:var(--muted);font-size:.875rem;line-height:1.5;max-width:42rem}
figcaption{margin-top:.75rem}
.narrow{display:none}
.scroll{overflow-x:auto;margin:1.5rem 0;scrollbar-width:thin;scrollbar-color:var(--muted) transparent;background:linear-gradient(90deg,var(--page) 24px,transparent 48px) 0/48px 100% no-repeat local,linear-gradient(270deg,var(--page) 24px,transparent 48px) 100%/48px 100% no-repeat local,linear-gradient(90deg,var(--edge),transparent) 0/16px 100% no-repeat,linear-gradient(270deg,var(--edge),transparent) 100%/16px 100% no-repeat}
table{border-collapse:collapse;font-size:.9375rem;line-height:1.4;font-variant-numeric:tabular-nums lining-nums}
caption{text-align:left;margin-bottom:.5rem}
th,td{padding:.4rem .75rem;text-align:left;vertical-align:baseline}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
th{font-weight:600;border-bottom:1.5px solid var(--text)}
td{border-bottom:1px solid var(--rule)}
.number{text-align:right;white-space:nowrap}
details{margin:1.25rem 0;border:1px solid var(--rule);border-radius:6px;background:var(--wash)}
summary{padding:.6rem .9rem;cursor:pointer;font-weight:600}
pre{margin:0;padding:.25rem .9rem .9rem;overflow-x:auto;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;tab-size:4}
@media(max-width:600px){main{padding:24px 16px 48px}h1{font-size:1.6rem}.wide{display:none}.narrow{display:block}}
@media print{@page{margin:18mm}body{font-size:10.5pt}main{max-width:none;padding:0}figure,tr{break-inside:avoid}h2{break-after:avoid}.wide{display:block;max-width:15.5cm}.narrow{display:none}.scroll{overflow:visible;background:none}pre{white-space:pre-wrap}details::details-content{content-visibility:visible;block-size:auto}}
)";

/// Natural sizes of pictures: on a desktop or on paper, and on a phone.
constexpr PictureSize wide_chart = {720, 300}, wide_panels = {720, 220}, narrow = {360, 230};

bool fits_any_column(std::string_view cell) {
  constexpr std::array<std::string_view, 8> words = {"",    "-",   "–",   "—",
                                                     "nan", "NaN", "inf", "-inf"};
  return std::ranges::count(words, cell) > 0;
}

/// True if a cell starts like a number and has no letters except the e of an exponent.
bool is_number(std::string_view cell) {
  for (const std::string_view sign : {"<", ">", " ", "-", "+", "−", "±", "."})
    if (cell.substr(0, sign.size()) == sign) cell.remove_prefix(sign.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (cell.empty() || !is_digit(cell.front())) return false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char lower = static_cast<char>(cell[i] | 0x20);
    const bool exponent = lower == 'e' && is_digit(cell[i - 1]);
    if (lower >= 'a' && lower <= 'z' && !exponent) return false;
  }
  return true;
}

std::string element(std::string_view name, std::string_view text) {
  return text.empty() ? "" : fmt::format("<{0}>{1}</{0}>\n", name, escape_markup(text));
}

std::string render(const ReportText& block) {
  std::string html;
  std::string_view text = block.text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    html += element("p", text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of('\n', end), text.size()));
  }
  return html;
}

/// Returns a figure that shows one of two pictures.
std::string figure_element(std::string_view on_wide_pages, std::string_view on_narrow_pages,
                           std::string_view caption) {
  return fmt::format(
      "<figure>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n{}</figure>\n",
      on_wide_pages, on_narrow_pages, element("figcaption", caption));
}

std::string render(const ReportFigure& figure) {
  const PictureSize wide = figure.columns > 1 ? wide_panels : wide_chart;
  return figure_element(render_panels(figure.charts, figure.columns, wide),
                        render_panels(figure.charts, 1, narrow), figure.caption);
}

std::string render(const ReportDotPlot& figure) {
  return figure_element(render_dot_plot(figure.plot, wide_chart.width),
                        render_dot_plot(figure.plot, narrow.width), figure.caption);
}

std::string render(const ReportArcDiagram& figure) {
  return figure_element(render_arc_diagram(figure.diagram, wide_chart.width),
                        render_arc_diagram(figure.diagram, narrow.width), figure.caption);
}

std::string render(const ReportTable& table) {
  check_table(table);
  std::vector<const char*> classes;
  for (std::size_t column = 0; column < table.header.size(); ++column)
    classes.push_back(is_numeric_column(table, column) ? " class=\"number\"" : "");
  const auto render_row = [&](const std::vector<std::string>& cells, std::string_view name,
                              std::string_view attributes) {
    std::string row = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      row += fmt::format("<{0}{1}{2}>{3}</{0}>", name, attributes, classes[i],
                         escape_markup(cells[i]));
    return row + "</tr>\n";
  };
  std::string body;
  for (const auto& row : table.rows) body += render_row(row, "td", "");
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" "
      "tabindex=\"0\">\n<table>\n{}<thead>\n{}</thead>\n<tbody>\n{}</tbody>\n"
      "</table>\n</div>\n",
      table.caption.empty() ? "Table" : escape_markup(table.caption),
      element("caption", table.caption), render_row(table.header, "th", " scope=\"col\""), body);
}

std::string render(const ReportDetails& details) {
  // HTML parsers drop one line feed after <pre>. The extra one preserves a leading one of the text.
  return fmt::format("<details>\n<summary>{}</summary>\n<pre>\n{}</pre>\n</details>\n",
                     escape_markup(details.summary), escape_markup(details.preformatted));
}

}  // namespace

std::string number_or_dash(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

void check_table(const ReportTable& table) {
  for (const auto& row : table.rows) {
    if (row.size() == table.header.size()) continue;
    throw Error(fmt::format("table '{}': a row has {} cells, the header has {}", table.caption,
                            row.size(), table.header.size()));
  }
}

bool is_numeric_column(const ReportTable& table, std::size_t column) {
  bool numbers = false;
  for (const auto& row : table.rows) {
    const bool number = is_number(row[column]);
    if (!number && !fits_any_column(row[column])) return false;
    numbers |= number;
  }
  return numbers;
}

std::string render_report(const Report& report) {
  std::string body;
  for (const ReportSection& section : report.sections) {
    body += "<section>\n" + element("h2", section.heading);
    for (const ReportBlock& block : section.blocks)
      body += std::visit([](const auto& b) { return render(b); }, block);
    body += "</section>\n";
  }
  const std::string summary = report.summary.empty() ? ""
                                                     : fmt::format("<p class=\"summary\">{}</p>\n",
                                                                   escape_markup(report.summary));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{2}{3}</"
      "main>\n"
      "</body>\n</html>\n",
      escape_markup(report.title), page_stylesheet, summary, body);
}

}  // namespace ultr
