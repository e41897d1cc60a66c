#include "report/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/markup.h"
#include "report/svg.h"

namespace ultr {
namespace {

constexpr std::string_view page_stylesheet = R"(
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--muted:#59626d;--rule:#d8dde3;--wash:#f5f7f9;--edge:#1f232866;--link:#0b62a8;--good:#0b7a55;--bad:#c0392b;--chosen:#b45309}
@media(prefers-color-scheme:dark){:root{--page:#14171b;--text:#f0f2f4;--muted:#9aa4af;--rule:#343b43;--wash:#1c2025;--edge:#f0f2f466;--link:#7cc0f5;--good:#3ccf9b;--bad:#ff8a75;--chosen:#f5bf4a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 -apple-system,'Segoe UI',Inter,Roboto,'Helvetica Neue',Arial,'Liberation Sans',sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1240px;margin:0 auto;padding:40px 20px 64px}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .4rem}
h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 .75rem;padding-top:1.25rem;border-top:1px solid var(--rule)}
h1,h2,p,figcaption,caption,summary{overflow-wrap:anywhere;text-wrap:pretty}
p{margin:0 0 1rem;max-width:42rem}
a{color:var(--link)}
.summary{color:var(--muted);font-size:1.05rem}
.icon{display:inline-block;vertical-align:-.12em;margin-right:.4em;flex:none;color:var(--muted)}
.icon.good{color:var(--good)}.icon.bad{color:var(--bad)}.icon.chosen,.icon.warning{color:var(--chosen)}
.marked{display:flex}.marked .icon{margin-top:.35em}
figure{margin:2rem 0 2.5rem;max-width:760px}
figure svg{display:block;width:100%;height:auto;overflow:visible}
h2+figure{margin-top:1.25rem}
figcaption,caption{color:var(--muted);font-size:.875rem;line-height:1.5;max-width:42rem}
figcaption{margin-top:.75rem}
.title{font-size:1rem;font-weight:600;margin:0 0 .75rem}
.narrow{display:none}
.scroll{overflow-x:auto;margin:1.5rem 0;background:linear-gradient(var(--page),var(--page)) 0/17px 102% no-repeat local,linear-gradient(var(--page),var(--page)) 100%/17px 102% no-repeat local,linear-gradient(90deg,var(--edge),transparent) 0/16px 100% no-repeat,linear-gradient(270deg,var(--edge),transparent) 100%/16px 100% no-repeat}
.scroll::-webkit-scrollbar{height:10px}
.scroll::-webkit-scrollbar-thumb{background:var(--muted);border:2px solid var(--page);border-radius:5px}
@supports not selector(::-webkit-scrollbar){.scroll{scrollbar-width:thin;scrollbar-color:var(--muted) transparent}}
table{border-collapse:separate;border-spacing:0;font-size:.9375rem;line-height:1.4;font-variant-numeric:tabular-nums lining-nums}
caption{position:sticky;left:0;text-align:left;margin-bottom:.5rem;max-width:min(42rem,calc(100vw - 48px))}
th,td{padding:.4rem .55rem;text-align:left;vertical-align:baseline;white-space:nowrap}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:16px}
th{font-weight:600;border-bottom:1.5px solid var(--text)}
td{border-bottom:1px solid var(--rule)}
.number{text-align:right}
.interval{color:var(--muted);font-size:.875em}
td.prose{white-space:normal;min-width:13rem;max-width:32rem;overflow-wrap:anywhere}
.key{position:sticky;left:0;z-index:1;background:var(--page)}
.key::after{content:'';position:absolute;left:100%;top:0;bottom:0;width:.5rem;background:linear-gradient(90deg,var(--page),transparent);pointer-events:none}
.chosen td{font-weight:600}
.chosen .interval{font-weight:400}
details{margin:1.25rem 0;border:1px solid var(--rule);border-radius:6px;background:var(--wash)}
.numbers{border-width:0 0 1px;border-radius:0;background:none}
summary{padding:.6rem .9rem;cursor:pointer;font-weight:600}
.numbers summary{padding-left:0;font-weight:400}
.numbers .scroll{margin-top:.25rem}
pre{margin:0;padding:.25rem .9rem .9rem;overflow-x:auto;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;tab-size:4}
@media(max-width:600px){main{padding:24px 16px 48px}h1{font-size:1.6rem}.wide{display:none}.narrow{display:block}}
@media print{@page{margin:18mm}body{font-size:10.5pt}main{max-width:none;padding:0}figure,tr{break-inside:avoid}h2{break-after:avoid}.wide{display:block;max-width:15.5cm}.narrow{display:none}.scroll{overflow:visible;background:none}td,th{white-space:normal}pre{white-space:pre-wrap}details::details-content{content-visibility:visible;block-size:auto}}
)";

/// Natural sizes of pictures: on a desktop or on paper, and on a phone.
constexpr PictureSize wide_chart = {720, 300}, wide_panels = {720, 220}, small_panels = {720, 150},
                      narrow = {360, 230}, narrow_panels = {360, 130};

std::string element(std::string_view name, std::string_view text) {
  return text.empty() ? "" : fmt::format("<{0}>{1}</{0}>\n", name, escape_markup(text));
}

std::string render(const ReportText& block) {
  std::string html;
  std::string_view text = block.text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    html += block.mark == Mark::none
                ? element("p", text.substr(0, end))
                : fmt::format("<p class=\"marked\">{}<span>{}</span></p>\n",
                              render_icon(block.mark), escape_markup(text.substr(0, end)));
    text.remove_prefix(std::min(text.find_first_not_of('\n', end), text.size()));
  }
  return html;
}

