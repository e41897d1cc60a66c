#include "distributed/divided_tables.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.h"

namespace ultr {
namespace {

/// Number of rows ahead to prefetch.
constexpr std::size_t records_prefetched = 32;

/// Returns the number of floats per query-document pair in a table.
std::size_t width_of(const DividedTable& divided) {
  return static_cast<std::size_t>(divided.rows_per_pair * divided.table->columns());
}

/// Copies the numbers of a row. Most rows have a single one, for which nothing is called.
void copy_row(void* to, const void* from, std::size_t bytes) {
  if (bytes == sizeof(float))
    std::memcpy(to, from, sizeof(float));
  else
    std::memcpy(to, from, bytes);
}

/// Throws Error unless all rows that another process asks for, or sends gradients of, are among the
/// `count` rows here.
void expect_rows(std::span<const std::uint32_t> rows, std::int64_t count) {
  std::uint32_t highest = 0;
  for (const std::uint32_t row : rows) highest = std::max(highest, row);
  if (!rows.empty() && highest >= count)
    throw Error("another process uses rows that are not in the tables; expected the same data");
}

}  // namespace

DividedTables::DividedTables(Communicator& processes, std::vector<DividedTable> divided,
                             std::vector<EmbeddingTable*> whole)
    : processes_(processes),
      divided_(std::move(divided)),
      documents_(size()),
      asked_(size()),
      values_(divided_.size()),
      places_(size()),
      to_(size()),
      outgoing_(size()) {
  for (const DividedTable& one : divided_) tables_.push_back(one.table);
  tables_.insert(tables_.end(), whole.begin(), whole.end());
  for (auto& gradients : outgoing_)
    for (EmbeddingTable* table : tables_) gradients.push_back({.table = table});
}

DividedTables::~DividedTables() {
  for (const DividedTable& one : divided_) one.table->borrow({});
}

const DividedTable* DividedTables::find(const Parameter& parameter) const {
  const auto found = std::find_if(divided_.begin(), divided_.end(),
                                  [&](const DividedTable& one) { return one.table == &parameter; });
  return found == divided_.end() ? nullptr : &*found;
}

std::size_t DividedTables::number_of(const EmbeddingTable* table) const {
  const auto found = std::find(tables_.begin(), tables_.end(), table);
  if (found == tables_.end())
    throw Error("found a gradient of a table that processes do not share");
  return static_cast<std::size_t>(found - tables_.begin());
}

DividedTables::Entry DividedTables::entry_of(std::size_t number, std::uint32_t copy) const {
  const auto per_pair = static_cast<std::uint32_t>(divided_[number].rows_per_pair);
  if (per_pair == 1) return held_[copy];
  const auto [owner, pair] = held_[copy / per_pair];
  return {owner, pair * per_pair + copy % per_pair};
}

std::size_t DividedTables::bytes_per_pair() const {
  std::size_t bytes = 0;
  for (const DividedTable& one : divided_) bytes += width_of(one) * sizeof(float);
  return bytes;
}

void DividedTables::fetch(std::span<const Shard> shards) {
  first_.assign(1, 0);
  pairs_.clear();
  for (const Shard& shard : shards) {
    pairs_.insert(pairs_.end(), shard.rows().begin(), shard.rows().end());
    first_.push_back(pairs_.size());
  }
  if (copies_.size() < pairs_.size()) {
    copies_.resize(pairs_.size());
    std::iota(copies_.begin(), copies_.end(), 0u);
  }
  ask_for_rows();
  send_rows();
  take_rows();
}

void DividedTables::ask_for_rows() {
  // Rows are counted by process first, so that lists get their size at once: the processor cannot
  // foresee which list would grow next, and a wrong guess costs more than a second look.
  const auto process_count = static_cast<std::uint32_t>(size());
  held_.resize(pairs_.size());
  std::fill(places_.begin(), places_.end(), std::size_t{0});
  for (std::size_t document = 0; document < pairs_.size(); ++document) {
    const Entry held{pairs_[document] % process_count, pairs_[document] / process_count};
    held_[document] = held;
    ++places_[held.owner];
  }
  for (std::size_t r = 0; r < size(); ++r) {
    documents_[r].resize(places_[r]);
    asked_[r].resize(places_[r]);
    places_[r] = 0;
  }
  for (std::uint32_t document = 0; document < pairs_.size(); ++document) {
    const auto [owner, row] = held_[document];
    const std::size_t place = places_[owner]++;
    documents_[owner][place] = document;
    asked_[owner][place] = row;
  }
  for (std::size_t r = 0; r < size(); ++r) {
    to_[r].clear();
    append(to_[r], std::span<const std::uint32_t>(asked_[r]));
  }
  processes_.exchange(to_, from_);
}

void DividedTables::send_rows() {
  for (std::size_t r = 0; r < size(); ++r) {
    std::vector<std::uint32_t>& asked = asked_[r];
    MessageReader(from_[r]).read(asked, from_[r].size() / sizeof(std::uint32_t));
    to_[r].resize(asked.size() * bytes_per_pair());
    std::byte* to = to_[r].data();
    for (const DividedTable& one : divided_) {
      const EmbeddingTable& table = *one.table;
      const std::size_t row_bytes = static_cast<std::size_t>(table.columns()) * sizeof(float);
      expect_rows(asked, table.rows() / one.rows_per_pair);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (i + records_prefetched < asked.size())
          __builtin_prefetch(table.record(asked[i + records_prefetched] * one.rows_per_pair));
        for (std::int64_t row = 0; row < one.rows_per_pair; ++row, to += row_bytes)
          copy_row(to, table.record(asked[i] * one.rows_per_pair + row), row_bytes);
      }
    }
  }
  processes_.exchange(to_, from_);
}

