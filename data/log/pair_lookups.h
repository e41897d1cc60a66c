#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/log/list_ids.h"
#include "data/log/pair_table.h"

namespace ultr {

/// A short queue of lists that hides memory latency: each list is looked up in a PairTable a few
/// lists after it was added, when the memory prefetched for it has arrived.
class PairLookups {
 public:
  /// Appends a list and prefetches its memory. If the queue is full, first calls
  /// look(query, documents, rows) for the oldest list; `rows` is scratch space for one row per
  /// document. `table` and `look` must be the same in every call. The documents must stay valid
  /// until they are looked up.
  template <class Look>
  void add(const PairTable& table, std::uint64_t query, std::span<const std::uint64_t> documents,
           const Look& look) {
    if (added_ - looked_up_ == most_lists) look_up_first(look);
    table.prefetch(query);
    List& list = of(added_++);
    list.query = query;
    list.documents = documents;
    if (added_ - looked_up_ > most_lists / 2) {  // the memory of its query has arrived
      const List& before = of(added_ - 1 - most_lists / 2);
      table.prefetch_documents(before.query, before.documents);
    }
  }
  /// Calls `look` for all lists in the queue.
  template <class Look>
  void finish(const Look& look) {
    while (looked_up_ < added_) look_up_first(look);
  }

 private:
  static constexpr std::size_t most_lists = 8;
  struct List {
    std::uint64_t query;
    std::span<const std::uint64_t> documents;
  };

  List& of(std::uint64_t number) { return lists_[number % most_lists]; }

  template <class Look>
  void look_up_first(const Look& look) {
    const auto [query, documents] = of(looked_up_++);
    if (rows_.size() < documents.size()) rows_.resize(documents.size());
    look(query, documents, std::span(rows_).first(documents.size()));
  }

  std::array<List, most_lists> lists_;       // ring buffer: list n is at n mod size
  std::uint64_t added_ = 0, looked_up_ = 0;  // numbers of the lists to add and to look up next
  std::vector<std::uint32_t> rows_;          // of one list
};

/// Calls look(query, documents, rows) for each list, in order, as PairLookups does.
template <class Look>
void look_up_pairs(const PairTable& table, const ListIds& lists, const Look& look) {
  PairLookups lookups;
  lists.for_each(
      [&](std::uint64_t query, auto documents) { lookups.add(table, query, documents, look); });
  lookups.finish(look);
}

}  // namespace ultr
