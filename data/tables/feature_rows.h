#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/log/pair_dictionary.h"

namespace ultr {

/// Features of documents, or of query-document pairs, from a CSV file:
///
///     document,price,rating
///     "Shoes, red",19.9,4.5
///
/// The file is read as TableRecords says; tabs separate the columns of a file whose name ends in
/// .tsv or .tsv.gz. If there is a column of queries, features are those of a pair. An empty cell is
/// a missing feature. Numbers beyond the range of float become the largest float of their sign.
class FeatureRows {
 public:
  /// The columns to read, by the names in the header.
  struct Columns {
    std::string query = "query", document = "document";
    std::vector<std::string> features{};  // empty: all other columns
    bool of_pairs = false;                // the column of queries is required
  };

  /// Reads a file. Throws DataError with file, line, what was found and what was expected, if the
  /// column of documents, a feature or a required column of queries is missing or there twice, a
  /// document or query is empty, a feature is not a number, or two rows have the same document (and
  /// query).
  FeatureRows(const std::filesystem::path& file, const Columns& columns);

  /// Names of the features, in the order of the file, or of Columns.
  const std::vector<std::string>& names() const { return names_; }
  std::size_t rows() const { return static_cast<std::size_t>(rows_.rows() - 1); }
  /// Returns the features of a document for a query, by their ids (IdNames); NaN: missing. Empty if
  /// the file does not have it.
  std::span<const float> find(std::uint64_t query, std::uint64_t document) const;

 private:
  class Reading;

  std::vector<std::string> names_;
  bool by_query_ = false;
  PairDictionary rows_;  // row i + 1 of the dictionary has row i of the features
  std::vector<float> features_;
};

}  // namespace ultr
