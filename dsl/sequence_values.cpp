#include "dsl/sequence_values.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "autograd/ops/gather.h"

namespace ultr {
namespace {

template <class T>
void sequence_values_forward(Tape&, Node& node) {
  (*static_cast<SequenceValues* const*>(node.closure))->forward(reinterpret_cast<T*>(node.value));
}

template <class T>
void sequence_values_backward(Tape&, Node& node) {
  (*static_cast<SequenceValues* const*>(node.closure))
      ->backward(reinterpret_cast<const T*>(node.gradient), node);
}

constexpr Kernels sequence_values_kernels = {
    {sequence_values_forward<float>, sequence_values_backward<float>},
    {sequence_values_forward<double>, sequence_values_backward<double>}};

/// A node that stands for the rows of a table that the op reads: the tape asks it which they are.
constexpr Kernels table_rows_kernels = {{[](Tape&, Node&) {}}, {[](Tape&, Node&) {}}};

NodeId record_table(Tape& tape, const SequenceTable& table, Index rows) {
  const auto recorded = tape.record("table_rows", NodeKind::real, Shape::scalar(),
                                    &table_rows_kernels, std::array{rows.node});
  tape.register_parameter(recorded.id, &table.table->view(), true);
  return recorded.id;
}

template <class T>
void add_numbers(const T* from, std::size_t count, T* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

SequenceValues::SequenceValues(Tape& tape, const SequenceEncoder& encoder, Extent documents,
                               std::optional<Index> noise,
                               std::shared_ptr<SequencePrograms> programs)
    : tape_(tape),
      encoder_(encoder),
      has_noise_(noise.has_value()),
      programs_(std::move(programs)),
      tables_(encoder.tables()),
      dense_(encoder.dense_parameters()),
      token_count_(tape.extent(documents.capacity() * encoder.layout().max_tokens)),
      sums_(tables_.size()) {
  using Row = SequenceTable::Row;
  every_row_.resize(static_cast<std::size_t>(encoder.layout().vocabulary));
  std::iota(every_row_.begin(), every_row_.end(), 0u);
  for (const Row row : {Row::token, Row::place, Row::type})
    row_index_[static_cast<std::size_t>(row)] = tape.index(token_count_);
  row_index_[static_cast<std::size_t>(Row::every)] = tape.index(encoder.layout().vocabulary);
  tape.bind(row_index_[static_cast<std::size_t>(Row::every)], every_row_);
  std::vector<NodeId> inputs;
  for (const SequenceTable& table : tables_)
    inputs.push_back(record_table(tape, table, row_index_[static_cast<std::size_t>(table.row)]));
  for (const DenseParameter* parameter : dense_)
    inputs.push_back(read(tape, parameter->view()).node());
  const auto recorded = tape.record("sequence_values", NodeKind::real, Shape::vector(documents),
                                    &sequence_values_kernels, inputs);
  recorded.node.closure = tape.arena().create(this);
  values_ = tape.tensor(recorded);
}

void SequenceValues::bind(std::span<const std::uint32_t> rows,
                          const std::function<DocumentWords(std::uint32_t row)>& words_of,
                          std::span<const std::uint32_t> noise_key) {
  pack(rows, words_of);
  cut_into_blocks(noise_key);
  if (encoder_.masked_share() > 0) {
    mask_tokens(encoder_.layout(), encoder_.masked_share(), noise_key, packed_, masked_);
    masked_offsets_.clear();
    for (Block& block : blocks_) mask(block);
  }
  tape_.bind(token_count_, static_cast<std::int64_t>(packed_.tokens.size()));
  using Row = SequenceTable::Row;
  for (const auto& [which, values] : {std::pair(Row::token, &packed_.tokens),
                                      {Row::place, &packed_.places},
                                      {Row::type, &packed_.types}})
    tape_.bind(row_index_[static_cast<std::size_t>(which)], *values);
}

void SequenceValues::pack(std::span<const std::uint32_t> rows,
                          const std::function<DocumentWords(std::uint32_t row)>& words_of) {
  distinct_rows_.assign(rows.begin(), rows.end());
  std::sort(distinct_rows_.begin(), distinct_rows_.end());
  distinct_rows_.erase(std::unique(distinct_rows_.begin(), distinct_rows_.end()),
                       distinct_rows_.end());
  std::vector<std::size_t> length, order(distinct_rows_.size());
  for (const std::uint32_t row : distinct_rows_)
    length.push_back(sequence_length(encoder_.layout(), words_of(row)));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  packed_.clear();
  std::vector<std::uint32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::uint32_t>(i);
    packed_.append(encoder_.layout(), words_of(distinct_rows_[order[i]]));
  }
  sequence_of_document_.clear();
  for (const std::uint32_t row : rows) {
    const auto found = std::lower_bound(distinct_rows_.begin(), distinct_rows_.end(), row);
    sequence_of_document_.push_back(
        place[static_cast<std::size_t>(found - distinct_rows_.begin())]);
  }
}

void SequenceValues::cut_into_blocks(std::span<const std::uint32_t> noise_key) {
  constexpr std::uint32_t shards_of_a_step = 1u << 20;  // blocks have keys beyond those of shards
  const std::size_t most_tokens = program().most_tokens();
  blocks_.clear();
  block_offsets_.clear();
  for (std::size_t s = 0; s < packed_.count();) {
    Block block{.first_sequence = s,
                .sequences = 0,
                .first_token = packed_.offsets[s],
                .tokens = 0,
                .first_offset = block_offsets_.size(),
                .first_masked = 0,
                .masked = 0,
                .first_masked_offset = 0,
                .noise_key = {}};
    block_offsets_.push_back(0);
    while (s < packed_.count() && block.sequences < SequenceProgram::most_sequences &&
           block.tokens + packed_.length(s) <= most_tokens) {
      block.tokens += packed_.length(s++);
      ++block.sequences;
      block_offsets_.push_back(static_cast<std::uint32_t>(block.tokens));
    }
    std::copy(noise_key.begin(), noise_key.end(), block.noise_key.begin());
    block.noise_key.back() += static_cast<std::uint32_t>(blocks_.size()) * shards_of_a_step;
    blocks_.push_back(block);
  }
}

void SequenceValues::mask(Block& block) {
  const auto end = block.first_sequence + block.sequences;
  block.first_masked = masked_.offsets[block.first_sequence];
  block.masked = masked_.offsets[end] - block.first_masked;
  block.first_masked_offset = masked_offsets_.size();
  for (std::size_t s = block.first_sequence; s <= end; ++s)
    masked_offsets_.push_back(masked_.offsets[s] - static_cast<std::uint32_t>(block.first_masked));
  for (std::size_t i = 0; i < block.masked; ++i)
    masked_.places[block.first_masked + i] -= static_cast<std::uint32_t>(block.first_token);
}

SequenceBlock SequenceValues::inputs_of(const Block& block) const {
  const auto part = [&](const std::vector<std::uint32_t>& column) {
    return std::span(column).subspan(block.first_token, block.tokens);
  };
  SequenceBlock result{
      .tokens = part(packed_.tokens),
      .places = part(packed_.places),
      .types = part(packed_.types),
      .offsets = std::span(block_offsets_).subspan(block.first_offset, block.sequences + 1),
      .noise_key = {}};
  if (has_noise_) result.noise_key = block.noise_key;
  if (encoder_.masked_share() > 0) {
    const auto masked = [&](const std::vector<std::uint32_t>& column) {
      return std::span(column).subspan(block.first_masked, block.masked);
    };
    result.masked_places = masked(masked_.places);
    result.masked_words = masked(masked_.words);
    result.masked_offsets =
        std::span(masked_offsets_).subspan(block.first_masked_offset, block.sequences + 1);
  }
  return result;
}

template <class T>
void SequenceValues::forward(T* values) {
  run_ = SequenceProgram::new_run();
  SequenceProgram& encoder = program();
  std::vector<T> of_sequences;
  of_sequences.reserve(packed_.count());
  for (const Block& one : blocks_) {
    encoder.run(inputs_of(one), run_);
    const std::span<const T> some = encoder.values<T>();
    of_sequences.insert(of_sequences.end(), some.begin(), some.end());
  }
  for (std::size_t i = 0; i < sequence_of_document_.size(); ++i)
    values[i] = of_sequences[sequence_of_document_[i]];
}

template <class T>
void SequenceValues::backward(const T* gradient, const Node& node) {
  std::vector<T> of_sequences(packed_.count());
  for (std::size_t i = 0; i < sequence_of_document_.size(); ++i)
    of_sequences[sequence_of_document_[i]] += gradient[i];
  for (std::size_t i = 0; i < dense_.size(); ++i)
    if (const auto target = tape_.gradient_target<T>(node, tables_.size() + i);
        target && !target.add)
      std::fill_n(target.data, dense_[i]->rows() * dense_[i]->columns(), T(0));
  clear_rows<T>();
  SequenceProgram& encoder = program();
  for (const Block& one : blocks_) {
    // The program still holds the values of a shard of one block, unless it was lent meanwhile.
    if (blocks_.size() > 1 || encoder.last_run() != run_) encoder.run(inputs_of(one), run_);
    encoder.backward(std::span<const T>(of_sequences).subspan(one.first_sequence, one.sequences));
    take_gradients<T>(encoder.tape(), node);
  }
  report_rows<T>();
}

template <class T>
void SequenceValues::take_gradients(const Tape& from, const Node& node) {
  for (const DenseGradient& gradient : from.dense_gradients())
    for (std::size_t i = 0; i < dense_.size(); ++i) {
      if (&dense_[i]->view() != gradient.parameter) continue;
      if (const auto target = tape_.gradient_target<T>(node, tables_.size() + i))
        add_numbers(static_cast<const T*>(gradient.values),
                    static_cast<std::size_t>(dense_[i]->rows() * dense_[i]->columns()),
                    target.data);
    }
  for (const SparseGradient& gradient : from.sparse_gradients()) add_rows<T>(gradient);
}

template <class T>
std::vector<T>& SequenceValues::values_of(RowSums& sums) {
  if constexpr (std::is_same_v<T, float>)
    return sums.narrow;
  else
    return sums.wide;
}

template <class T>
void SequenceValues::add_rows(const SparseGradient& gradient) {
  const auto width = static_cast<std::size_t>(gradient.columns);
  const T* const from = static_cast<const T*>(gradient.values);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (&tables_[t].table->view() != gradient.parameter) continue;
    RowSums& sums = sums_[t];
    std::vector<T>& values = values_of<T>(sums);
    sums.place_of_row.resize(static_cast<std::size_t>(tables_[t].table->rows()));
    for (std::size_t i = 0; i < gradient.rows.size(); ++i) {
      std::uint32_t& place = sums.place_of_row[gradient.rows[i]];
      if (place == 0) {
        sums.rows.push_back(gradient.rows[i]);
        place = static_cast<std::uint32_t>(sums.rows.size());
        values.resize(sums.rows.size() * width, T(0));
      }
      add_numbers(from + i * width, width, values.data() + (place - 1) * width);
    }
  }
}

template <class T>
void SequenceValues::clear_rows() {
  for (RowSums& sums : sums_) {
    for (const std::uint32_t row : sums.rows) sums.place_of_row[row] = 0;
    sums.rows.clear();
    values_of<T>(sums).clear();
  }
}

template <class T>
void SequenceValues::report_rows() {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    RowSums& sums = sums_[t];
    tape_.report_sparse_gradient({&tables_[t].table->view(), sums.rows, values_of<T>(sums).data(),
                                  tables_[t].table->columns()});
  }
}

}  // namespace ultr
