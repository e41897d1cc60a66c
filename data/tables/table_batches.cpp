#include "data/tables/table_batches.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"
#include "base/threads/background_source.h"
#include "base/threads/usable_cores.h"

namespace ultr {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// Lines of a file with the rows that a parser has found in them.
struct ParsedBlock {
  TextBlock block;
  TableBatch batch;
};

}  // namespace

TableBatches::TableBatches(const std::filesystem::path& file,
                           const TableRowParser::Setting& setting)
    : file_(file),
      numbers_words_(setting.vocabulary != nullptr),
      parser_(setting),
      blocks_(file, block_bytes) {}

template <class Source>
auto TableBatches::next_of(Source& source) const {
  try {
    return source.next();
  } catch (const DataError& error) {
    const auto unfinished = std::count(unfinished_.begin(), unfinished_.end(), '\n');
    throw DataError(fmt::format("{}:{}: {}", file_.string(),
                                lines_ + static_cast<std::uint64_t>(unfinished) + 1, error.what()));
  }
}

void TableBatches::for_each(const std::function<void(TableBatch&)>& take) {
  bool more = true;
  while (more && (!layout() || numbers_words_)) more = take_block(take);
  if (more) take_parallel(take);
  if (!unfinished_.empty()) parse({}, 0, true, {}, take);
}

bool TableBatches::take_block(const std::function<void(TableBatch&)>& take) {
  const std::optional<TextBlock> block = next_of(blocks_);
  if (block) parse(block->text(), block->bytes_read(), false, {}, take);
  return block.has_value();
}

void TableBatches::take_parallel(const std::function<void(TableBatch&)>& take) {
  constexpr int most_threads = 4;  // what gathering rows into lists keeps up with
  const auto threads = static_cast<std::size_t>(std::min(usable_cores(), most_threads));
  std::vector<TableRowParser> parsers(threads, parser_);
  BackgroundSource<ParsedBlock, TextBlock> parsed(
      threads, 2 * threads, [&] { return blocks_.next(); },
      [&](std::size_t thread, TextBlock block) {
        TableBatch batch = parsers[thread].parse({.text = block.text(), .is_last = false});
        return ParsedBlock{std::move(block), std::move(batch)};
      });
  while (std::optional<ParsedBlock> next = next_of(parsed)) {
    auto& [block, batch] = *next;
    if (unfinished_.empty())
      pass_on(batch, block.bytes_read(), take);
    else  // The thread will not give the names again that it has given now.
      parse(block.text(), block.bytes_read(), false, batch.names, take);
  }
}

void TableBatches::parse(std::string_view text, std::uint64_t bytes_read, bool is_last,
                         const NameTexts& dropped, const std::function<void(TableBatch&)>& take) {
  const TextBlock block(unfinished_, text);
  TableBatch batch = parser_.parse({.text = block.text(), .is_last = is_last});
  batch.names.add(dropped);
  pass_on(batch, bytes_read, take);
}

void TableBatches::pass_on(TableBatch& batch, std::uint64_t bytes_read,
                           const std::function<void(TableBatch&)>& take) {
  unfinished_ = batch.unfinished;
  batch.lines_before = lines_;
  batch.bytes_read = bytes_read;
  lines_ += batch.lines;
  take(batch);
}

}  // namespace ultr
