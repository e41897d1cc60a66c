#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/files/column.h"

namespace ultr {

/// Tokens below this one are no words: 0 padding, 1 [UNK], 2 [CLS], 3 [SEP], 4 [MASK]. Vocabularies
/// that ultr makes number words from here.
inline constexpr std::int64_t first_word = 5;

/// Types of tokens: 0 query, 1 title, 2 abstract.
inline constexpr std::uint8_t largest_token_type = 2;

/// The words of documents and of their queries, document after document, as files store them
/// (data/columns/columns.h).
struct TokenColumns {
  Column<std::uint32_t> tokens;
  Column<std::int64_t> offsets;  // document i has tokens offsets[i] to offsets[i + 1] - 1
  Column<std::uint8_t> types;    // one per token: 0 query, 1 title, 2 abstract
};

/// Throws DataError, starting with the column's name, unless the columns are those of `documents`
/// documents: offsets that start at 0, do not fall and end at the number of tokens, and one type,
/// 0 to 2, per token. Columns without offsets must be empty.
void check_tokens(const TokenColumns& columns, std::size_t documents);

/// The words of a document and of its query.
struct DocumentTokens {
  std::span<const std::uint32_t> tokens;
  std::span<const std::uint8_t> types;
};

/// Collects the words of documents one by one.
class TokenColumnsBuilder {
 public:
  void add(std::span<const std::uint32_t> tokens, std::span<const std::uint8_t> types);
  void add(DocumentTokens words) { add(words.tokens, words.types); }
  /// Adds all documents of another builder.
  void add(const TokenColumnsBuilder& others);
  /// Number of documents.
  std::size_t documents() const { return ends_.size(); }
  /// Returns the columns and starts anew.
  TokenColumns build();

 private:
  std::vector<std::uint32_t> tokens_;
  std::vector<std::int64_t> ends_;  // of each document's tokens
  std::vector<std::uint8_t> types_;
};

/// Returns the words of document `i`, 0-based.
DocumentTokens words_of(const TokenColumns& columns, std::size_t i);

}  // namespace ultr
