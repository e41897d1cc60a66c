#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/tape.h"
#include "layers/parameter.h"

namespace ultr {

/// The parameters of a model by kind. The dense ones lie one after the other in a vector.
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

/// Gradients of rows, dealt to the workers that own the rows (RowOwner): each finds its own without
/// looking at the others'. Those of a row stay in their order.
class DealtGradients {
 public:
  /// Deals gradients, reusing the memory of the last ones.
  void deal(const RowGradients& gradients, std::uint32_t workers);

  EmbeddingTable& table() const { return *table_; }
  std::span<const std::uint32_t> rows(std::size_t worker) const {
    return std::span(rows_).subspan(begin_[worker], begin_[worker + 1] - begin_[worker]);
  }
  /// rows(worker).size() x columns.
  const float* values(std::size_t worker) const {
    return values_.data() +
           std::size_t{begin_[worker]} * static_cast<std::size_t>(table_->columns());
  }

 private:
  EmbeddingTable* table_ = nullptr;
  std::vector<std::uint32_t> rows_;
  std::vector<float> values_;
  std::vector<std::uint32_t> begin_;  // of each worker, and the end
  std::vector<std::uint8_t> owners_;  // of the rows: the lowest byte
};

/// What backward over one shard left behind, kept from step to step so that nothing is allocated
/// once it is large enough.
struct ShardGradients {
  double loss = 0;
  std::vector<RowGradients> tables;
  std::size_t tables_used = 0;
  std::vector<DealtGradients> dealt;  // of the tables, if several workers update them
  std::vector<float> dense;           // laid out as ParameterLayout says

  /// Takes the gradients off a float32 tape that has run backward.
  void take(const Tape& tape, const ParameterLayout& layout);
  /// Deals those of the tables.
  void deal(std::uint32_t workers);
};

}  // namespace ultr
