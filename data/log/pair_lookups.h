#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/log/pair_table.h"

namespace ultr {

/// Lists whose pairs are looked up in a table a little later, when the memory that this reads has
/// come: while a list waits, that of lists before it is looked at.
class PairLookups {
 public:
  /// A further list, for which `look` will be called, and once so many wait, for the first of them:
  /// look(query, documents, rows), `rows` being room for as many rows as it has documents. The same
  /// table and `look` each time.
  template <class Look>
  void add(const PairTable& table, std::uint64_t query, std::span<const std::uint64_t> documents,
           const Look& look) {
    if (added_ - looked_up_ == most_lists) look_up_first(look);
    table.prefetch(query);
    List& list = of(added_++);
    list.query = query;
    list.documents.assign(documents.begin(), documents.end());
    if (added_ - looked_up_ > most_lists / 2) {  // the query's memory has come
      const List& before = of(added_ - 1 - most_lists / 2);
      table.prefetch_documents(before.query, before.documents);
    }
  }
  /// Calls `look` for all that wait.
  template <class Look>
  void finish(const Look& look) {
    while (looked_up_ < added_) look_up_first(look);
  }

 private:
  static constexpr std::size_t most_lists = 8;
  struct List {
    std::uint64_t query;
    std::vector<std::uint64_t> documents;
  };

  List& of(std::uint64_t number) { return lists_[number % most_lists]; }

  template <class Look>
  void look_up_first(const Look& look) {
    const auto& [query, documents] = of(looked_up_++);
    if (rows_.size() < documents.size()) rows_.resize(documents.size());
    look(query, std::span<const std::uint64_t>(documents),
         std::span(rows_).first(documents.size()));
  }

  std::array<List, most_lists> lists_;       // number n at n mod size
  std::uint64_t added_ = 0, looked_up_ = 0;  // numbers of the next lists
  std::vector<std::uint32_t> rows_;          // of one
};

}  // namespace ultr
