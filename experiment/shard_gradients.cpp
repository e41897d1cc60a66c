#include "experiment/shard_gradients.h"

#include <algorithm>
#include <utility>

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

  // A stable counting sort. Each counter is read right after it was written, which the processor
  // waits for; four parts of the rows with counters of their own, taken in turns, hide that.
  constexpr std::size_t parts = 4;
  const std::size_t part_rows = rows / parts;
  next_.assign(parts * workers, 0);
  const auto for_each_row = [&, owners = owners_.data(), next = next_.data()](auto visit) {
    for (std::size_t i = 0; i < part_rows; ++i)
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t row = part * part_rows + i;
        visit(row, next[part * workers + owners[row]]);
      }
    for (std::size_t row = parts * part_rows; row < rows; ++row)
      visit(row, next[(parts - 1) * workers + owners[row]]);
  };
  for_each_row([](std::size_t, std::uint32_t& count) { ++count; });
  begin_.resize(workers + 1);
  std::uint32_t place = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    begin_[worker] = place;
    for (std::size_t part = 0; part < parts; ++part)
      place += std::exchange(next_[part * workers + worker], place);
  }
  begin_[workers] = place;
  for_each_row([=, from_rows = gradients.rows.data(), from = gradients.values.data(),
                to_rows = rows_.data(), to = values_.data()](std::size_t row, std::uint32_t& next) {
    const std::size_t dealt = next++;
    to_rows[dealt] = from_rows[row];
    if (width == 1)
      to[dealt] = from[row];
    else
      std::copy_n(from + row * width, width, to + dealt * width);
  });
}

}  // namespace ultr
