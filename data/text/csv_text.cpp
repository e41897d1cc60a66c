#include "data/text/csv_text.h"

#include <cmath>

namespace ultr {
namespace {

bool needs_quotes(std::string_view text) {
  bool special = text.starts_with(' ') || text.ends_with(' ');
  for (const char c : text) special |= c == ',' || c == '"' || c == '\n' || c == '\r';
  return special;
}

/// Appends a text in quotes, its own ones doubled.
template <class Text>
void append_quoted(std::string_view text, Text& to) {
  to.push_back('"');
  for (const char c : text) {
    if (c == '"') to.push_back(c);
    to.push_back(c);
  }
  to.push_back('"');
}

}  // namespace

void CsvText::add(std::string_view text) {
  if (!needs_quotes(text)) return add_plain(text);
  append_quoted(text, text_);
  text_.push_back(',');
}

void CsvText::add(float number) {
  if (std::isnan(number)) return add_empty();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{},"), number);
}

void CsvText::add(double number) {
  if (std::isnan(number)) return add_empty();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{},"), number);
}

void CsvText::add_rounded(double number) {
  if (std::isnan(number)) return add_empty();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{:.4g},"), number);
}

std::string csv_field(std::string_view text) {
  if (!needs_quotes(text)) return std::string(text);
  std::string field;
  append_quoted(text, field);
  return field;
}

}  // namespace ultr
