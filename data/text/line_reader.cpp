#include "data/text/line_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/field_index.h"

namespace ultr {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 18;
constexpr std::size_t smallest_buffer = std::size_t{1} << 12;
static_assert(std::has_single_bit(LineReader::longest_line));  // as the buffer's size is

/// Returns the size of the buffer to begin with: a power of two, smaller for a small file.
std::size_t buffer_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);  // a pipe has none
  if (error || bytes >= read_bytes) return read_bytes;
  return std::max(std::bit_ceil(static_cast<std::size_t>(bytes) + 1), smallest_buffer);
}

}  // namespace

LineReader::LineReader(std::string_view text, const Setting& setting)
    : parses_(setting.numbers), buffer_(text.data()), end_(text.size()), at_end_(true) {
  if (setting.separators.size() > separators_.size())
    throw Error(
        fmt::format("LineReader: {} separators; expected at most 2", setting.separators.size()));
  std::copy(setting.separators.begin(), setting.separators.end(), separators_.begin());
}

LineReader::LineReader(const std::filesystem::path& file, const Setting& setting)
    : LineReader(std::string_view(), setting) {
  path_ = file;
  at_end_ = false;
  resize_memory(buffer_bytes(file));
  source_ = std::make_unique<TextSource>(file, capacity_);
}

void LineReader::resize_memory(std::size_t capacity) {
  capacity_ = capacity;
  memory_.resize(capacity + spare_bytes);
  buffer_ = memory_.data();
}

bool LineReader::fill() {
  const std::size_t read = begin_;
  if (read > 0) std::memmove(memory_.data(), memory_.data() + read, end_ - read);
  begin_ = 0;
  end_ -= read;
  searched_ -= read;
  for (std::size_t i = 0; i < found_ends_; ++i) ends_[i] -= static_cast<std::uint32_t>(read);
  if (end_ == longest_line)
    throw DataError(fmt::format("{}:{}: the line is too long; expected at most {} bytes",
                                path_.string(), line_number_ + 1, longest_line - 1));
  if (end_ == capacity_) resize_memory(2 * end_);  // the line is longer than the buffer
  return read_more();
}

bool LineReader::read_more() {
  try {
    const std::size_t got = source_->read(std::span(memory_).subspan(end_, capacity_ - end_));
    end_ += got;
    return got > 0;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}:{}: cannot be read further ({}); expected a whole file",
                                path_.string(), line_number_ + 1, error.what()));
  }
}

void LineReader::search_part() {
  constexpr std::size_t part = std::size_t{1} << 13;
  static_assert(part % ByteBlock::bytes == 0 && spare_bytes >= ByteBlock::bytes);
  const std::size_t most_ends = found_ends_ + part + spare_entries;
  if (ends_.size() < most_ends) ends_.resize(2 * most_ends);
  if (lines_.size() < most_ends) lines_.resize(2 * most_ends);
  const std::size_t stop = std::min(searched_ + part, end_);
  for (; searched_ < stop; searched_ += ByteBlock::bytes) {
    const ByteBlock block(buffer_ + searched_);
    const std::uint64_t lines = block.equal('\n');
    std::uint64_t ends = lines | block.equal(separators_[0]) | block.equal(separators_[1]);
    if (stop - searched_ < ByteBlock::bytes) ends &= ~(~std::uint64_t{0} << (stop - searched_));
    found_lines_ +=
        append_bits(bits_among(lines & ends, ends), static_cast<std::uint32_t>(found_ends_ + 1),
                    lines_.data() + found_lines_);
    found_ends_ +=
        append_bits(ends, static_cast<std::uint32_t>(searched_), ends_.data() + found_ends_);
  }
  searched_ = stop;
}

void LineReader::parse_lines() {
  const std::size_t fields = lines_[found_lines_ - 1];
  if (numbers_.size() < fields + spare_entries) {
    numbers_.resize(2 * (fields + spare_entries));
    unparsed_.resize(numbers_.size() / 64 + 2);
  }
  parse_fields(buffer_, static_cast<std::uint32_t>(begin_), std::span(ends_).first(fields),
               numbers_.data(), unparsed_.data());
}

bool LineReader::find_lines() {
  // The last line of those that were found may have begun with further fields.
  std::copy(ends_.begin() + static_cast<std::ptrdiff_t>(used_ends_),
            ends_.begin() + static_cast<std::ptrdiff_t>(found_ends_), ends_.begin());
  found_ends_ -= used_ends_;
  used_ends_ = used_lines_ = found_lines_ = 0;
  while (found_lines_ == 0) {
    if (searched_ < end_) {
      search_part();
    } else if (!at_end_) {
      at_end_ = !fill();
    } else if (begin_ < end_) {  // the last line has no end
      ends_[found_ends_++] = static_cast<std::uint32_t>(end_);
      lines_[found_lines_++] = static_cast<std::uint32_t>(found_ends_);
    } else {
      return false;
    }
  }
  if (parses_) parse_lines();
  return true;
}

bool LineReader::next(std::string_view& line) {
  if (used_lines_ == found_lines_ && !find_lines()) return false;
  const std::size_t last = lines_[used_lines_++] - std::size_t{1};
  const std::size_t begin = begin_, end = ends_[last];
  begin_ = std::min(end + 1, end_);
  if (end > begin && buffer_[end - 1] == '\r') --ends_[last];
  fields_ = {buffer_,
             begin,
             {ends_.data(), numbers_.data(), unparsed_.data()},
             used_ends_,
             last + 1 - used_ends_};
  used_ends_ = last + 1;
  line = fields_.text();
  ++line_number_;
  return true;
}

std::string LineReader::where() const { return fmt::format("{}:{}", path_.string(), line_number_); }

}  // namespace ultr
