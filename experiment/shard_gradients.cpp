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
      RowGradients& entry = tables[tables_used++];
      entry.table = table;
      entry.rows.assign(gradient.rows.begin(), gradient.rows.end());
      const auto* from = static_cast<const float*>(gradient.values);
      entry.values.assign(from,
                          from + gradient.rows.size() * static_cast<std::size_t>(gradient.columns));
    }
}

void ShardGradients::deal(std::uint32_t workers) {
  if (dealt.size() < tables_used) dealt.resize(tables_used);
  for (std::size_t e = 0; e < tables_used; ++e) dealt[e].deal(tables[e], workers);
}

void DealtGradients::deal(const RowGradients& gradients, std::uint32_t workers) {
  table_ = gradients.table;
  const auto width = static_cast<std::size_t>(table_->columns());
  const std::size_t rows = gradients.rows.size();
  rows_.resize(rows);
  values_.resize(rows * width);
  owners_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) owners_[i] = RowOwner::of(gradients.rows[i], workers);
  begin_.assign(workers + 1, 0);
  for (const std::uint32_t owner : owners_) ++begin_[owner + 1];
  for (std::uint32_t w = 0; w < workers; ++w) begin_[w + 1] += begin_[w];
  next_.assign(begin_.begin(), begin_.end());
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t place = next_[owners_[i]]++;
    rows_[place] = gradients.rows[i];
    if (width == 1)
      values_[place] = gradients.values[i];
    else
      std::copy_n(gradients.values.data() + i * width, width, values_.data() + place * width);
  }
}

}  // namespace ultr
