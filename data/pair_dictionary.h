#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

namespace ultr {

/// Numbers query-document pairs: 1, 2, ... in the order in which training data shows them. Row 0
/// stands for every pair that it never shows.
class PairDictionary {
 public:
  static constexpr std::uint32_t unknown = 0;

  /// The row of a pair, a new one if need be.
  std::uint32_t add(std::uint64_t query, std::uint64_t document);
  /// The row of a pair, `unknown` if it was not added.
  std::uint32_t find(std::uint64_t query, std::uint64_t document) const;
  /// Rows of a table for it, the unknown one included.
  std::int64_t rows() const { return static_cast<std::int64_t>(pairs_.size()) + 1; }

  /// Ids of row 0, 1, ...; those of row 0 are 0.
  std::vector<std::uint64_t> queries() const;
  std::vector<std::uint64_t> documents() const;

  /// Writes dictionary.query.npy and dictionary.document.npy (uint64, an entry a row).
  void save(const std::filesystem::path& folder) const;
  /// Throws DataError if the files are missing or do not fit each other.
  static PairDictionary load(const std::filesystem::path& folder);

 private:
  struct Pair {
    std::uint64_t query, document;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct Hash {
    std::size_t operator()(const Pair& pair) const;
  };
  std::unordered_map<Pair, std::uint32_t, Hash> numbers_;
  std::vector<Pair> pairs_;
};

}  // namespace ultr
