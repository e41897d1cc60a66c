#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/key_index.h"

namespace ultr {

/// The names of queries and documents whose ids in the data are texts.
///
/// An id follows from its text alone. A whole number from 0 to 2^64 - 1, without leading zeros, is
/// its own id and needs no name. The id of any other text is a hash (XXH3) whose highest bit is
/// set.
class IdNames {
 public:
  /// The file of `save`: one name per line, in the order of addition. A line feed, a carriage
  /// return or a backslash within a name is written as \n, \r or \\.
  static constexpr const char* file_name = "names.txt";

  /// Returns the id of a text.
  static std::uint64_t id_of(std::string_view text);

  /// An id, and what tells its text from others with the same id.
  struct Key {
    std::uint64_t id = 0;
    std::uint64_t check = 0;  // the upper half of another hash; its lower bits are 0
    bool is_number = false;   // the text is the number `id`

    static Key of(std::string_view text);
  };

  /// Returns the id of a text and keeps the text, unless it is a number. Throws DataError if
  /// another text with the same id was added.
  std::uint64_t add(std::string_view text);
  /// Keeps a text, whose key must be `key`. Throws DataError as the other `add` does.
  void add(const Key& key, std::string_view text);
  /// Prefetches the memory that `add` and `text` read first. Always inline, as KeyIndex::prefetch.
  [[gnu::always_inline]] void prefetch(std::uint64_t id) const { numbers_.prefetch(id); }
  /// Adds all names of another table. Throws DataError as the other `add` does.
  void add(const IdNames& other);
  /// Returns the text of an id; its decimal number if no text was added for it.
  std::string text(std::uint64_t id) const;
  /// Returns the same as long as `memory`, which may hold it, is not changed and no text is added.
  std::string_view text(std::uint64_t id, std::string& memory) const;

  /// Number of names.
  std::size_t size() const { return starts_.size(); }
  bool empty() const { return starts_.empty(); }

  /// Writes file_name in a folder; nothing if there are no names. Throws DataError if it cannot be
  /// written.
  void save(const std::filesystem::path& folder) const;
  /// Reads file_name in a folder. Returns no names if there is no such file. Throws DataError if it
  /// cannot be read.
  static IdNames load(const std::filesystem::path& folder);

 private:
  std::string_view name(std::size_t number) const;

  KeyIndex numbers_;                   // of names, by their ids
  std::vector<std::uint64_t> starts_;  // of names in text_
  std::string text_;                   // of all names
};

}  // namespace ultr
