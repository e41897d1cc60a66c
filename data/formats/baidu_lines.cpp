#include "data/formats/baidu_lines.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

std::uint64_t parse_md5(std::string_view text) {
  constexpr std::size_t digits = 32, taken = 16;
  const auto is_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  if (text.size() != digits || !std::all_of(text.begin(), text.end(), is_digit))
    throw DataError(
        fmt::format("the url md5 is {}; expected {} hexadecimal digits", quote(text, 40), digits));
  std::uint64_t id = 0;
  std::from_chars(text.data(), text.data() + taken, id, 16);
  return id;
}

/// Returns true if a click log does not know a number.
bool is_unknown(std::string_view cell) { return cell.empty() || cell == "-"; }

}  // namespace

BaiduLine split_baidu_line(std::string_view line) {
  constexpr std::size_t query_fields = 3, annotation_fields = 6, document_fields = 32;
  std::vector<std::string_view> fields;
  split_at_tabs(line, fields);
  if (fields.size() == query_fields) return {.kind = BaiduLine::Kind::query, .query = fields[1]};
  if (fields.size() == document_fields)
    return {.kind = BaiduLine::Kind::document,
            .title = fields[2],
            .abstract = fields[3],
            .url = fields[1],
            .position = fields[0],
            .click = fields[5],
            .skip = fields[8],
            .displayed_time = fields[10],
            .dwell_time = fields[16]};
  if (fields.size() == annotation_fields)
    return {.kind = BaiduLine::Kind::annotation,
            .query = fields[1],
            .title = fields[2],
            .abstract = fields[3],
            .label = fields[4]};
  throw DataError(fmt::format(
      "{} fields; expected {} of a query or {} of a document in a click log, {} of an annotation",
      fields.size(), query_fields, document_fields, annotation_fields));
}

std::vector<Token> parse_tokens(std::string_view text, std::string_view what) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    const std::size_t end = text.find('\x01');
    tokens.push_back(
        static_cast<Token>(parse_integer(text.substr(0, end), what, 0, largest_token)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return tokens;
}

BaiduDocument parse_baidu_document(const BaiduLine& line) {
  BaiduDocument document;
  if (line.kind == BaiduLine::Kind::annotation) {
    document.columns = {
        .id = text_id(fmt::format("{}\t{}", line.title, line.abstract)),
        .label = static_cast<std::int32_t>(parse_integer(line.label, "the label", 0, 4))};
  } else {
    constexpr std::int64_t most = std::numeric_limits<std::uint16_t>::max();
    const std::int64_t position = parse_integer(line.position, "the position", 1, most);
    document.columns = {
        .id = parse_md5(line.url),
        .position = static_cast<std::uint16_t>(position - 1),
        .click = static_cast<std::uint8_t>(parse_integer(line.click, "the click", 0, 1))};
  }
  document.text = {parse_tokens(line.title, "a token of the title"),
                   parse_tokens(line.abstract, "a token of the abstract")};
  return document;
}

PerSignal<std::optional<std::uint16_t>> parse_baidu_signals(const BaiduLine& line) {
  const auto time = [](std::string_view text, std::string_view what) {
    return is_unknown(text) ? 0 : parse_number(text, what, at_least(0));
  };
  PerSignal<std::optional<std::uint16_t>> signals;
  signals[Signal::viewed] =
      static_cast<std::uint16_t>(time(line.displayed_time, "the displayed time") > 0);
  signals[Signal::skipped] = static_cast<std::uint16_t>(
      is_unknown(line.skip) ? 0 : parse_integer(line.skip, "the skip", 0, 1));
  signals[Signal::dwell] = dwell_of(time(line.dwell_time, "the dwell time"));
  return signals;
}

std::uint64_t text_id(std::string_view text) {
  std::uint64_t state = 0xcbf29ce484222325u;
  for (const char byte : text) state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return state;
}

bool is_placeholder(const std::vector<Token>& title) {
  static const std::vector<Token> others_searched = {3742, 11492, 12169, 5061, 16905};
  static const std::vector<Token> dash = {21429};
  return title == others_searched || title == dash;
}

void read_baidu_corpus(const std::filesystem::path& file, const ReadRules& rules,
                       TokenCorpus& into) {
  for_each_line(file, rules, [&](std::string_view text, std::uint64_t) {
    const BaiduLine line = split_baidu_line(text);
    if (line.kind != BaiduLine::Kind::query) into.add(parse_baidu_document(line).text);
  });
}

}  // namespace ultr
