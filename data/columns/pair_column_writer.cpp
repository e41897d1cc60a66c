#include "data/columns/pair_column_writer.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include "base/files/npy.h"
#include "data/log/pair_dictionary.h"
#include "data/log/pair_lookups.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Formats a share of documents, such as "3.1%".
std::string share(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{:.3g}%",
                     all == 0 ? 0. : 100 * static_cast<double>(part) / static_cast<double>(all));
}

class HashedPairs final : public PairColumnWriter {
 public:
  HashedPairs(const fs::path& folder, std::int64_t rows)
      : folder_(folder),
        dictionary_(PairDictionary::hashed(rows)),
        pairs_(folder / pairs_file),
        first_(static_cast<std::size_t>(rows)) {}

  void add(const ListIds& lists) override {
    lists.for_each([this](std::uint64_t query, auto documents) { add(query, documents); });
  }
  void finish(const std::function<void()>&) override {
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      look_up(waiting_[(added_ + i) % waiting_.size()]);
    pairs_.finish();
    dictionary_.save(folder_);
    write_dictionary_id(folder_, dictionary_.id());
  }
  std::uint64_t documents() const override { return pairs_.size(); }
  std::string summary() const override {
    return fmt::format(
        "{} rows, {} used; {} of documents collide: another pair used their row first",
        dictionary_.rows(), taken_, share(collisions_, pairs_.size()));
  }
  bool keeps_ids() const override { return false; }

 private:
  /// A document whose row is checked a little later, once the prefetched memory has arrived. Mark
  /// 0 means an empty place.
  struct Waiting {
    std::uint32_t row = 0, mark = 0;
  };

  void add(std::uint64_t query, std::span<const std::uint64_t> documents) {
    rows_.resize(documents.size());
    dictionary_.find(query, documents, rows_);
    pairs_.append(rows_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto mark = static_cast<std::uint32_t>(PairTable::hash(query, documents[i]));
      Waiting& place = waiting_[added_++ % waiting_.size()];
      look_up(place);
      place = {rows_[i], std::max(mark, 1u)};
      __builtin_prefetch(&first_[rows_[i]], 1);
    }
  }
  void look_up(const Waiting& document) {
    if (document.mark == 0) return;
    std::uint32_t& first = first_[document.row];
    if (first == 0) {
      first = document.mark;
      ++taken_;
    } else if (first != document.mark) {
      ++collisions_;
    }
  }

  fs::path folder_;
  PairDictionary dictionary_;
  NpyStream<std::uint32_t> pairs_;
  std::vector<std::uint32_t> rows_;   // of the list being added
  ZeroedArray<std::uint32_t> first_;  // mark of each row's first pair
  std::array<Waiting, 256> waiting_;  // ring buffer: document n is at n mod size
  std::uint64_t added_ = 0, taken_ = 0, collisions_ = 0;
};

class KnownPairs final : public PairColumnWriter {
 public:
  KnownPairs(const fs::path& folder, const fs::path& dictionary, const std::function<void()>& check)
      : folder_(folder),
        dictionary_(PairDictionary::map(dictionary)),
        id_(dictionary_.id()),
        table_(dictionary_.table(check)),
        pairs_(folder / pairs_file) {}

  void add(const ListIds& lists) override {
    look_up_pairs(table_, lists,
                  [this](std::uint64_t query, auto ids, auto rows) { find(query, ids, rows); });
  }
  void finish(const std::function<void()>&) override {
    pairs_.finish();
    write_dictionary_id(folder_, id_);
  }
  std::uint64_t documents() const override { return pairs_.size(); }
  std::string summary() const override {
    return fmt::format("{} of documents are not in the dictionary", share(unknown_, pairs_.size()));
  }
  bool keeps_ids() const override { return false; }

 private:
  void find(std::uint64_t query, std::span<const std::uint64_t> documents,
            std::span<std::uint32_t> rows) {
    if (dictionary_.is_hashed())
      dictionary_.find(query, documents, rows);
    else
      table_.find(query, documents, rows);
    unknown_ +=
        static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), PairDictionary::unknown));
    pairs_.append(rows);
  }

  fs::path folder_;
  PairDictionary dictionary_;
  std::uint64_t id_;
  PairTable table_;
  NpyStream<std::uint32_t> pairs_;
  std::uint64_t unknown_ = 0;  // number of documents that the dictionary lacks
};

}  // namespace

std::unique_ptr<PairColumnWriter> hashed_pairs(const fs::path& folder, std::int64_t rows) {
  return std::make_unique<HashedPairs>(folder, rows);
}

std::unique_ptr<PairColumnWriter> known_pairs(const fs::path& folder, const fs::path& dictionary,
                                              const std::function<void()>& check) {
  return std::make_unique<KnownPairs>(folder, dictionary, check);
}

}  // namespace ultr
