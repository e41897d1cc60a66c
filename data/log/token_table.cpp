#include "data/log/token_table.h"

#include <algorithm>
#include <utility>

namespace ultr {

TokenTable::TokenTable(TokenColumns columns, std::int64_t vocabulary)
    : columns_(std::move(columns)), vocabulary_(vocabulary) {
  const std::size_t documents = columns_.offsets.empty() ? 0 : columns_.offsets.size() - 1;
  check_tokens(columns_, documents);
  rows_ = static_cast<std::int64_t>(documents) + 1;
}

DocumentTokens TokenTable::operator[](std::int64_t row) const {
  return row == 0 ? DocumentTokens() : words_of(columns_, static_cast<std::size_t>(row - 1));
}

std::int64_t vocabulary_of(const TokenColumns& columns) {
  if (columns.tokens.empty()) return first_word;
  const auto largest = std::max_element(columns.tokens.begin(), columns.tokens.end());
  return std::max(first_word, std::int64_t{*largest} + 1);
}

}  // namespace ultr