void DividedTables::take_rows() {
  for (std::size_t t = 0; t < divided_.size(); ++t)
    values_[t].resize(pairs_.size() * width_of(divided_[t]));
  for (std::size_t r = 0; r < size(); ++r) {
    if (from_[r].size() != documents_[r].size() * bytes_per_pair())
      throw Error("another process sent other rows than it was asked for");
    const std::byte* from = from_[r].data();
    for (std::size_t t = 0; t < divided_.size(); ++t) {
      const std::size_t width = width_of(divided_[t]);
      float* const values = values_[t].data();
      for (const std::uint32_t document : documents_[r]) {
        copy_row(values + document * width, from, width * sizeof(float));
        from += width * sizeof(float);
      }
    }
  }
  for (std::size_t t = 0; t < divided_.size(); ++t) divided_[t].table->borrow(values_[t]);
}

void DividedTables::deal(std::size_t number, const RowGradients& entries) {
  const auto columns = static_cast<std::size_t>(entries.table->columns());
  std::fill(places_.begin(), places_.end(), std::size_t{0});
  for (const std::uint32_t copy : entries.rows) ++places_[entry_of(number, copy).owner];
  for (std::size_t r = 0; r < size(); ++r) {
    RowGradients& to = outgoing_[r][number];
    const std::size_t before = to.rows.size();
    to.rows.resize(before + places_[r]);
    to.values.resize(to.rows.size() * columns);
    places_[r] = before;
  }
  const float* from = entries.values.data();
  for (const std::uint32_t copy : entries.rows) {
    const auto [owner, row] = entry_of(number, copy);
    RowGradients& to = outgoing_[owner][number];
    const std::size_t place = places_[owner]++;
    to.rows[place] = row;
    copy_row(to.values.data() + place * columns, from, columns * sizeof(float));
    from += columns;
  }
}

