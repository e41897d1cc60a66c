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

/// Appends the cell of a number in a form; an empty one for NaN.
template <class Number, class Form>
void append_number(Number number, const Form& form, fmt::memory_buffer& to) {
  if (!std::isnan(number)) fmt::format_to(std::back_inserter(to), form, number);
  to.push_back(',');
}

}  // namespace

void CsvText::add(std::string_view text) {
  if (!needs_quotes(text)) return add_plain(text);
  append_quoted(text, text_);
  text_.push_back(',');
}

void CsvText::add(float number) { append_number(number, FMT_COMPILE("{}"), text_); }

void CsvText::add(double number) { append_number(number, FMT_COMPILE("{}"), text_); }

void CsvText::add_rounded(double number) { append_number(number, FMT_COMPILE("{:.4g}"), text_); }

std::string csv_field(std::string_view text) {
  if (!needs_quotes(text)) return std::string(text);
  std::string field;
  append_quoted(text, field);
  return field;
}

}  // namespace ultr
