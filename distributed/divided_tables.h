#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/log/shard.h"
#include "distributed/communicator.h"
#include "distributed/row_requests.h"
#include "layers/parameter.h"

namespace ultr {

/// A table that is divided over the processes: each one holds the rows of some query-document pairs
/// (RowPart).
struct DividedTable {
  EmbeddingTable* table;
  std::int64_t rows_per_pair = 1;  // adjacent; the first is pair * rows_per_pair

  /// Numbers per pair.
  std::size_t width() const { return static_cast<std::size_t>(rows_per_pair * table->columns()); }
};

/// Gradients of rows of a table, in the order in which the rows were read. They are stored
/// elsewhere.
struct RowGradientsView {
  RowGradientsView(EmbeddingTable* of, std::span<const std::uint32_t> read,
                   std::span<const float> gradients)
      : table(of), rows(read), values(gradients) {}
  RowGradientsView(const RowGradients& gradients)  // NOLINT: implicit
      : table(gradients.table), rows(gradients.rows), values(gradients.values) {}

  EmbeddingTable* table;
  std::span<const std::uint32_t> rows;  // may repeat
  std::span<const float> values;        // rows.size() x columns
};

/// Tables with rows for every query-document pair, divided over the processes of a run. Programs
/// run on copies of the rows that they read. Before they run, the copies come from the processes
/// that hold the rows. Afterwards, `send_gradients` sends the gradients back.
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
  /// The shards that a process runs next. They must not change until their gradients are sent.
  struct Batch {
    std::span<const Shard> shards;
    /// Numbers of the batch for the other processes; equally many in each of them.
    std::span<const double> counts = {};
  };

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

  /// Asks for the rows of the batch's documents. send_gradients can ask, too, and spares a message.
  void ask(const Batch& batch);
  /// Begins to copy the rows that were asked for here. They travel while this process does
  /// something else than to send messages. Throws Error if another process asks for a row that this
  /// process does not hold.
  void begin_fetch();
  /// Makes programs read the copies until the next call.
  void finish_fetch();
  /// All at once, of these shards.
  void fetch(std::span<const Shard> shards) {
    ask({shards});
    begin_fetch();
    finish_fetch();
  }
  /// Returns the rows of the copies that the documents of a shard have in the divided tables.
  /// Programs take these in place of Shard::rows. `shard` counts the shards of the last fetch.
  std::span<const std::uint32_t> rows(std::size_t shard) const { return batch_.documents(shard); }
  /// Returns Batch::counts of all processes, process by process, of the batch asked for last.
  const std::vector<double>& counts() const { return counts_; }

  /// Begins to send the gradients of the first of this process's shards, which travel while it runs
  /// the others. All processes must do so, or none.
  void begin_gradients(std::span<const RowGradientsView> own);
  /// Sends the gradients of this process's other shards, in the order of the shards, to the
  /// processes that hold the rows, and `to_all` to all. If there is a `next` batch, in all
  /// processes or in none, asks for its rows, which the next `begin_fetch` copies. Returns the
  /// gradients to be summed here, in this order; their rows are numbered as here. They are valid
  /// until the next call. Throws Error if this process does not hold such a row.
  std::span<const RowGradientsView> send_gradients(std::span<const RowGradientsView> own,
                                                   std::span<const std::byte> to_all = {},
                                                   const Batch* next = nullptr);
  /// Returns `to_all` of each process, as of the last call.
  const std::vector<std::span<const std::byte>>& sent_to_all() const { return sent_to_all_; }
  /// Returns EmbeddingTable::gradient_square for each of `own`, which must be those given to
  /// begin_gradients and send_gradients. Must be called after all gradients that send_gradients
  /// returned are summed in the tables.
  std::vector<double> gradient_squares(std::span<const RowGradientsView> own);

 private:
  /// Pairs that a process asks this one for.
  using Pairs = std::vector<std::uint32_t>;

  std::size_t size() const { return static_cast<std::size_t>(processes_.size()); }
  std::size_t number_of(const EmbeddingTable* table) const;
  bool is_divided(std::size_t number) const { return number < divided_.size(); }
  /// Returns which process holds a row of the copies in a divided table, and which it is there.
  RowRequests::Place place_of(std::size_t number, std::uint32_t copy) const;
  /// Returns the size of the rows of a pair in all divided tables.
  std::size_t bytes_per_pair() const;

  /// Appends what a process is asked for to the message to it.
  void write_request(const Batch& batch, std::size_t process);
  /// Reads what each process says of its batch and asks this one for. `batch` is that of this one.
  void read_requests(const Batch& batch, std::vector<MessageReader>& readers);
  /// True if these rows of the copies are all of a shard, in order. Sets shard_ to that of the
  /// first.
  bool are_all_of_shard(std::span<const std::uint32_t> rows);
  /// Writes gradients into the messages to the processes that hold their rows.
  void write_gradients(std::span<const RowGradientsView> own);
  void write_gradients(const RowGradientsView& entries);
  /// Appends gradients of all documents of a shard, in order, or of any rows of the copies.
  void write_all(std::size_t number, const RowGradientsView& entries);
  void write_some(std::size_t number, const RowGradientsView& entries);
  /// Reads the gradients from a process that had `asked` for rows.
  void read_gradients(MessageReader& reader, const Pairs& asked);

  Communicator& processes_;
  std::vector<DividedTable> divided_;
  std::vector<EmbeddingTable*> tables_;  // first the divided ones, then the whole ones
  /// Requests of this process, and those of each process for rows that it holds: for the batch that
  /// was fetched, and the one after it.
  RowRequests batch_, next_;
  std::vector<Pairs> asked_, next_asked_;
  std::vector<double> counts_;
  std::vector<std::vector<float>> values_;  // the copies, per divided table
  Messages to_, from_;
  std::vector<RowGradients> dealt_;  // gradients of one table to each process
  std::size_t shard_ = 0;            // of the documents whose gradients were written last
  bool began_gradients_ = false;
  Messages first_gradients_, gradients_;  // from each process; the following refer to them
  std::vector<RowGradientsView> incoming_;
  std::vector<std::size_t> incoming_end_;  // per process: number of those up to its last
  std::vector<std::span<const std::byte>> sent_to_all_;
};

}  // namespace ultr