std::span<const RowGradients> DividedTables::send_gradients(
    std::span<const RowGradients* const> own) {
  for (auto& gradients : outgoing_)
    for (RowGradients& one : gradients) {
      one.rows.clear();
      one.values.clear();
    }
  for (const RowGradients* const entries : own) {
    const std::size_t t = number_of(entries->table);
    if (is_divided(t)) {
      deal(t, *entries);
      continue;
    }
    for (auto& gradients : outgoing_) {
      RowGradients& one = gradients[t];
      one.rows.insert(one.rows.end(), entries->rows.begin(), entries->rows.end());
      one.values.insert(one.values.end(), entries->values.begin(), entries->values.end());
    }
  }
  for (std::size_t r = 0; r < size(); ++r) {
    to_[r].clear();
    for (const RowGradients& one : outgoing_[r]) {
      append(to_[r], one.rows.size());
      append(to_[r], std::span<const std::uint32_t>(one.rows));
      append(to_[r], std::span<const float>(one.values));
    }
  }
  processes_.exchange(to_, from_);
  incoming_.resize(size() * tables_.size());
  for (std::size_t r = 0; r < size(); ++r) {
    MessageReader reader(from_[r]);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      RowGradients& one = incoming_[r * tables_.size() + t];
      one.table = tables_[t];
      const auto count = reader.read<std::size_t>();
      reader.read(one.rows, count);
      expect_rows(one.rows, tables_[t]->rows());
      reader.read(one.values, count * static_cast<std::size_t>(tables_[t]->columns()));
    }
  }
  return incoming_;
}

std::vector<double> DividedTables::gradient_squares(std::span<const RowGradients* const> own) {
  // Each sum goes back to the processes that sent its terms.
  for (std::size_t r = 0; r < size(); ++r) {
    to_[r].clear();
    for (std::size_t t = 0; t < divided_.size(); ++t) {
      const EmbeddingTable& table = *tables_[t];
      for (const std::uint32_t row : incoming_[r * tables_.size() + t].rows)
        append(to_[r], std::span<const float>(table.record(row) + table.gradient_offset(),
                                              static_cast<std::size_t>(table.columns())));
    }
  }
  processes_.exchange(to_, from_);
  std::vector<std::vector<std::vector<float>>> sums(size());  // by process and table
  for (std::size_t r = 0; r < size(); ++r) {
    MessageReader reader(from_[r]);
    sums[r].resize(divided_.size());
    for (std::size_t t = 0; t < divided_.size(); ++t)
      reader.read(sums[r][t], outgoing_[r][t].values.size());
  }

  std::vector<std::vector<std::size_t>> next(size(), std::vector<std::size_t>(divided_.size()));
  std::vector<double> squares;
  for (const RowGradients* const entries : own) {
    const std::size_t t = number_of(entries->table);
    if (!is_divided(t)) {
      squares.push_back(entries->table->gradient_square(entries->rows, entries->values.data()));
      continue;
    }
    const auto columns = static_cast<std::size_t>(entries->table->columns());
    double square = 0;
    for (std::size_t i = 0; i < entries->rows.size(); ++i) {
      const std::size_t owner = entry_of(t, entries->rows[i]).owner;
      for (std::size_t c = 0; c < columns; ++c)
        square += static_cast<double>(entries->values[i * columns + c]) *
                  static_cast<double>(sums[owner][t][next[owner][t]++]);
    }
    squares.push_back(square);
  }
  return squares;
}

void collect_rows(Communicator& processes, const DividedTable& divided, std::int64_t pairs,
                  const std::function<void(std::span<const float>)>& use) {
  const auto process_count = static_cast<std::size_t>(processes.size());
  const EmbeddingTable& table = *divided.table;
  const std::size_t width = width_of(divided);
  // Each process sends about a megabyte at a time.
  const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 18) / width);
  const auto all = static_cast<std::size_t>(pairs);
  Messages to(process_count), from;
  std::vector<float> values;
  for (std::size_t first = 0; first * process_count < all; first += most) {
    const std::size_t own_pairs = static_cast<std::size_t>(table.rows() / divided.rows_per_pair);
    const std::size_t count = std::min(most, own_pairs - first);
    to[0].clear();
    for (std::size_t row = first * static_cast<std::size_t>(divided.rows_per_pair);
         row < (first + count) * static_cast<std::size_t>(divided.rows_per_pair); ++row)
      append(to[0], table.row(static_cast<std::int64_t>(row)));
    processes.exchange(to, from);
    if (processes.process() != 0) continue;
    const std::size_t known = std::min(count * process_count, all - first * process_count);
    values.resize(known * width);
    std::vector<MessageReader> readers(from.begin(), from.end());
    for (std::size_t pair = 0; pair < known; ++pair)
      readers[pair % process_count].read(std::span(values).subspan(pair * width, width));
    use(values);
  }
}

}  // namespace ultr
