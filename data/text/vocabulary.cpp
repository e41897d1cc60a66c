#include "data/text/vocabulary.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/quote.h"
#include "data/text/line_fields.h"

namespace ultr {

std::uint32_t Vocabulary::find(std::string_view word) const {
  const auto found = tokens_.find(word);
  return found == tokens_.end() ? unknown_word : found->second;
}

std::uint32_t Vocabulary::add(std::string_view word) {
  if (const auto found = tokens_.find(word); found != tokens_.end()) return found->second;
  if (is_complete_) return unknown_word;
  const auto token = static_cast<std::uint32_t>(tokens());
  tokens_.emplace(word, token);
  words_.emplace_back(word);
  return token;
}

TokenColumns Vocabulary::drop_rare(std::int64_t least, const TokenColumns& documents) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(tokens()));
  for (const std::uint32_t token : documents.tokens) ++counts[token];
  std::vector<std::uint32_t> renumbered(counts.size(), unknown_word);
  Vocabulary kept;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::size_t token = static_cast<std::size_t>(first_word) + i;
    if (counts[token] >= least) renumbered[token] = kept.add(words_[i]);
  }
  kept.is_complete_ = is_complete_;
  *this = std::move(kept);
  std::vector<std::uint32_t> tokens;
  for (const std::uint32_t token : documents.tokens)
    tokens.push_back(token < first_word ? token : renumbered[token]);
  return {std::move(tokens), documents.offsets, documents.types};
}

void Vocabulary::save(const std::filesystem::path& file) const {
  write_file(file, fmt::format("{}\n", fmt::join(words_, "\n")));
}

Vocabulary Vocabulary::load(const std::filesystem::path& file) {
  constexpr std::size_t most_quoted = 40;
  Vocabulary vocabulary;
  for_each_line(file, {}, [&](std::string_view line, std::uint64_t) {
    const auto next = static_cast<std::uint32_t>(vocabulary.tokens());
    if (vocabulary.add(line) != next)
      throw DataError(
          fmt::format("the word {} again; expected each word once", quote(line, most_quoted)));
  });
  vocabulary.complete();
  return vocabulary;
}

}  // namespace ultr
