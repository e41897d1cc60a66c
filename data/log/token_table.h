#pragma once

#include <cstdint>

#include "data/log/token_columns.h"

namespace ultr {

/// The immutable words of query-document pairs: one row per pair of the dictionary. Row 0 has no
/// words; it stands for every pair that the dictionary does not have. Copies share the words.
class TokenTable {
 public:
  /// No words.
  TokenTable() = default;
  /// `columns` are those of row 1, row 2, ... `vocabulary`: number of tokens that a model knows;
  /// tokens from it on are unknown to it. Throws DataError as check_tokens does.
  TokenTable(TokenColumns columns, std::int64_t vocabulary);

  bool empty() const { return vocabulary_ == 0; }
  std::int64_t rows() const { return rows_; }
  std::int64_t vocabulary() const { return vocabulary_; }
  DocumentTokens operator[](std::int64_t row) const;

 private:
  TokenColumns columns_;
  std::int64_t rows_ = 0, vocabulary_ = 0;
};

/// Returns the number of tokens that a model of some documents knows: those that are no words, and
/// all up to the documents' largest one.
std::int64_t vocabulary_of(const TokenColumns& columns);

}  // namespace ultr
