#include "data/columns/click_columns.h"

#include "data/log/pair_dictionary.h"

namespace ultr {

ClickColumns::ClickColumns(const std::filesystem::path& folder, std::size_t lists,
                           std::size_t documents, std::uint64_t dictionary_id, bool ids)
    : offsets_(folder / "offsets.npy", lists + 1),
      queries_(folder / "queries.npy", lists),
      pairs_(folder / pairs_file, documents),
      clicks_(folder / "clicks.npy", documents) {
  if (ids) documents_.emplace(folder / "documents.npy", documents);
  write_dictionary_id(folder, dictionary_id);
  offsets_.push_back(0);
}

void ClickColumns::add(const SessionLog& log) {
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    offsets_.push_back(written_ += static_cast<std::int64_t>(log.length(i)));
    queries_.push_back(log[i].query);
  }
  pairs_.append(log.rows());
  clicks_.append(log.clicks());
  if (documents_)
    for (const std::uint32_t row : log.rows()) documents_->push_back(row);
}

void ClickColumns::finish() {
  offsets_.finish();
  queries_.finish();
  pairs_.finish();
  clicks_.finish();
  if (documents_) documents_->finish();
}

std::uint64_t write_dictionary(const std::filesystem::path& folder, std::uint64_t rows,
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
