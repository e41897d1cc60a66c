#include "training/shards/shard_gradients.h"

#include <algorithm>

#include "kernels/bits.h"

namespace ultr {
namespace {

/// Number of rows whose owners are compared at once.
constexpr std::size_t rows_per_mask = 64;

}  // namespace

ParameterLayout::ParameterLayout(const std::vector<Parameter*>& parameters) {
  for (Parameter* parameter : parameters) {
    if (auto* one = dynamic_cast<DenseParameter*>(parameter)) {
      dense.push_back({one, dense_size, one->all_values().size()});
      dense_size += one->all_values().size();
    } else if (auto* table = dynamic_cast<EmbeddingTable*>(parameter)) {
      tables.push_back(table);
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

void ShardGradients::write_dense(std::vector<std::byte>& message) const {
  append(message, loss);
  append(message, std::span<const float>(dense));
}

void ShardGradients::deal(std::uint32_t workers) {
  if (dealt.size() < tables_used) dealt.resize(tables_used);
  for (std::size_t e = 0; e < tables_used; ++e) dealt[e].deal(tables[e], workers);
}

void DealtGradients::deal(const RowGradients& gradients, std::uint32_t workers) {
  table_ = gradients.table;
  const auto width = static_cast<std::size_t>(table_->columns());
  const std::size_t rows = gradients.rows.size();
  rows_.resize(rows + rows_per_mask);  // room to read and write this many at once
  values_.resize((rows + rows_per_mask) * width);
  begin_.assign(1, 0);

  constexpr std::uint32_t low_byte = 0xff;
  owners_.resize((rows + rows_per_mask - 1) / rows_per_mask * rows_per_mask);
  // Raw pointers: a byte that is written may alias any memory, so the compiler would reload a
  // vector's pointer each time.
  const std::uint32_t* const numbers = gradients.rows.data();
  std::uint8_t* const owner = owners_.data();
  for (std::size_t i = 0; i < rows; ++i)
    owner[i] = static_cast<std::uint8_t>(RowOwner::of(numbers[i], workers) & low_byte);

  // Find a worker's rows by comparing the owners of 64 rows at once. If a worker has many of them,
  // copy them eight at a time.
  constexpr std::uint32_t few_workers = 6;
  const bool many_each = width == 1 && workers <= few_workers;
  std::uint32_t dealt = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    for (std::size_t begin = 0; begin < rows; begin += rows_per_mask) {
      std::uint64_t own =
          bits_equal_to(static_cast<std::uint8_t>(worker & low_byte), &owners_[begin]);
      const std::uint32_t* const from_rows = numbers + begin;
      const float* const from = gradients.values.data() + begin * width;
      std::uint32_t* const to_rows = rows_.data() + dealt;
      float* const to = values_.data() + dealt * width;
      if (many_each && rows - begin >= rows_per_mask) {
        copy_chosen(own, from, to);
        dealt += static_cast<std::uint32_t>(copy_chosen(own, from_rows, to_rows));
        continue;
      }
      if (rows - begin < rows_per_mask)
        own &= ~std::uint64_t{0} >> (rows_per_mask - (rows - begin));
      std::size_t next = 0;
      for_each_bit(own, [&](std::size_t row) {
        if (workers > low_byte && !RowOwner{worker, workers}.owns(from_rows[row])) return;
        to_rows[next] = from_rows[row];
        if (width == 1)
          to[next] = from[row];
        else
          std::copy_n(from + row * width, width, to + next * width);
        ++next;
      });
      dealt += static_cast<std::uint32_t>(next);
    }
    begin_.push_back(dealt);
  }
}

}  // namespace ultr
