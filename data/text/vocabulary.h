#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/log/token_columns.h"

namespace ultr {

/// [UNK], the token of all words outside a vocabulary.
inline constexpr std::uint32_t unknown_word = 1;

/// The words that a model knows and their tokens: first_word, first_word + 1, ...
class Vocabulary {
 public:
  /// Returns the token of a word; unknown_word if the vocabulary does not have it.
  std::uint32_t find(std::string_view word) const;
  /// Returns the token of a word, which is added with the next token if it is new, unless the
  /// vocabulary is complete.
  std::uint32_t add(std::string_view word);
  /// Keeps the vocabulary as it is: further words are unknown.
  void complete() { is_complete_ = true; }

  bool empty() const { return words_.empty(); }
  std::size_t words() const { return words_.size(); }
  /// The words in the order of their tokens.
  const std::vector<std::string>& words_by_token() const { return words_; }
  /// One more than the largest token.
  std::int64_t tokens() const { return first_word + static_cast<std::int64_t>(words_.size()); }

  /// Drops words that occur fewer than `least` times in some documents. Those that stay keep their
  /// order. Returns the documents with the new tokens, which are unknown_word for words that were
  /// dropped.
  TokenColumns drop_rare(std::int64_t least, const TokenColumns& documents);

  /// Writes one word per line, in the order of tokens. Throws DataError if the file cannot be
  /// written.
  void save(const std::filesystem::path& file) const;
  /// Reads what `save` writes, as a complete vocabulary. Throws DataError, naming the file, if it
  /// cannot be read or has a word twice.
  static Vocabulary load(const std::filesystem::path& file);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>()(word);
    }
  };

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> tokens_;
  std::vector<std::string> words_;
  bool is_complete_ = false;
};

/// Calls take(word) for each word of a text: what stands between spaces, tabs and line breaks.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  constexpr std::string_view spaces = " \t\r\n\f\v";
  for (std::size_t at = text.find_first_not_of(spaces); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(spaces, at), text.size());
    take(text.substr(at, end - at));
    at = text.find_first_not_of(spaces, end);
  }
}

}  // namespace ultr
