#include "data/pair_dictionary.h"

#include <fmt/core.h>

#include "data/error.h"
#include "data/npy.h"

namespace ultr {

std::size_t PairDictionary::Hash::operator()(const Pair& pair) const {
  // The mixing step of splitmix64: neighbouring ids are the rule.
  std::uint64_t x = pair.query * 0x9E3779B97F4A7C15u + pair.document;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::uint32_t PairDictionary::add(std::uint64_t query, std::uint64_t document) {
  const auto next = static_cast<std::uint32_t>(pairs_.size() + 1);
  const auto [found, added] = numbers_.try_emplace({query, document}, next);
  if (added) {
    if (next == 0) throw DataError("more than 2^32 query-document pairs");
    pairs_.push_back({query, document});
  }
  return found->second;
}

std::uint32_t PairDictionary::find(std::uint64_t query, std::uint64_t document) const {
  const auto found = numbers_.find({query, document});
  return found == numbers_.end() ? unknown : found->second;
}

std::vector<std::uint64_t> PairDictionary::queries() const {
  std::vector<std::uint64_t> ids = {0};
  for (const Pair& pair : pairs_) ids.push_back(pair.query);
  return ids;
}

std::vector<std::uint64_t> PairDictionary::documents() const {
  std::vector<std::uint64_t> ids = {0};
  for (const Pair& pair : pairs_) ids.push_back(pair.document);
  return ids;
}

void PairDictionary::save(const std::filesystem::path& folder) const {
  write_npy(folder / "dictionary.query.npy", queries());
  write_npy(folder / "dictionary.document.npy", documents());
}

PairDictionary PairDictionary::load(const std::filesystem::path& folder) {
  const auto queries = read_npy<std::uint64_t>(folder / "dictionary.query.npy");
  const auto documents = read_npy<std::uint64_t>(folder / "dictionary.document.npy");
  if (queries.size() != documents.size() || queries.empty())
    throw DataError(
        fmt::format("{}: the dictionary has {} queries and {} documents; expected as "
                    "many, at least 1",
                    folder.string(), queries.size(), documents.size()));
  PairDictionary dictionary;
  for (std::size_t row = 1; row < queries.size(); ++row)
    if (dictionary.add(queries[row], documents[row]) != row)
      throw DataError(
          fmt::format("{}: row {} of the dictionary repeats a pair", folder.string(), row));
  return dictionary;
}

}  // namespace ultr
