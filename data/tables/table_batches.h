#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "data/tables/table_row_parser.h"
#include "data/text/text_blocks.h"

namespace ultr {

/// The rows of a table's file, parsed ahead by threads of their own.
///
/// The file is cut at line ends into blocks, which several threads parse as if each began with a
/// record. If a record goes on after its block, which only a line break in quotes makes it do, the
/// next block is parsed again, after the begin of that record. So the rows do not depend on the
/// number of threads.
class TableBatches {
 public:
  /// Throws DataError if the file is missing, is a directory or cannot be opened.
  TableBatches(const std::filesystem::path& file, const TableRowParser::Setting& setting);

  /// Calls take(batch) for the parts of the file, in order. Throws DataError, with a place, if the
  /// file cannot be read further.
  void for_each(const std::function<void(TableBatch&)>& take);
  /// As those of TableRowParser; they stay the same once there is a layout.
  const std::optional<TableLayout>& layout() const { return parser_.layout(); }
  const TableRowParts& parts() const { return parser_.parts(); }

 private:
  /// Returns what `source` has next, whose errors are about the line after those that were read.
  template <class Source>
  auto next_of(Source& source) const;
  /// Takes the next block on this thread. Returns false at the end of the file.
  bool take_block(const std::function<void(TableBatch&)>& take);
  /// Takes all further blocks, which several threads parse.
  void take_parallel(const std::function<void(TableBatch&)>& take);
  /// Parses a text after the begin of the record that was not finished, and takes its rows.
  /// `dropped`: names to be added after its own.
  void parse(std::string_view text, std::uint64_t bytes_read, bool is_last,
             const NameTexts& dropped, const std::function<void(TableBatch&)>& take);
  void pass_on(TableBatch& batch, std::uint64_t bytes_read,
               const std::function<void(TableBatch&)>& take);

  std::filesystem::path file_;
  bool numbers_words_;  // in the order in which they come
  TableRowParser parser_;
  TextBlocks blocks_;
  std::string unfinished_;   // the begin of a record that the blocks so far do not end
  std::uint64_t lines_ = 0;  // that were read, without those of unfinished_
};

}  // namespace ultr
