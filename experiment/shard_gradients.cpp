#include "experiment/shard_gradients.h"

#include <algorithm>

#include "autograd/pack.h"

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
  begin_.assign(1, 0);

  // Each worker's rows are found by looking at the owners of 64 rows at once.
  constexpr std::size_t block = 64;
  constexpr std::uint32_t low_byte = 0xff;
  owners_.resize((rows + block - 1) / block * block);
  // Pointers: the compiler takes a byte that is written for any memory, that of a vector too.
  const std::uint32_t* const numbers = gradients.rows.data();
  std::uint8_t* const owner = owners_.data();
  for (std::size_t i = 0; i < rows; ++i)
    owner[i] = static_cast<std::uint8_t>(RowOwner::of(numbers[i], workers) & low_byte);
  std::uint32_t dealt = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    for (std::size_t begin = 0; begin < rows; begin += block) {
      std::uint64_t own =
          bits_equal_to(static_cast<std::uint8_t>(worker & low_byte), &owners_[begin]);
      if (rows - begin < block) own &= ~std::uint64_t{0} >> (block - (rows - begin));
      for_each_bit(own,
                   [&, from_rows = &gradients.rows[begin], from = &gradients.values[begin * width],
                    to_rows = rows_.data(), to = values_.data()](std::size_t row) {
                     if (workers > low_byte && !RowOwner{worker, workers}.owns(from_rows[row]))
                       return;
                     to_rows[dealt] = from_rows[row];
                     if (width == 1)
                       to[dealt] = from[row];
                     else
                       std::copy_n(from + row * width, width, to + dealt * width);
                     ++dealt;
                   });
    }
    begin_.push_back(dealt);
  }
}

}  // namespace ultr
