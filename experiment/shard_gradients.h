#pragma once

#include <cstdint>
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

/// What backward over one shard left behind, kept from step to step so that nothing is allocated
/// once it is large enough.
struct ShardGradients {
  struct Table {
    EmbeddingTable* table;
    std::vector<std::uint32_t> rows;  // may repeat
    std::vector<float> values;        // rows.size() x columns
  };

  double loss = 0;
  std::vector<Table> tables;
  std::size_t tables_used = 0;
  std::vector<float> dense;  // laid out as ParameterLayout says

  /// Takes the gradients off a float32 tape that has run backward.
  void take(const Tape& tape, const ParameterLayout& layout);
};

}  // namespace ultr
