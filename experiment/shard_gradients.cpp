#include "experiment/shard_gradients.h"

namespace ultr {

ParameterLayout::ParameterLayout(const std::vector<Parameter*>& parameters) {
  for (Parameter* parameter : parameters) {
    if (auto* one = dynamic_cast<DenseParameter*>(parameter)) {
      dense.push_back({one, dense_size, one->all_values().size()});
      dense_size += one->all_values().size();
    } else {
      tables.push_back(static_cast<EmbeddingTable*>(parameter));
    }
  }
}

void ShardGradients::take(const Tape& tape, const ParameterLayout& layout) {
  dense.assign(layout.dense_size, 0.0f);
  for (const DenseGradient& gradient : tape.dense_gradients())
    for (const ParameterLayout::Dense& known : layout.dense) {
      if (&known.parameter->view() != gradient.parameter) continue;
      const auto* from = static_cast<const float*>(gradient.values);
      float* to = dense.data() + known.offset;
      for (std::size_t i = 0; i < known.size; ++i) to[i] += from[i];
    }

  tables_used = 0;
  for (const SparseGradient& gradient : tape.sparse_gradients())
    for (EmbeddingTable* table : layout.tables) {
      if (&table->view() != gradient.parameter) continue;
      if (tables.size() == tables_used) tables.emplace_back();
      Table& entry = tables[tables_used++];
      entry.table = table;
      entry.rows.assign(gradient.rows.begin(), gradient.rows.end());
      const auto* from = static_cast<const float*>(gradient.values);
      entry.values.assign(from,
                          from + gradient.rows.size() * static_cast<std::size_t>(gradient.columns));
    }
}

}  // namespace ultr
