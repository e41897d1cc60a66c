#include "data/text/line_reader.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/field_index.h"

namespace ultr {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 18;

}  // namespace

LineReader::LineReader(std::string_view text, const Setting& setting)
    : parses_(setting.numbers), text_(text), bytes_read_(text.size()) {
  if (setting.separators.size() > separators_.size())
    throw Error(
        fmt::format("LineReader: {} separators; expected at most 2", setting.separators.size()));
  std::copy(setting.separators.begin(), setting.separators.end(), separators_.begin());
}

LineReader::LineReader(const std::filesystem::path& file, const Setting& setting)
    : LineReader(std::string_view(), setting) {
  path_ = file;
  blocks_ = std::make_unique<TextBlocks>(file, read_bytes);
}

bool LineReader::next_block() {
  if (!blocks_) return false;
  block_.reset();  // so that the next one gets its memory
  text_ = {};
  begin_ = searched_ = 0;
  try {
    block_ = blocks_->next();
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}:{}: {}", path_.string(), line_number_ + 1, error.what()));
  }
  if (!block_) return false;
  text_ = block_->text();
  bytes_read_ = block_->bytes_read();
  return true;
}

void LineReader::search_part() {
  constexpr std::size_t part = std::size_t{1} << 13;
  static_assert(part % ByteBlock::bytes == 0 && spare_bytes >= ByteBlock::bytes);
  const std::size_t most_ends = found_ends_ + part + spare_entries;
  if (ends_.size() < most_ends) ends_.resize(2 * most_ends);
  if (lines_.size() < most_ends) lines_.resize(2 * most_ends);
  const std::size_t stop = std::min(searched_ + part, text_.size());
  for (; searched_ < stop; searched_ += ByteBlock::bytes) {
    const ByteBlock block(text_.data() + searched_);
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
  parse_fields(text_.data(), static_cast<std::uint32_t>(begin_), std::span(ends_).first(fields),
               numbers_.data(), unparsed_.data());
}

bool LineReader::find_lines() {
  // The last line of those that were found may have begun with further fields.
  std::copy(ends_.begin() + static_cast<std::ptrdiff_t>(used_ends_),
            ends_.begin() + static_cast<std::ptrdiff_t>(found_ends_), ends_.begin());
  found_ends_ -= used_ends_;
  used_ends_ = used_lines_ = found_lines_ = 0;
  while (found_lines_ == 0) {
    if (searched_ < text_.size()) {
      search_part();
    } else if (begin_ < text_.size()) {  // the last line has no end
      ends_[found_ends_++] = static_cast<std::uint32_t>(text_.size());
      lines_[found_lines_++] = static_cast<std::uint32_t>(found_ends_);
    } else if (!next_block()) {
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
  begin_ = std::min(end + 1, text_.size());
  if (end > begin && text_[end - 1] == '\r') --ends_[last];
  fields_ = {text_.data(),
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
