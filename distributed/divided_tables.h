#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/log/shard.h"
#include "distributed/communicator.h"
#include "layers/parameter.h"

namespace ultr {

/// A table that is divided over the processes: each one holds the rows of some query-document pairs
/// (RowPart).
struct DividedTable {
  EmbeddingTable* table;
  std::int64_t rows_per_pair = 1;  // adjacent; the first is pair * rows_per_pair
};

/// Tables with rows for every query-document pair, divided over the processes of a run. Programs
/// run on copies of the rows that they read. Before they run, `fetch` copies the rows from the
/// processes that hold them. Afterwards, `send_gradients` sends the gradients back.
///
/// Each document of a batch has its own copy of its rows. Copies are thus found without a search,
/// and cost no more to send than the gradients that come back. Gradients are not summed on the way:
/// the process that holds a row sums them one by one, in the order of the processes and of their
/// shards. Results are therefore bit-identical to those of a single process that has all rows and
/// shards.
///
/// All processes call the same functions in the same order, even if they have no shards.
class DividedTables {
 public:
  /// `divided`: tables of which this process holds a part of the rows. `whole`: tables of which
  /// every process holds all rows; these stay equal if all processes make the same updates. The
  /// tables must outlive this object.
  DividedTables(Communicator& processes, std::vector<DividedTable> divided,
                std::vector<EmbeddingTable*> whole);
  /// Makes programs read the tables themselves again.
  ~DividedTables();
  DividedTables(const DividedTables&) = delete;
  DividedTables& operator=(const DividedTables&) = delete;

  Communicator& processes() const { return processes_; }
  /// Returns the divided table that is this parameter; null if it is not divided.
  const DividedTable* find(const Parameter& parameter) const;

  /// Copies the rows of the shards' documents here, and makes programs read the copies until the
  /// next call. Shards must not change until their gradients are sent. Throws Error if another
  /// process asks for a row that this process does not hold.
  void fetch(std::span<const Shard> shards);
  /// Returns the rows of the copies that the documents of a shard have in the divided tables.
  /// Programs take these in place of Shard::rows. `shard` counts the shards of the last fetch.
  std::span<const std::uint32_t> rows(std::size_t shard) const {
    return std::span(copies_).subspan(first_[shard], first_[shard + 1] - first_[shard]);
  }

  /// Sends the gradients of this process's shards, in the order of the shards, to the processes
  /// that hold the rows. Returns the gradients to be summed here, in this order; their rows are
  /// numbered as here. They are valid until the next call. Throws Error if this process does not
  /// hold such a row.
  std::span<const RowGradients> send_gradients(std::span<const RowGradients* const> own);
  /// Returns EmbeddingTable::gradient_square for each of `own`, which must be those given to
  /// send_gradients. Must be called after all gradients that send_gradients returned are summed in
  /// the tables.
  std::vector<double> gradient_squares(std::span<const RowGradients* const> own);

 private:
  struct Entry {
    std::uint32_t owner;
    std::uint32_t row;  // its number in that process
  };

  std::size_t size() const { return static_cast<std::size_t>(processes_.size()); }
  std::size_t number_of(const EmbeddingTable* table) const;
  bool is_divided(std::size_t number) const { return number < divided_.size(); }
  Entry entry_of(std::size_t number, std::uint32_t copy) const;
  /// Returns the size of the rows of a pair in all divided tables.
  std::size_t bytes_per_pair() const;
  /// Notes which process holds each document's pair, and asks it for the rows.
  void ask_for_rows();
  void send_rows();
  void take_rows();
  /// Appends gradients of a divided table to those for the processes that hold their rows.
  void deal(std::size_t number, const RowGradients& entries);

  Communicator& processes_;
  std::vector<DividedTable> divided_;
  std::vector<EmbeddingTable*> tables_;        // first the divided ones, then the whole ones
  std::vector<std::uint32_t> pairs_, copies_;  // per document: its pair; 0, 1, 2, ...
  std::vector<Entry> held_;                    // per document: where its pair is held
  std::vector<std::size_t> first_;             // document of each shard; last: number of documents
  /// Per process: the documents whose rows it holds; the pairs that one process asks another for.
  std::vector<std::vector<std::uint32_t>> documents_, asked_;
  std::vector<std::vector<float>> values_;  // the copies, per divided table
  std::vector<std::size_t> places_;         // per process: the length of a list, or a place in it
  Messages to_, from_;
  /// Gradients to each process, per table; gradients from all processes, process by process.
  std::vector<std::vector<RowGradients>> outgoing_;
  std::vector<RowGradients> incoming_;
};

/// Calls `use(values)` in process 0 with the values of all rows of a divided table, chunk by chunk,
/// in the order of the rows. `pairs` is the number of pairs that have rows. All processes must call
/// this.
void collect_rows(Communicator& processes, const DividedTable& divided, std::int64_t pairs,
                  const std::function<void(std::span<const float>)>& use);

}  // namespace ultr
