#include "data/click_columns.h"

#include <array>

#include "data/pair_dictionary.h"

namespace ultr {

ClickColumns::ClickColumns(const std::filesystem::path& folder, std::size_t lists,
                           std::size_t documents, std::uint64_t dictionary_id, bool ids)
    : offsets_(folder / "offsets.npy", lists + 1),
      queries_(folder / "queries.npy", lists),
      pairs_(folder / pairs_file, documents),
      clicks_(folder / "clicks.npy", documents) {
  if (ids) documents_.emplace(folder / "documents.npy", documents);
  write_dictionary_id(folder, dictionary_id);
  offsets_.append(std::array<std::int64_t, 1>{0});
}

void ClickColumns::add(const SessionLog& log) {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> queries;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    offsets.push_back(written_ += static_cast<std::int64_t>(log.length(i)));
    queries.push_back(log[i].query);
  }
  offsets_.append(offsets);
  queries_.append(queries);
  pairs_.append(log.rows());
  clicks_.append(log.clicks());
  if (documents_)
    documents_->append(std::vector<std::uint64_t>(log.rows().begin(), log.rows().end()));
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
  constexpr std::uint64_t rows_at_a_time = 1 << 16;
  PairDictionaryId id;
  NpyStream<std::uint64_t> queries(folder / PairDictionary::query_file, rows);
  NpyStream<std::uint64_t> documents(folder / PairDictionary::document_file, rows);
  std::vector<std::uint64_t> of_queries = {0}, of_documents = {0};  // row 0
  for (std::uint64_t row = 1; row < rows || !of_queries.empty();) {
    for (; row < rows && of_queries.size() < rows_at_a_time; ++row) {
      of_queries.push_back(query(row));
      of_documents.push_back(document(row));
      id.add(of_queries.back(), of_documents.back());
    }
    queries.append(of_queries);
    documents.append(of_documents);
    of_queries.clear();
    of_documents.clear();
  }
  queries.finish();
  documents.finish();
  write_dictionary_id(folder, id.value());
  return id.value();
}

}  // namespace ultr
