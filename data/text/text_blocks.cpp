#include "data/text/text_blocks.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/field_index.h"

namespace ultr {

TextBlock::TextBlock(std::string_view first, std::string_view second) {
  reserve(first.size() + second.size());
  for (const std::string_view text : {first, second})
    size_ += text.copy(bytes_.get() + size_, text.size());
  std::fill_n(bytes_.get() + size_, spare_bytes, '\0');
}

void TextBlock::reserve(std::size_t bytes) {
  auto larger = std::make_unique_for_overwrite<char[]>(bytes + spare_bytes);
  std::copy_n(bytes_.get(), size_, larger.get());
  bytes_ = std::move(larger);
}

void TextBlock::drop_mark() {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (!text().starts_with(byte_order_mark)) return;
  std::copy(bytes_.get() + byte_order_mark.size(), bytes_.get() + size_, bytes_.get());
  size_ -= byte_order_mark.size();
}

TextBlocks::TextBlocks(const std::filesystem::path& file, std::size_t block_bytes)
    : block_bytes_(block_bytes), source_(file, block_bytes) {}

std::optional<TextBlock> TextBlocks::next() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  TextBlock block(rest_, {});
  rest_.clear();
  do {
    fill(block);
  } while (!at_end_ && !failure_ && !cut(block));
  if (failure_ && !cut(block)) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (block.size_ == 0) return std::nullopt;
  block.bytes_read_ = source_.bytes_read();
  return block;
}

void TextBlocks::fill(TextBlock& block) {
  const std::size_t capacity = std::clamp(2 * block.size_, block_bytes_, longest_line);
  block.reserve(capacity);
  try {
    if (block.size_ == capacity)
      throw DataError(
          fmt::format("the line is too long; expected at most {} bytes", longest_line - 1));
    while (!at_end_ && block.size_ < capacity) {
      const std::size_t got = read({block.bytes_.get() + block.size_, capacity - block.size_});
      block.size_ += got;
      at_end_ = got == 0;
    }
  } catch (const DataError&) {
    failure_ = std::current_exception();
  }
  if (!std::exchange(begun_, true)) block.drop_mark();
  std::fill_n(block.bytes_.get() + block.size_, spare_bytes, '\0');
}

std::size_t TextBlocks::read(std::span<char> into) {
  try {
    return source_.read(into);
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("cannot be read further ({}); expected a whole file", error.what()));
  }
}

bool TextBlocks::cut(TextBlock& block) {
  const std::size_t end = block.text().rfind('\n');
  if (end == std::string_view::npos) return false;
  rest_ = block.text().substr(end + 1);
  block.size_ = end + 1;
  return true;
}

}  // namespace ultr
