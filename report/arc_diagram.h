#pragma once

#include <string>
#include <vector>

namespace ultr {

/// An arc between two nodes of an arc diagram.
struct Arc {
  std::size_t from = 0, to = 0;  // indices of nodes
  double strength = 1;           // 0 (thin and faint) to 1
  std::string tooltip{};
  bool emphasized = false;  // drawn in another colour and on top
};

/// A graph whose nodes are ordered, such as ranks. The nodes form a row; arcs above it join two
/// nodes each and are higher between nodes that are farther apart.
struct ArcDiagram {
  std::string title{};
  std::vector<std::string> nodes{};  // short labels, from left to right
  std::vector<Arc> arcs{};
  std::string node_label{};  // names the kind of nodes, below the row
};

/// Renders the diagram as one <svg> element with the properties that report/svg.h describes.
/// `width`: in CSS pixels. Throws Error if an arc does not join two different nodes, or its
/// strength is not in [0, 1].
std::string render_arc_diagram(const ArcDiagram& diagram, double width = 720);

}  // namespace ultr
