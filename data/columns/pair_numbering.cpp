#include "data/columns/pair_numbering.h"

#include <array>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/npy_cursor.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

constexpr int part_bits = 5;
constexpr std::size_t part_count = std::size_t{1} << part_bits;
constexpr std::uint64_t most_pairs = std::numeric_limits<std::uint32_t>::max();

}  // namespace

/// The documents whose pairs did not fit into the table, distributed over parts on the disk.
class PairNumbering::Overflow {
 public:
  Overflow(const fs::path& folder, std::size_t memory, int level)
      : folder_(folder / "overflow"), memory_(memory), level_(level) {}

  void add(std::uint64_t query, std::uint64_t document) {
    // Splitting by query keeps its documents together. Every second level splits by pair, since one
    // query may have too many documents for the table.
    const std::uint64_t hash =
        level_ % 2 == 0 ? PairTable::hash(query) : PairTable::hash(query, document);
    const auto part =
        static_cast<std::uint8_t>(hash >> part_bits * (level_ / 2) % 64 & (part_count - 1));
    auto& pairs = pairs_[part];
    if (!pairs)
      pairs = std::make_unique<NpyStream<std::uint64_t>>(folder_.temporary() /
                                                         fmt::format("{}.pairs", part));
    part_of_.push_back(part);
    pairs->append(std::array{query, document});
  }

  /// Numbers each part by itself, then the pairs of all parts in the order of their first
  /// appearance. Adds these pairs to `to` and fills in its missing rows.
  void number(PairNumbering& to, const std::function<void()>& check) {
    number_parts(check);
    number_pairs(to, check);
    put_rows(to, check);
  }

 private:
  struct Part {
    std::unique_ptr<PairNumbering> numbering;        // null: the part has no document
    std::unique_ptr<NpyStream<std::uint32_t>> rows;  // of its pairs in the whole log
  };

  void number_parts(const std::function<void()>& check) {
    for (std::size_t part = 0; part < part_count; ++part) {
      const auto pairs = std::move(pairs_[part]);  // its file is removed at the end of this scope
      if (!pairs) continue;
      const fs::path folder = folder_.temporary() / std::to_string(part);
      std::error_code ignored;  // writing files in it reports the error
      fs::create_directory(folder, ignored);
      auto numbering =
          std::unique_ptr<PairNumbering>(new PairNumbering(folder, memory_, level_ + 1));
      for_each_npy_block<std::uint64_t>(*pairs, check, [&](std::size_t, auto values) {
        ListIds lists;
        for (std::size_t i = 0; i < values.size();) {
          const std::uint64_t query = values[i];
          documents_.clear();
          for (; i < values.size() && values[i] == query; i += 2)
            documents_.push_back(values[i + 1]);
          lists.add(query, documents_);
        }
        numbering->add(lists);
      });
      numbering->number_all(check);
      parts_[part] = {std::move(numbering),
                      std::make_unique<NpyStream<std::uint32_t>>(folder / "rows")};
    }
  }

  void number_pairs(PairNumbering& to, const std::function<void()>& check) {
    struct Cursors {
      NpyCursor<std::uint32_t> rows;
      NpyCursor<std::uint64_t> queries, documents;
      std::uint32_t seen = 0;  // number of the part's pairs that have appeared
    };
    std::vector<std::unique_ptr<Cursors>> cursors(part_count);
    for (std::size_t part = 0; part < part_count; ++part)
      if (PairNumbering* const numbering = parts_[part].numbering.get())
        cursors[part] = std::make_unique<Cursors>(Cursors{NpyCursor(numbering->rows_),
                                                          NpyCursor(numbering->queries_),
                                                          NpyCursor(numbering->documents_)});
    for_each_npy_block<std::uint8_t>(part_of_, check, [&](std::size_t, auto values) {
      for (const std::uint8_t part : values) {
        Cursors& cursor = *cursors[part];
        const std::uint32_t row = cursor.rows.next();
        if (row <= cursor.seen) continue;
        cursor.seen = row;  // the pair appears for the first time
        parts_[part].rows->push_back(to.next_row());
        to.add_pair(cursor.queries.next(), cursor.documents.next());
      }
    });
  }

  void put_rows(PairNumbering& to, const std::function<void()>& check) {
    std::vector<std::uint32_t> row_of;
    for (Part& part : parts_) {
      if (!part.numbering) continue;
      row_of.resize(part.rows->size());
      part.rows->read(0, row_of);
      NpyStream<std::uint32_t>& rows = part.numbering->rows_;
      for_each_npy_block<std::uint32_t>(rows, check, [&](std::size_t first, auto values) {
        for (std::uint32_t& row : values) row = row_of[row - 1];
        rows.overwrite(first, values);
      });
    }
    std::vector<NpyCursor<std::uint32_t>> rows;  // that of an empty part is never read
    for (Part& part : parts_) rows.emplace_back(part.numbering ? part.numbering->rows_ : to.rows_);
    NpyCursor<std::uint8_t> part_of(part_of_);
    for_each_npy_block<std::uint32_t>(to.rows_, check, [&](std::size_t first, auto values) {
      for (std::uint32_t& row : values)
        if (row == PairDictionary::unknown) row = rows[part_of.next()].next();
      to.rows_.overwrite(first, values);
    });
  }

  NewFolder folder_;  // never finished, so that it is removed in the end
  std::size_t memory_;
  int level_;
  NpyStream<std::uint8_t> part_of_{folder_.temporary() / "parts"};  // one entry per document
  // Query and document id of each document of a part; null if the part has none.
  std::array<std::unique_ptr<NpyStream<std::uint64_t>>, part_count> pairs_;
  std::array<Part, part_count> parts_;
  std::vector<std::uint64_t> documents_;  // consecutive documents of one query in a part
};

PairNumbering::PairNumbering(const fs::path& folder, std::size_t memory, int level)
    : folder_(folder),
      memory_(memory),
      level_(level),
      table_(memory),
      rows_(folder / pairs_file),
      queries_(folder / PairDictionary::query_file),
      documents_(folder / PairDictionary::document_file) {
  if (level > 0) return;
  queries_.push_back(0);  // row 0
  documents_.push_back(0);
}

PairNumbering::~PairNumbering() = default;

std::uint32_t PairNumbering::next_row() const {
  if (pairs_ == most_pairs)
    throw DataError("2^32 query-document pairs; expected fewer, or ids=hash");
  return static_cast<std::uint32_t>(pairs_ + 1);
}

void PairNumbering::add_pair(std::uint64_t query, std::uint64_t document) {
  ++pairs_;
  queries_.push_back(query);
  documents_.push_back(document);
  if (level_ == 0) id_.add(query, document);
}

void PairNumbering::number(std::uint64_t query, std::span<const std::uint64_t> documents,
                           std::span<std::uint32_t> rows) {
  std::uint64_t next = pairs_ + 1;
  table_.find_or_add(query, documents, next, rows);
  rows_.append(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == next) {
      add_pair(query, documents[i]);
      ++next;
    } else if (rows[i] == PairDictionary::unknown) {
      if (!overflow_) overflow_ = std::make_unique<Overflow>(folder_, memory_, level_);
      overflow_->add(query, documents[i]);
    }
  }
}

void PairNumbering::number_all(const std::function<void()>& check) {
  table_.clear();
  if (overflow_) overflow_->number(*this, check);
  overflow_.reset();
}

void PairNumbering::finish(const std::function<void()>& check) {
  number_all(check);
  rows_.finish();
  queries_.finish();
  documents_.finish();
  write_dictionary_id(folder_, id_.value());
}

}  // namespace ultr
