#include "data/log/token_columns.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

void check_tokens(const TokenColumns& columns, std::size_t documents) {
  const auto& offsets = columns.offsets;
  if (offsets.empty()) {
    if (!columns.tokens.empty() || !columns.types.empty())
      throw DataError(
          "token_offsets: there are none, but tokens; expected one more entry than "
          "there are documents");
    return;
  }
  if (offsets.size() != documents + 1)
    throw DataError(fmt::format("token_offsets: {} entries; expected {}, one more than documents",
                                offsets.size(), documents + 1));
  if (offsets[0] != 0)
    throw DataError(fmt::format("token_offsets: entry 0 is {}; expected 0", offsets[0]));
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      throw DataError(fmt::format("token_offsets: entry {} is {} after {}; expected no less", i,
                                  offsets[i], offsets[i - 1]));
  const auto tokens = static_cast<std::size_t>(offsets[documents]);
  if (columns.tokens.size() != tokens)
    throw DataError(fmt::format("tokens: {} entries; expected {}, as token_offsets.npy ends",
                                columns.tokens.size(), tokens));
  if (columns.types.size() != tokens)
    throw DataError(fmt::format("token_types: {} entries; expected one for each of the {} tokens",
                                columns.types.size(), tokens));
  for (std::size_t i = 0; i < tokens; ++i)
    if (columns.types[i] > largest_token_type)
      throw DataError(
          fmt::format("token_types: entry {} is {}; expected 0 (query), 1 (title) or 2 (abstract)",
                      i, columns.types[i]));
}

void TokenColumnsBuilder::add(std::span<const std::uint32_t> tokens,
                              std::span<const std::uint8_t> types) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  types_.insert(types_.end(), types.begin(), types.end());
  ends_.push_back(static_cast<std::int64_t>(tokens_.size()));
}

void TokenColumnsBuilder::add(const TokenColumnsBuilder& others) {
  const auto before = static_cast<std::int64_t>(tokens_.size());
  tokens_.insert(tokens_.end(), others.tokens_.begin(), others.tokens_.end());
  types_.insert(types_.end(), others.types_.begin(), others.types_.end());
  for (const std::int64_t end : others.ends_) ends_.push_back(before + end);
}

TokenColumns TokenColumnsBuilder::build() {
  ends_.insert(ends_.begin(), 0);
  TokenColumns columns{std::move(tokens_), std::move(ends_), std::move(types_)};
  *this = {};
  return columns;
}

DocumentTokens words_of(const TokenColumns& columns, std::size_t i) {
  const auto begin = static_cast<std::size_t>(columns.offsets[i]);
  const std::size_t count = static_cast<std::size_t>(columns.offsets[i + 1]) - begin;
  return {columns.tokens.values().subspan(begin, count),
          columns.types.values().subspan(begin, count)};
}

}  // namespace ultr
