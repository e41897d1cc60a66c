#include "data/tables/table_records.h"

#include <iterator>

#include <fmt/core.h>

namespace ultr {

bool TableRecords::next_line(std::string_view& line) {
  if (unread_.empty()) {
    no_more_lines_ = !lines_.next(line);
    if (no_more_lines_) return false;
    line_begin_ = line.data();
  } else {
    unread_line_ = std::move(unread_.front());
    unread_.pop_front();
    line = unread_line_.text;
    line_begin_ = unread_line_.begin;
  }
  ++last_line_;
  return true;
}

bool TableRecords::next() {
  std::string_view line;
  do {
    if (!next_line(line)) return false;
  } while (line.empty());
  line_ = last_line_;
  if (take_plain(line)) return true;
  if (!try_split(line) && !read_long(line)) return false;
  fields_ = record_.fields();
  return true;
}

bool TableRecords::take_plain(std::string_view line) {
  const SplitLine& split = lines_.fields();
  if (split.text().data() != line.data()) return false;  // it was read ahead
  const std::size_t last = split.fields() - 1;
  if (plain_.size() <= last) plain_.resize(last + 1);
  bool plain = true;
  for (std::size_t i = 0; i < last; ++i) {
    plain_[i] = split.field(i);
    plain &= split.separator(i) == delimiter_;
  }
  plain_[last] = split.field(last);
  fields_ = std::span(plain_).first(last + 1);
  return plain;
}

bool TableRecords::try_split(std::string_view text) {
  try {
    return record_.try_split(text);
  } catch (const DataError& error) {
    throw MalformedRecord(error.what());
  }
}

bool TableRecords::read_long(std::string_view first) {
  const std::size_t field = record_.fields().size() + 1;
  const char* const begin = line_begin_;
  text_ = first;
  std::deque<UnreadLine> more;
  const auto read_again = [&] {
    last_line_ -= more.size();
    unread_.insert(unread_.begin(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  };
  try {
    if (complete(more)) return true;
  } catch (const MalformedRecord&) {
    read_again();
    throw;
  }
  if (no_more_lines_ && !part_.is_last) {
    unfinished_ = part_.text.substr(static_cast<std::size_t>(begin - part_.text.data()));
    last_line_ = line_ - 1;
    return false;
  }
  const std::size_t lines = more.size() + 1;
  read_again();
  throw MalformedRecord(
      fmt::format("the quote of field {} is not closed within {} line{}; expected '\"' at its end",
                  field, lines, lines == 1 ? "" : "s"));
}

bool TableRecords::complete(std::deque<UnreadLine>& more) {
  std::string_view line;
  while (more.size() + 1 < most_lines && text_.size() < most_bytes && next_line(line)) {
    more.push_back({std::string(line), line_begin_});
    text_ += '\n';
    text_ += line;
    // Only a line with a quote can close one.
    if (line.find('"') != std::string_view::npos && try_split(text_)) return true;
  }
  return false;
}

std::string likely_delimiter(std::span<const std::string_view> header) {
  if (header.size() != 1) return "";
  for (const char delimiter : {';', '\t', ',', '|'})
    if (header[0].find(delimiter) != std::string_view::npos)
      return delimiter == '\t' ? "tab" : std::string(1, delimiter);
  return "";
}

char delimiter_of_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  return name.ends_with(".tsv") || name.ends_with(".tsv.gz") ? '\t' : ',';
}

}  // namespace ultr
