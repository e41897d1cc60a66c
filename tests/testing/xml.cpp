#include "testing/xml.h"

#include <stdexcept>

namespace ultr::testing {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  XmlElement document() {
    if (rest().substr(0, 10) == "<!DOCTYPE ") at_ = text_.find('>') + 1;
    skip_space();
    XmlElement root = element();
    skip_space();
    if (at_ != text_.size()) fail("text behind the root element");
    return root;
  }

 private:
  static constexpr std::string_view space = " \t\r\n";

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at " + std::to_string(at_) + ": " +
                             std::string(rest().substr(0, 60)));
  }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  bool take(std::string_view token) {
    if (rest().substr(0, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("expected " + std::string(token));
  }
  bool skip_space() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of(space, at_), text_.size());
    return at_ > begin;
  }

  std::string name() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/><\"'&", at_), text_.size());
    if (end == at_) fail("expected a name");
    const std::string result(text_.substr(at_, end - at_));
    at_ = end;
    return result;
  }

  /// Reads text up to one of the given characters, which stays unread.
  std::string content(std::string_view end) {
    std::string result;
    while (at_ < text_.size() && end.find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] == '<') fail("raw <");
      if (text_[at_] == '&') {
        result += entity();
      } else {
        result += text_[at_++];
      }
    }
    return result;
  }

  std::string entity() {
    static const std::map<std::string_view, std::string> entities = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    for (const auto& [code, character] : entities) {
      if (take(code)) return character;
    }
    fail("unknown entity");
  }

  XmlElement element() {
    XmlElement result;
    expect("<");
    result.name = name();
    while (skip_space() && rest().front() != '/' && rest().front() != '>') {
      const std::string key = name();
      expect("=\"");
      if (!result.attributes.emplace(key, content("\"")).second) fail("second attribute " + key);
      expect("\"");
    }
    if (take("/>")) return result;
    expect(">");
    for (;;) {
      result.text += content("<");
      if (take("</")) break;
      result.children.push_back(element());
    }
    if (const std::string end = name(); end != result.name) {
      fail("<" + result.name + "> ends with </" + end + ">");
    }
    expect(">");
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void collect(const XmlElement& parent, std::string_view name, std::string_view class_name,
             std::vector<const XmlElement*>& found) {
  for (const XmlElement& child : parent.children) {
    if (child.name == name && (class_name.empty() || child.attribute("class") == class_name)) {
      found.push_back(&child);
    }
    collect(child, name, class_name, found);
  }
}

}  // namespace

std::string XmlElement::attribute(const std::string& key) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? "" : found->second;
}

double XmlElement::number(const std::string& key) const { return std::stod(attribute(key)); }

std::vector<const XmlElement*> XmlElement::all(std::string_view element_name,
                                               std::string_view class_name) const {
  std::vector<const XmlElement*> found;
  collect(*this, element_name, class_name, found);
  return found;
}

const XmlElement& XmlElement::first(std::string_view element_name,
                                    std::string_view class_name) const {
  const auto found = all(element_name, class_name);
  if (found.empty()) {
    throw std::runtime_error("no <" + std::string(element_name) + "> of class '" +
                             std::string(class_name) + "' in <" + name + ">");
  }
  return *found.front();
}

XmlElement parse_xml(std::string_view text) { return Parser(text).document(); }

std::vector<std::vector<PathPoint>> path_pieces(std::string_view data) {
  std::vector<std::vector<PathPoint>> pieces;
  const std::string text(data);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == 'z') {
      ++at;
      continue;
    }
    if (text[at] == 'M') pieces.emplace_back();
    if (text[at] == 'M' || text[at] == 'L') ++at;
    PathPoint point{};
    std::size_t length = 0;
    point.x = std::stod(text.substr(at), &length);
    at += length;
    point.y = std::stod(text.substr(at), &length);
    at += length;
    pieces.back().push_back(point);
  }
  return pieces;
}

}  // namespace ultr::testing
