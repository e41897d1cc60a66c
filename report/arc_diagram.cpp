#include "report/arc_diagram.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "report/markup.h"
#include "report/svg_style.h"
#include "report/text_layout.h"

namespace ultr {
namespace {

constexpr double side_room = 24, node_radius = 9;

void check_arcs(const ArcDiagram& diagram) {
  for (const Arc& arc : diagram.arcs) {
    if (std::max(arc.from, arc.to) >= diagram.nodes.size() || arc.from == arc.to)
      throw Error(fmt::format("arc diagram '{}': an arc joins node {} and node {} of {}",
                              diagram.title, arc.from, arc.to, diagram.nodes.size()));
    if (!(arc.strength >= 0 && arc.strength <= 1))
      throw Error(fmt::format("arc diagram '{}': an arc has strength {}; expected 0 to 1",
                              diagram.title, arc.strength));
  }
}

class ArcPicture {
 public:
  ArcPicture(const ArcDiagram& diagram, double width)
      : diagram_(diagram),
        width_(width),
        step_(diagram.nodes.size() < 2
                  ? 0
                  : (width - 2 * side_room) / static_cast<double>(diagram.nodes.size() - 1)),
        top_(title_room(diagram.title)) {
    for (const Arc& arc : diagram.arcs) rise_ = std::max(rise_, rise(arc));
    row_ = top_ + rise_ + node_radius + 4;
  }

  std::string draw() {
    svg_ += draw_title(diagram_.title, width_);
    draw_arcs(false);
    draw_arcs(true);
    for (std::size_t node = 0; node < diagram_.nodes.size(); ++node) draw_node(node);
    double height = row_ + node_radius + 22;
    if (!diagram_.node_label.empty()) {
      svg_ += fmt::format(
          "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"currentColor\" fill-opacity=\".85\" "
          "text-anchor=\"middle\">{}</text>",
          short_number(width_ / 2), short_number(height + 14), label_font_size,
          escape_markup(shorten_text(diagram_.node_label, label_font_size, width_)));
      height += 22;
    }
    return svg_picture(diagram_.title.empty() ? diagram_.node_label : diagram_.title, width_,
                       height + picture_edge, svg_);
  }

 private:
  double x_of(std::size_t node) const { return side_room + step_ * static_cast<double>(node); }
  /// Height of the arc, less than that of a semicircle. If there are few nodes, which are far
  /// apart, arcs are flatter.
  double rise(const Arc& arc) const {
    return std::abs(x_of(arc.to) - x_of(arc.from)) * (diagram_.nodes.size() > 4 ? 0.3 : 0.2);
  }

  void draw_arcs(bool emphasized) {
    svg_ += fmt::format("<g fill=\"none\" stroke=\"currentColor\" {}>",
                        color_attributes(emphasized ? SeriesColor::vermillion : SeriesColor::blue));
    for (const Arc& arc : diagram_.arcs) {
      if (arc.emphasized != emphasized) continue;
      const double left = x_of(std::min(arc.from, arc.to)),
                   right = x_of(std::max(arc.from, arc.to));
      svg_ += fmt::format(
          "<path class=\"arc\" stroke-width=\"{}\" stroke-opacity=\"{}\" d=\"M{} {}A{} {} 0 0 1 {} "
          "{}\"><title>{}</title></path>",
          short_number(0.5 + 3.5 * arc.strength),
          emphasized ? "1" : short_number(0.15 + 0.45 * arc.strength), short_number(left),
          short_number(row_), short_number((right - left) / 2), short_number(rise(arc)),
          short_number(right), short_number(row_), escape_markup(arc.tooltip));
    }
    svg_ += "</g>";
  }

  void draw_node(std::size_t node) {
    const std::string x = short_number(x_of(node));
    svg_ += fmt::format(
        "<g class=\"node\"><g class=\"hollow\" fill=\"#fff\" stroke=\"currentColor\"><circle "
        "cx=\"{0}\" cy=\"{1}\" r=\"{2}\"/></g><text x=\"{0}\" y=\"{3}\" font-size=\"11\" "
        "fill=\"currentColor\" text-anchor=\"middle\">{4}</text></g>",
        x, short_number(row_), short_number(std::min(node_radius, std::max(step_ / 2 - 1, 2.0))),
        short_number(row_ + node_radius + 15), escape_markup(diagram_.nodes[node]));
  }

  const ArcDiagram& diagram_;
  double width_, step_, top_, row_ = 0, rise_ = 0;
  std::string svg_;
};

}  // namespace

std::string render_arc_diagram(const ArcDiagram& diagram, double width) {
  check_arcs(diagram);
  return ArcPicture(diagram, width).draw();
}

}  // namespace ultr
