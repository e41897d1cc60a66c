#include "data/pair_column.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "data/error.h"
#include "data/pair_numbering.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// "3.1%" of documents.
std::string share(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{:.3g}%",
                     all == 0 ? 0. : 100 * static_cast<double>(part) / static_cast<double>(all));
}

class NumberedPairs final : public PairColumn {
 public:
  NumberedPairs(const fs::path& folder, std::size_t memory)
      : folder_(folder), numbering_(folder, memory) {}

  void add(std::uint64_t query, std::span<const std::uint64_t> documents) override {
    numbering_.add(query, documents);
  }
  void finish(const std::function<void()>& check) override {
    numbering_.finish(check);
    write_dictionary_id(folder_, numbering_.id());
  }
  std::uint64_t documents() const override { return numbering_.documents(); }
  std::string summary() const override { return fmt::format("{} pairs", numbering_.pairs()); }
  bool keeps_ids() const override { return true; }

 private:
  fs::path folder_;
  PairNumbering numbering_;
};

class HashedPairs final : public PairColumn {
 public:
  HashedPairs(const fs::path& folder, std::int64_t rows)
      : folder_(folder),
        dictionary_(PairDictionary::hashed(rows)),
        pairs_(folder / pairs_file),
        first_(static_cast<std::size_t>(rows)) {
    waiting_.reserve(PairTable::lookups_at_once);
  }

  void add(std::uint64_t query, std::span<const std::uint64_t> documents) override {
    for (const std::uint64_t document : documents) {
      const std::uint32_t row = dictionary_.find(query, document);
      const auto mark = static_cast<std::uint32_t>(PairTable::hash(query, document));
      __builtin_prefetch(&first_[row], 1);
      waiting_.push_back({row, std::max(mark, 1u)});
      if (waiting_.size() == PairTable::lookups_at_once) look_up_waiting();
    }
  }
  void finish(const std::function<void()>&) override {
    look_up_waiting();
    pairs_.finish();
    dictionary_.save(folder_);
    write_dictionary_id(folder_, dictionary_.id());
  }
  std::uint64_t documents() const override { return pairs_.size(); }
  std::string summary() const override {
    return fmt::format("{} rows, {} taken; {} of documents collide: their row was another pair's",
                       dictionary_.rows(), taken_, share(collisions_, pairs_.size()));
  }
  bool keeps_ids() const override { return false; }

 private:
  /// A document whose row is looked at a little later, when the memory for it has come.
  struct Waiting {
    std::uint32_t row, mark;
  };

  void look_up_waiting() {
    for (const auto [row, mark] : waiting_) {
      std::uint32_t& first = first_[row];
      if (first == 0) {
        first = mark;
        ++taken_;
      } else if (first != mark) {
        ++collisions_;
      }
      pairs_.push_back(row);
    }
    waiting_.clear();
  }

  fs::path folder_;
  PairDictionary dictionary_;
  NpyStream<std::uint32_t> pairs_;
  ZeroedArray<std::uint32_t> first_;  // mark of each row's first pair
  std::vector<Waiting> waiting_;
  std::uint64_t taken_ = 0, collisions_ = 0;
};

class KnownPairs final : public PairColumn {
 public:
  KnownPairs(const fs::path& folder, const fs::path& dictionary, const std::function<void()>& check)
      : folder_(folder), dictionary_(PairDictionary::map(dictionary)), pairs_(folder / pairs_file) {
    waiting_.reserve(PairTable::lookups_at_once);
    id_ = dictionary_.id();
    if (!dictionary_.is_hashed()) read_pairs(dictionary, check);
  }

  void add(std::uint64_t query, std::span<const std::uint64_t> documents) override {
    for (const std::uint64_t document : documents) {
      const std::uint64_t hash = PairTable::hash(query, document);
      table_.prefetch(hash);
      waiting_.push_back({query, document, hash});
      if (waiting_.size() == PairTable::lookups_at_once) look_up_waiting();
    }
  }
  void finish(const std::function<void()>&) override {
    look_up_waiting();
    pairs_.finish();
    write_dictionary_id(folder_, id_);
  }
  std::uint64_t documents() const override { return pairs_.size(); }
  std::string summary() const override {
    return fmt::format("{} of documents in no pair of the dictionary",
                       share(unknown_, pairs_.size()));
  }
  bool keeps_ids() const override { return false; }

 private:
  struct Waiting {
    std::uint64_t query, document, hash;
  };

  void read_pairs(const fs::path& folder, const std::function<void()>& check) {
    constexpr std::size_t rows_at_once = std::size_t{1} << 20;
    const auto queries = map_npy<std::uint64_t>(folder / PairDictionary::query_file).values;
    const auto documents = map_npy<std::uint64_t>(folder / PairDictionary::document_file).values;
    table_.reserve(queries.size());
    for (std::size_t row = 1; row < queries.size(); ++row) {
      const std::uint64_t hash = PairTable::hash(queries[row], documents[row]);
      const auto number = static_cast<std::uint32_t>(row);
      if (table_.find_or_add(hash, queries[row], documents[row], number) != number)
        throw DataError(
            fmt::format("{}: row {} of the dictionary repeats a pair", folder.string(), row));
      if (row % rows_at_once != 0 && row + 1 != queries.size()) continue;
      queries.release(0, row);
      documents.release(0, row);
      if (check) check();
    }
  }

  void look_up_waiting() {
    for (const auto& [query, document, hash] : waiting_) {
      const std::uint32_t row = dictionary_.is_hashed() ? dictionary_.find(query, document)
                                                        : table_.find(hash, query, document);
      unknown_ += row == PairDictionary::unknown ? 1 : 0;
      pairs_.push_back(row);
    }
    waiting_.clear();
  }

  fs::path folder_;
  PairDictionary dictionary_;
  std::uint64_t id_ = 0, unknown_ = 0;
  PairTable table_{0};
  NpyStream<std::uint32_t> pairs_;
  std::vector<Waiting> waiting_;
};

}  // namespace

std::unique_ptr<PairColumn> numbered_pairs(const fs::path& folder, std::size_t memory) {
  return std::make_unique<NumberedPairs>(folder, memory);
}

std::unique_ptr<PairColumn> hashed_pairs(const fs::path& folder, std::int64_t rows) {
  return std::make_unique<HashedPairs>(folder, rows);
}

std::unique_ptr<PairColumn> known_pairs(const fs::path& folder, const fs::path& dictionary,
                                        const std::function<void()>& check) {
  return std::make_unique<KnownPairs>(folder, dictionary, check);
}

}  // namespace ultr
