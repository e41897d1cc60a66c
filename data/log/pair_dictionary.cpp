#include "data/log/pair_dictionary.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/npy.h"
#include "base/mix_bits.h"
#include "data/log/pair_lookups.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_hash_rows = std::uint64_t{1} << 32;

/// Spreads consecutive ids, which are common.
std::uint64_t hash_of(std::uint64_t query, std::uint64_t document) {
  return mix_bits(query * 0x9E3779B97F4A7C15u + document);
}

[[noreturn]] void refuse_hashed() {
  throw DataError("the dictionary is hashed; expected one that stores its pairs");
}

[[noreturn]] void refuse_too_many() {
  throw DataError("2^32 query-document pairs; expected fewer");
}

/// Calls look(query, documents, their rows) for each list, and appends these rows to `all`.
template <class Look>
void append_rows(const PairTable& table, const ListIds& lists, std::vector<std::uint32_t>& all,
                 const Look& look) {
  look_up_pairs(table, lists, [&](std::uint64_t query, auto documents, auto rows) {
    look(query, documents, rows);
    all.insert(all.end(), rows.begin(), rows.end());
  });
}

}  // namespace

void PairDictionaryId::add(std::uint64_t query, std::uint64_t document) {
  value_ = mix_bits((value_ ^ hash_of(query, document)) + 0x9E3779B97F4A7C15u);
}

PairDictionary PairDictionary::hashed(std::int64_t rows) {
  if (rows < 2 || static_cast<std::uint64_t>(rows) > most_hash_rows)
    throw DataError(
        fmt::format("a dictionary of {} hashed rows; expected 2 to {}", rows, most_hash_rows));
  PairDictionary dictionary;
  dictionary.hash_rows_ = static_cast<std::uint64_t>(rows);
  return dictionary;
}

std::uint32_t PairDictionary::add(std::uint64_t query, std::uint64_t document) {
  std::uint32_t row = unknown;
  add(query, {&document, 1}, {&row, 1});
  return row;
}

void PairDictionary::add(std::uint64_t query, std::span<const std::uint64_t> documents,
                         std::span<std::uint32_t> rows) {
  if (is_hashed()) return find(query, documents, rows);
  index();
  table_.find_or_add(query, documents, queries_.size(), rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == unknown) refuse_too_many();
    if (rows[i] < queries_.size()) continue;
    queries_.push_back(query);
    documents_.push_back(documents[i]);
    id_.add(query, documents[i]);
  }
}

void PairDictionary::add(const ListIds& lists, std::vector<std::uint32_t>& rows) {
  index();
  append_rows(table_, lists, rows, [&](auto... list) { add(list...); });
}

std::uint32_t PairDictionary::find(std::uint64_t query, std::uint64_t document) const {
  std::uint32_t row = unknown;
  find(query, {&document, 1}, {&row, 1});
  return row;
}

void PairDictionary::find(std::uint64_t query, std::span<const std::uint64_t> documents,
                          std::span<std::uint32_t> rows) const {
  if (is_hashed()) {
    for (std::size_t i = 0; i < rows.size(); ++i)  // uniform on 1 .. rows - 1
      rows[i] = static_cast<std::uint32_t>(
          PairTable::place_of(hash_of(query, documents[i]), *hash_rows_ - 1) + 1);
  } else if (mapped_) {
    throw Error("PairDictionary: a lookup in a mapped dictionary; expected index() first");
  } else {
    table_.find(query, documents, rows);
  }
}

void PairDictionary::find(const ListIds& lists, std::vector<std::uint32_t>& rows) const {
  append_rows(table_, lists, rows, [&](auto... list) { find(list...); });
}

std::int64_t PairDictionary::rows() const {
  if (is_hashed()) return static_cast<std::int64_t>(*hash_rows_);
  if (mapped_) return static_cast<std::int64_t>(mapped_->queries.size());
  return static_cast<std::int64_t>(queries_.size());
}

std::uint64_t PairDictionary::id() const {
  if (is_hashed()) return mix_bits(*hash_rows_);
  if (!mapped_) return id_.value();
  if (mapped_->id) return *mapped_->id;
  PairDictionaryId id;
  for (std::size_t row = 1; row < mapped_->queries.size(); ++row)
    id.add(mapped_->queries[row], mapped_->documents[row]);
  return id.value();
}

bool PairDictionary::begins_with(const PairDictionary& other) const {
  if (is_hashed() || other.is_hashed() || rows() <= other.rows()) return id() == other.id();
  const auto begin_alike = [](const std::vector<std::uint64_t>& all,
                              const std::vector<std::uint64_t>& some) {
    return std::equal(some.begin(), some.end(), all.begin());
  };
  return begin_alike(queries(), other.queries()) && begin_alike(documents(), other.documents());
}

std::vector<std::uint64_t> PairDictionary::queries() const {
  if (is_hashed()) refuse_hashed();
  if (mapped_) return {mapped_->queries.begin(), mapped_->queries.end()};
  return queries_;
}

std::vector<std::uint64_t> PairDictionary::documents() const {
  if (is_hashed()) refuse_hashed();
  if (mapped_) return {mapped_->documents.begin(), mapped_->documents.end()};
  return documents_;
}

