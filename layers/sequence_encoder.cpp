#include "layers/sequence_encoder.h"

#include <algorithm>

#include "base/random.h"

namespace ultr {

std::vector<std::pair<std::string, std::int64_t>> named_numbers(const SequenceLayout& layout) {
  return {{"vocabulary", layout.vocabulary}, {"max_tokens", layout.max_tokens},
          {"types", layout.types},           {"unknown_token", layout.unknown},
          {"cls_token", layout.start},       {"sep_token", layout.separator}};
}

void PackedSequences::clear() {
  for (auto* column : {&tokens, &places, &types}) column->clear();
  offsets.assign(1, 0);
}

void PackedSequences::append(const SequenceLayout& layout, const DocumentWords& words) {
  const std::size_t begin = tokens.size();
  const std::size_t end = begin + static_cast<std::size_t>(layout.max_tokens);
  const auto largest = static_cast<std::uint32_t>(layout.types - 1);
  const auto add = [&](std::uint32_t token, std::uint32_t type) {
    if (tokens.size() == end) return;
    places.push_back(static_cast<std::uint32_t>(tokens.size() - begin));
    tokens.push_back(token);
    types.push_back(std::min(type, largest));
  };
  add(layout.start, words.types.empty() ? 0 : words.types.front());
  for (std::size_t i = 0; i < words.tokens.size(); ++i) {
    add(words.tokens[i] < layout.vocabulary ? words.tokens[i] : layout.unknown, words.types[i]);
    if (i + 1 == words.tokens.size() || words.types[i + 1] != words.types[i])
      add(layout.separator, words.types[i]);
  }
  if (tokens.size() == end && layout.max_tokens > 1) tokens.back() = layout.separator;
  offsets.push_back(static_cast<std::uint32_t>(tokens.size()));
}

void mask_tokens(const SequenceLayout& layout, double share, std::span<const std::uint32_t> key,
                 PackedSequences& sequences, MaskedTokens& masked) {
  constexpr double replaced = 0.8, drawn_at_random = 0.1;
  masked.places.clear();
  masked.words.clear();
  masked.offsets.assign(1, 0);
  const std::uint64_t seed = key[0] | std::uint64_t{key[1]} << 32;
  for (std::size_t i = 0; i < sequences.count(); ++i) {
    // Dropout numbers its blocks from 0 within the shard, masks from the other end.
    RandomStream random(
        seed, RandomPurpose::dropout, key[2],
        std::uint64_t{key[3]} << 32 | (0xffffffffu - static_cast<std::uint32_t>(i)));
    for (std::uint32_t at = sequences.offsets[i]; at < sequences.offsets[i + 1]; ++at) {
      std::uint32_t& token = sequences.tokens[at];
      if (token == layout.start || token == layout.separator || token == layout.unknown ||
          random.uniform() >= share)
        continue;
      masked.places.push_back(at);
      masked.words.push_back(token);
      const double fate = random.uniform();
      if (fate < replaced)
        token = layout.mask;
      else if (fate < replaced + drawn_at_random)
        token =
            static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(layout.vocabulary)));
    }
    masked.offsets.push_back(static_cast<std::uint32_t>(masked.places.size()));
  }
}

std::size_t sequence_length(const SequenceLayout& layout, const DocumentWords& words) {
  std::size_t length = 1 + words.tokens.size();
  for (std::size_t i = 0; i < words.types.size(); ++i)
    if (i + 1 == words.types.size() || words.types[i + 1] != words.types[i]) ++length;
  return std::min(length, static_cast<std::size_t>(layout.max_tokens));
}

}  // namespace ultr
