#pragma once

#include <string>
#include <vector>

namespace ultr {

/// An arc between two nodes of an arc diagram.
struct Arc {
  std::size_t from = 0, to = 0;  // indices of nodes
  double strength = 1;           // from 0, thin and faint, to 1
  std::string tooltip{};
  bool emphasized = false;  // in another colour, and on top
};

/// A graph whose nodes have an order, such as ranks: the nodes stand in a row, and an arc above it
/// joins two, the higher the farther they are apart.
struct ArcDiagram {
  std::string title{};
  std::vector<std::string> nodes{};  // short labels, from the left
  std::vector<Arc> arcs{};
  std::string node_label{};  // below the row: what nodes are
};

/// The diagram as one <svg> element with the properties that report/svg.h states. Throws Error if
/// an arc does not join two different nodes, or its strength is not from 0 to 1.
std::string render_arc_diagram(const ArcDiagram& diagram, double width = 720);

}  // namespace ultr
