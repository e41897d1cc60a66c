#include "distributed/divided_tables.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace ultr {
namespace {

/// Number of rows ahead to prefetch.
constexpr std::size_t records_prefetched = 32;

/// Copies the numbers of a row. Most rows have a single one, for which nothing is called.
void copy_row(void* to, const void* from, std::size_t bytes) {
  if (bytes == sizeof(float))
    std::memcpy(to, from, sizeof(float));
  else
    std::memcpy(to, from, bytes);
}

/// The header of the gradients of a table's rows. It is followed by the rows, if they are listed,
/// and the numbers.
struct SentGradients {
  static constexpr std::uint32_t listed = UINT32_MAX;

  std::uint32_t table;
  std::uint32_t count;  // of rows
  /// If the rows are those that the sender asked for, document by document: the first of them.
  std::uint32_t first_asked = listed;
};

/// Appends the gradients of listed rows of a table to a message.
void write_listed(std::size_t table, std::span<const std::uint32_t> rows,
                  std::span<const float> values, std::vector<std::byte>& to) {
  append(to, SentGradients{.table = static_cast<std::uint32_t>(table),
                           .count = static_cast<std::uint32_t>(rows.size())});
  append(to, rows);
  append(to, values);
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
      batch_(size()),
      next_(size()),
      asked_(size()),
      next_asked_(size()),
      values_(divided_.size()),
      to_(size()),
      dealt_(size()),
      incoming_end_(size()),
      sent_to_all_(size()) {
  for (const DividedTable& one : divided_) tables_.push_back(one.table);
  tables_.insert(tables_.end(), whole.begin(), whole.end());
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

RowRequests::Place DividedTables::place_of(std::size_t number, std::uint32_t copy) const {
  const auto per_pair = static_cast<std::uint32_t>(divided_[number].rows_per_pair);
  const auto [process, pair] = batch_.place_of(copy / per_pair);
  return {process, pair * per_pair + copy % per_pair};
}

std::size_t DividedTables::bytes_per_pair() const {
  std::size_t bytes = 0;
  for (const DividedTable& one : divided_) bytes += one.width() * sizeof(float);
  return bytes;
}

void DividedTables::write_request(const Batch& batch, std::size_t process) {
  append(to_[process], batch.counts);
  append(to_[process], next_.pairs_at(process));
}

void DividedTables::read_requests(const Batch& batch, std::vector<MessageReader>& readers) {
  counts_.resize(size() * batch.counts.size());
  for (std::size_t r = 0; r < size(); ++r) {
    readers[r].read(std::span(counts_).subspan(r * batch.counts.size(), batch.counts.size()));
    readers[r].read(next_asked_[r], readers[r].bytes_left() / sizeof(std::uint32_t));
  }
}

void DividedTables::ask(const Batch& batch) {
  next_.set(batch.shards);
  for (std::size_t r = 0; r < size(); ++r) {
    to_[r].clear();
    write_request(batch, r);
  }
  processes_.exchange(to_, from_);
  std::vector<MessageReader> readers(from_.begin(), from_.end());
  read_requests(batch, readers);
}

void DividedTables::begin_fetch() {
  std::swap(batch_, next_);
  std::swap(asked_, next_asked_);
  shard_ = 0;
  for (std::size_t r = 0; r < size(); ++r) {
    const Pairs& asked = asked_[r];
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
  processes_.begin_exchange(to_, from_);
}

void DividedTables::finish_fetch() {
  processes_.finish_exchange();
  for (std::size_t t = 0; t < divided_.size(); ++t)
    values_[t].resize(batch_.documents() * divided_[t].width());
  for (std::size_t r = 0; r < size(); ++r) {
    const std::span<const std::uint32_t> documents = batch_.documents_at(r);
    if (from_[r].size() != documents.size() * bytes_per_pair())
      throw Error("another process sent other rows than it was asked for");
    const std::byte* from = from_[r].data();
    for (std::size_t t = 0; t < divided_.size(); ++t) {
      const std::size_t width = divided_[t].width();
      float* const values = values_[t].data();
      for (const std::uint32_t document : documents) {
        copy_row(values + document * width, from, width * sizeof(float));
        from += width * sizeof(float);
      }
    }
  }
  for (std::size_t t = 0; t < divided_.size(); ++t) divided_[t].table->borrow(values_[t]);
}

bool DividedTables::are_all_of_shard(std::span<const std::uint32_t> rows) {
  if (rows.empty()) return false;
  while (shard_ < batch_.shards() &&
         (batch_.documents(shard_).empty() || batch_.documents(shard_).back() < rows.front()))
    ++shard_;
  return shard_ < batch_.shards() && std::ranges::equal(rows, batch_.documents(shard_));
}

void DividedTables::write_gradients(std::span<const RowGradientsView> own) {
  for (std::vector<std::byte>& to : to_) {
    to.clear();
    append(to, static_cast<std::uint32_t>(own.size()));
  }
  for (const RowGradientsView& entries : own) write_gradients(entries);
}

void DividedTables::write_gradients(const RowGradientsView& entries) {
  const std::size_t number = number_of(entries.table);
  if (!is_divided(number))
    for (std::vector<std::byte>& to : to_) write_listed(number, entries.rows, entries.values, to);
  else if (divided_[number].rows_per_pair == 1 && are_all_of_shard(entries.rows))
    write_all(number, entries);
  else
    write_some(number, entries);
}

void DividedTables::write_all(std::size_t number, const RowGradientsView& entries) {
  const std::size_t width = divided_[number].width(), bytes = width * sizeof(float);
  for (std::size_t r = 0; r < size(); ++r) {
    const std::span<const std::uint32_t> documents = batch_.documents_at(r, shard_);
    append(to_[r], SentGradients{.table = static_cast<std::uint32_t>(number),
                                 .count = static_cast<std::uint32_t>(documents.size()),
                                 .first_asked = static_cast<std::uint32_t>(
                                     batch_.documents_before(r, shard_))});
    const std::size_t begin = to_[r].size();
    to_[r].resize(begin + documents.size() * bytes);
    std::byte* to = to_[r].data() + begin;
    for (const std::uint32_t document : documents) {
      copy_row(to, &entries.values[(document - entries.rows.front()) * width], bytes);
      to += bytes;
    }
  }
}

void DividedTables::write_some(std::size_t number, const RowGradientsView& entries) {
  const auto columns = static_cast<std::size_t>(entries.table->columns());
  for (RowGradients& one : dealt_) {
    one.rows.clear();
    one.values.clear();
  }
  for (std::size_t i = 0; i < entries.rows.size(); ++i) {
    const auto [process, row] = place_of(number, entries.rows[i]);
    const std::span<const float> values = entries.values.subspan(i * columns, columns);
    dealt_[process].rows.push_back(row);
    dealt_[process].values.insert(dealt_[process].values.end(), values.begin(), values.end());
  }
  for (std::size_t r = 0; r < size(); ++r)
    write_listed(number, dealt_[r].rows, dealt_[r].values, to_[r]);
}

void DividedTables::read_gradients(MessageReader& reader, const Pairs& asked) {
  for (auto left = reader.read<std::uint32_t>(); left > 0; --left) {
    const auto sent = reader.read<SentGradients>();
    EmbeddingTable& table = *tables_.at(sent.table);
    if (sent.first_asked != SentGradients::listed && sent.first_asked + sent.count > asked.size())
      throw Error("another process sent gradients of rows that it had not asked for");
    const std::span<const std::uint32_t> rows =
        sent.first_asked == SentGradients::listed
            ? reader.view<std::uint32_t>(sent.count)
            : std::span(asked).subspan(sent.first_asked, sent.count);
    expect_rows(rows, table.rows());
    incoming_.push_back(
        {&table, rows, reader.view<float>(sent.count * static_cast<std::size_t>(table.columns()))});
  }
}

void DividedTables::begin_gradients(std::span<const RowGradientsView> own) {
  write_gradients(own);
  processes_.begin_exchange(to_, first_gradients_);
  began_gradients_ = true;
}

std::span<const RowGradientsView> DividedTables::send_gradients(
    std::span<const RowGradientsView> own, std::span<const std::byte> to_all, const Batch* next) {
  if (began_gradients_) processes_.finish_exchange();
  write_gradients(own);
  if (next != nullptr) next_.set(next->shards);
  for (std::size_t r = 0; r < size(); ++r) {
    append(to_[r], to_all.size());
    append(to_[r], to_all);
    if (next != nullptr) write_request(*next, r);
  }
  processes_.exchange(to_, gradients_);

  incoming_.clear();
  std::vector<MessageReader> readers(gradients_.begin(), gradients_.end());
  for (std::size_t r = 0; r < size(); ++r) {
    if (began_gradients_) {
      MessageReader first(first_gradients_[r]);
      read_gradients(first, asked_[r]);
    }
    read_gradients(readers[r], asked_[r]);
    incoming_end_[r] = incoming_.size();
    sent_to_all_[r] = readers[r].view<std::byte>(readers[r].read<std::size_t>());
  }
  began_gradients_ = false;
  if (next != nullptr) read_requests(*next, readers);
  return incoming_;
}

std::vector<double> DividedTables::gradient_squares(std::span<const RowGradientsView> own) {
  // Each sum goes back to the process that sent its terms.
  for (std::size_t r = 0, i = 0; r < size(); ++r) {
    to_[r].clear();
    for (; i < incoming_end_[r]; ++i) {
      const EmbeddingTable& table = *incoming_[i].table;
      if (!is_divided(number_of(&table))) continue;
      for (const std::uint32_t row : incoming_[i].rows)
        append(to_[r], std::span<const float>(table.record(row) + table.gradient_offset(),
                                              static_cast<std::size_t>(table.columns())));
    }
  }
  processes_.exchange(to_, from_);
  std::vector<MessageReader> sums(from_.begin(), from_.end());
  std::vector<double> squares;
  for (const RowGradientsView& entries : own) {
    const std::size_t number = number_of(entries.table);
    if (!is_divided(number)) {
      squares.push_back(entries.table->gradient_square(entries.rows, entries.values.data()));
      continue;
    }
    const auto columns = static_cast<std::size_t>(entries.table->columns());
    double square = 0;
    for (std::size_t i = 0; i < entries.rows.size(); ++i) {
      MessageReader& from = sums[place_of(number, entries.rows[i]).process];
      for (std::size_t c = 0; c < columns; ++c)
        square += static_cast<double>(entries.values[i * columns + c]) *
                  static_cast<double>(from.read<float>());
    }
    squares.push_back(square);
  }
  return squares;
}

}  // namespace ultr
