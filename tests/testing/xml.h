#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// A minimal XML parser that inspects charts and pages and rejects malformed text.
namespace ultr::testing {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<XmlElement> children;
  std::string text;  // its own, without that of its children; entities resolved

  /// Returns an attribute; empty if there is none.
  std::string attribute(const std::string& key) const;
  double number(const std::string& key) const;

  /// Returns all elements below this one, in document order, with the name and, if given, the
  /// class.
  std::vector<const XmlElement*> all(std::string_view element_name,
                                     std::string_view class_name = "") const;
  /// Returns the first of these elements. Throws if there is none.
  const XmlElement& first(std::string_view element_name, std::string_view class_name = "") const;
};

/// Parses a text and returns its root element. Throws std::runtime_error, with the position, unless
/// the text is one well-formed element, optionally after a <!DOCTYPE>: balanced tags, quoted and
/// unique attributes, no raw & or <, no entities but the five of XML and numeric ones.
XmlElement parse_xml(std::string_view text);

struct PathPoint {
  double x, y;
};

/// Returns the pieces of a path that has only M and L commands with absolute coordinates, and z.
std::vector<std::vector<PathPoint>> path_pieces(std::string_view data);

}  // namespace ultr::testing
