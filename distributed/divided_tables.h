#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/log/shard.h"
#include "distributed/communicator.h"
#include "layers/parameter.h"

namespace ultr {

/// A table of which every process has the rows of some query-document pairs (RowPart).
struct DividedTable {
  EmbeddingTable* table;
  std::int64_t rows_per_pair = 1;  // side by side, the first at pair * rows_per_pair
};

/// Tables with numbers for every query-document pair, divided over the processes of a run. Programs
/// run on copies of the rows that they read: before they do, `fetch` asks the processes that have
/// them; after it, `send_gradients` gives the gradients back.
///
/// A document of a batch has a copy of its own: copies are found without a search, and cost no more
/// to send than the gradients that come back, which are not summed on the way. Their owner sums
/// them one by one in the order of the processes and of their shards, and so to the same bits as a
/// process that has all rows and shards.
///
/// All processes call the same functions in the same order, with shards or without.
class DividedTables {
 public:
  /// `divided` have parts of their rows here; of `whole` every process has all, which stay alike if
  /// all make the same updates. They must outlive it.
  DividedTables(Communicator& ranks, std::vector<DividedTable> divided,
                std::vector<EmbeddingTable*> whole);
  /// Programs read the tables themselves again.
  ~DividedTables();
  DividedTables(const DividedTables&) = delete;
  DividedTables& operator=(const DividedTables&) = delete;

  Communicator& ranks() const { return ranks_; }
  /// How a parameter is divided; null: it is not.
  const DividedTable* find(const Parameter& parameter) const;

  /// Copies the rows of the shards' documents here and makes programs read them, until the next
  /// call. Shards must stay as they are until the gradients are sent. Throws Error if another
  /// process asks for a row that is not here.
  void fetch(std::span<const Shard> shards);
  /// Which rows the documents of a shard, of those last fetched for, now have in the divided
  /// tables: what a program is to be told in place of Shard::rows.
  std::span<const std::uint32_t> rows(std::size_t shard) const {
    return std::span(copies_).subspan(first_[shard], first_[shard + 1] - first_[shard]);
  }

  /// Sends gradients of the rows of this process's shards, in their order, to the processes that
  /// have them. Returns those that are to be summed here, in order, with the rows they have here,
  /// until the next call. Throws Error if such a row is not here.
  std::span<const RowGradients> send_gradients(std::span<const RowGradients* const> own);
  /// After send_gradients, when all that it returned is summed in the tables: for each of `own`, as
  /// given there, what EmbeddingTable::gradient_square is for it.
  std::vector<double> gradient_squares(std::span<const RowGradients* const> own);

 private:
  struct Entry {
    std::size_t owner;
    std::uint32_t row;  // there
  };

  std::size_t size() const { return static_cast<std::size_t>(ranks_.size()); }
  std::size_t number_of(const EmbeddingTable* table) const;
  bool is_divided(std::size_t number) const { return number < divided_.size(); }
  Entry entry_of(std::size_t number, std::uint32_t copy) const;

  Communicator& ranks_;
  std::vector<DividedTable> divided_;
  std::vector<EmbeddingTable*> tables_;        // the divided ones, then the whole ones
  std::vector<std::uint32_t> pairs_, copies_;  // of each document: its pair, and 0, 1, 2, ...
  std::vector<std::size_t> first_;             // document of each shard, and their number
  /// By process: the documents whose rows it has, and the pairs that were asked for.
  std::vector<std::vector<std::uint32_t>> documents_, asked_;
  std::vector<std::vector<float>> values_;  // of each divided table: the copies
  Messages to_, from_;
  /// Gradients to a process, and from all, of one table each.
  std::vector<std::vector<RowGradients>> outgoing_;
  std::vector<RowGradients> incoming_;
};

/// Calls `use(values)` in process 0 with the values of all rows of a divided table, part after
/// part, in the order of the rows; `pairs` of them have rows. All processes call it.
void collect_rows(Communicator& ranks, const DividedTable& divided, std::int64_t pairs,
                  const std::function<void(std::span<const float>)>& use);

}  // namespace ultr