void PairDictionary::save(const fs::path& folder) const {
  names_.save(folder);
  if (is_hashed()) {
    write_npy(folder / hash_file, std::vector<std::uint64_t>{*hash_rows_});
  } else if (mapped_) {  // copies the files, since the pairs may not fit into memory
    ultr::copy_file(mapped_->folder / query_file, folder / query_file);
    ultr::copy_file(mapped_->folder / document_file, folder / document_file);
  } else {
    write_npy(folder / query_file, queries_);
    write_npy(folder / document_file, documents_);
  }
}

bool PairDictionary::exists_in(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / hash_file, ignored) || fs::exists(folder / query_file, ignored);
}

PairDictionary PairDictionary::map(const fs::path& folder) {
  if (!exists_in(folder))
    throw DataError(fmt::format("{}: has no dictionary; expected {} and {}, or {}", folder.string(),
                                query_file, document_file, hash_file));
  std::error_code ignored;
  if (fs::exists(folder / hash_file, ignored)) {
    const auto rows = read_npy<std::uint64_t>(folder / hash_file);
    if (rows.size() != 1 || rows[0] < 2 || rows[0] > most_hash_rows)
      throw DataError(fmt::format(
          "{}: holds {}; expected the number of rows, 2 to {}", (folder / hash_file).string(),
          rows.size() == 1 ? std::to_string(rows[0]) : fmt::format("{} numbers", rows.size()),
          most_hash_rows));
    PairDictionary dictionary = hashed(static_cast<std::int64_t>(rows[0]));
    dictionary.names_ = IdNames::load(folder);
    return dictionary;
  }
  Mapped mapped{.folder = folder,
                .queries = map_npy<std::uint64_t>(folder / query_file).values,
                .documents = map_npy<std::uint64_t>(folder / document_file).values};
  if (mapped.queries.size() != mapped.documents.size() || mapped.queries.empty())
    throw DataError(
        fmt::format("{}: the dictionary has {} queries and {} documents; expected "
                    "equally many, at least 1",
                    folder.string(), mapped.queries.size(), mapped.documents.size()));
  if (fs::exists(folder / dictionary_id_file, ignored)) mapped.id = read_dictionary_id(folder);
  PairDictionary dictionary;
  dictionary.mapped_ = std::move(mapped);
  dictionary.names_ = IdNames::load(folder);
  return dictionary;
}

std::uint64_t read_dictionary_id(const fs::path& folder) {
  const fs::path file = folder / dictionary_id_file;
  const auto id = read_npy<std::uint64_t>(file);
  if (id.size() != 1)
    throw DataError(
        fmt::format("{}: {} entries; expected one, the dictionary's id", file.string(), id.size()));
  return id[0];
}

void write_dictionary_id(const fs::path& folder, std::uint64_t id) {
  write_npy(folder / dictionary_id_file, std::vector<std::uint64_t>{id});
}

PairDictionary PairDictionary::load(const fs::path& folder) {
  PairDictionary dictionary = map(folder);
  dictionary.index();
  return dictionary;
}

PairTable PairDictionary::table(const std::function<void()>& check) const {
  constexpr std::size_t rows_at_once = std::size_t{1} << 20;  // between two releases
  constexpr std::size_t longest_list = 256;
  PairTable table(std::numeric_limits<std::size_t>::max());
  if (!mapped_) return table;
  const Column<std::uint64_t>&queries = mapped_->queries, &documents = mapped_->documents;
  std::uint64_t row = 1;
  const auto add = [&](std::uint64_t query, auto of_query, auto rows) {
    table.find_or_add(query, of_query, row, rows);
    for (const std::uint32_t found : rows) {
      if (found == unknown) refuse_too_many();
      if (found != row++)
        throw DataError(fmt::format("{}: row {} of the dictionary repeats a pair",
                                    mapped_->folder.string(), row - 1));
    }
  };
  PairLookups lookups;
  std::size_t released = 0;
  for (std::size_t begin = 1, end = 1; begin < queries.size(); begin = end) {
    while (end < std::min(queries.size(), begin + longest_list) && queries[end] == queries[begin])
      ++end;
    lookups.add(table, queries[begin], documents.values().subspan(begin, end - begin), add);
    if (end == queries.size()) lookups.finish(add);
    if (end - released < rows_at_once && end < queries.size()) continue;
    queries.release(0, end);
    documents.release(0, end);
    if (check) check();
    released = end;
  }
  return table;
}

void PairDictionary::index() {
  if (!mapped_) return;
  table_ = table();
  queries_ = queries();
  documents_ = documents();
  mapped_.reset();
  for (std::size_t row = 1; row < queries_.size(); ++row) id_.add(queries_[row], documents_[row]);
}

std::uint64_t write_dictionary(const fs::path& folder, std::uint64_t rows,
                               const std::function<std::uint64_t(std::uint64_t row)>& query,
                               const std::function<std::uint64_t(std::uint64_t row)>& document) {
  PairDictionaryId id;
  NpyStream<std::uint64_t> queries(folder / PairDictionary::query_file, rows);
  NpyStream<std::uint64_t> documents(folder / PairDictionary::document_file, rows);
  queries.push_back(0);  // row 0, the unknown pair
  documents.push_back(0);
  for (std::uint64_t row = 1; row < rows; ++row) {
    const std::uint64_t its_query = query(row), its_document = document(row);
    queries.push_back(its_query);
    documents.push_back(its_document);
    id.add(its_query, its_document);
  }
  queries.finish();
  documents.finish();
  write_dictionary_id(folder, id.value());
  return id.value();
}

}  // namespace ultr
