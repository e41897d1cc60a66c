#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/tape/tape.h"
#include "distributed/communicator.h"
#include "layers/parameter.h"

namespace ultr {

/// The parameters of a model by kind. Dense parameters are laid out one after the other in one
/// vector.
struct ParameterLayout {
  struct Dense {
    DenseParameter* parameter;
    std::size_t offset;
    std::size_t size;
  };

  explicit ParameterLayout(const std::vector<Parameter*>& parameters);

  std::vector<Dense> dense;
  std::size_t dense_size = 0;
  std::vector<EmbeddingTable*> tables;
};

/// Gradients of table rows, dealt to the workers that own the rows (RowOwner), so that each worker
/// finds its own without looking at the others'. Gradients of one row keep their order.
class DealtGradients {
 public:
  /// Deals gradients to `workers` workers, reusing the memory of the last call.
  void deal(const RowGradients& gradients, std::uint32_t workers);

  EmbeddingTable& table() const { return *table_; }
  std::span<const std::uint32_t> rows(std::size_t worker) const {
    return std::span(rows_).subspan(begin_[worker], begin_[worker + 1] - begin_[worker]);
  }
  /// Row-major: [rows(worker).size() x columns].
  const float* values(std::size_t worker) const {
    return values_.data() +
           std::size_t{begin_[worker]} * static_cast<std::size_t>(table_->columns());
  }

 private:
  EmbeddingTable* table_ = nullptr;
  std::vector<std::uint32_t> rows_;
  std::vector<float> values_;
  std::vector<std::uint32_t> begin_;  // one offset per worker, and the end
  std::vector<std::uint8_t> owners_;  // lowest byte of the owner of each row
};

/// The gradients of one shard. They are kept from step to step, so that nothing is allocated once
/// the buffers are large enough.
struct ShardGradients {
  double loss = 0;
  std::vector<RowGradients> tables;
  std::size_t tables_used = 0;
  std::vector<DealtGradients> dealt;  // of the tables, if several workers update them
  std::vector<float> dense;           // laid out as in ParameterLayout

  /// Copies the gradients from a float32 tape that has run backward.
  void take(const Tape& tape, const ParameterLayout& layout);
  /// Deals the gradients of the tables to `workers` workers.
  void deal(std::uint32_t workers);
  /// Returns the gradients of the tables.
  std::span<const RowGradients> used_tables() const { return std::span(tables).first(tables_used); }
  /// Appends the loss and the dense gradients to a message to other processes (read_dense).
  void write_dense(std::vector<std::byte>& message) const;
};

/// Reads what ShardGradients::write_dense wrote for the shards of all processes: sets `dense` to
/// the dense gradients of a shard and calls visit(loss), shard after shard.
template <class Visit>
void read_dense(std::span<const std::span<const std::byte>> messages, std::span<float> dense,
                Visit visit) {
  for (const std::span<const std::byte> message : messages)
    for (MessageReader reader(message); reader.bytes_left() > 0;) {
      const auto loss = reader.read<double>();
      reader.read(dense);
      visit(loss);
    }
}

}  // namespace ultr