/// Returns a figure that shows one of two pictures.
std::string figure_element(std::string_view on_wide_pages, std::string_view on_narrow_pages,
                           std::string_view caption, std::string_view title = {}) {
  const std::string heading =
      title.empty() ? "" : fmt::format("<p class=\"title\">{}</p>\n", escape_markup(title));
  return fmt::format(
      "<figure>\n{}<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n{}</figure>\n",
      heading, on_wide_pages, on_narrow_pages, element("figcaption", caption));
}

std::string render(const ReportFigure& figure) {
  const bool small = figure.columns > 2;
  const PictureSize wide = small ? small_panels : figure.columns > 1 ? wide_panels : wide_chart;
  return figure_element(render_panels(figure.charts, figure.columns, wide),
                        render_panels(figure.charts, small ? 2 : 1, small ? narrow_panels : narrow),
                        figure.caption, figure.title);
}

std::string render(const ReportDotPlot& figure) {
  return figure_element(render_dot_plot(figure.plot, wide_chart.width),
                        render_dot_plot(figure.plot, narrow.width), figure.caption);
}

std::string render(const ReportArcDiagram& figure) {
  return figure_element(render_arc_diagram(figure.diagram, wide_chart.width),
                        render_arc_diagram(figure.diagram, narrow.width), figure.caption);
}

std::string render(const ReportTable& table) { return render_table(table); }

std::string render(const ReportDetails& details) {
  // HTML parsers drop one line feed after <pre>. The extra one preserves a leading one of the text.
  return fmt::format("<details>\n<summary>{}</summary>\n<pre>\n{}</pre>\n</details>\n",
                     escape_markup(details.summary), escape_markup(details.preformatted));
}

}  // namespace

ReportFigure figure_of_curves(const Chart& chart, const PanelLegend& legend, std::string caption) {
  ReportFigure figure{.charts = panels_of_curves(chart, legend), .caption = std::move(caption)};
  if (figure.charts.size() == 1) return figure;
  figure.columns = 3;
  figure.title = chart.title;
  return figure;
}

std::string render_report(const Report& report) {
  std::string body;
  for (const ReportSection& section : report.sections) {
    body += "<section>\n";
    if (!section.heading.empty())
      body +=
          fmt::format("<h2>{}{}</h2>\n", render_icon(section.mark), escape_markup(section.heading));
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
