#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/log/id_names.h"

namespace ultr {

/// A document to train or to judge a ranker on.
struct RankerDocument {
  std::uint64_t query = 0, document = 0;  // ids
  double label = 0;
  std::span<const float> features = {};  // NaN: missing
  /// The clicks behind a label; judged documents have none.
  struct Evidence {
    double weight = 1, relevance = 0;
    double impressions = 0, clicks = 0;
    double mean_position = 1;  // displayed, from 1
  };
  std::optional<Evidence> evidence{};
};

/// Writes lists of documents as rankers read them, into files of a folder whose names start with
/// `stem`:
///
///     csv         stem.csv: query and document by name, label, evidence, features
///     svmlight    stem.svm (label qid:1 1:0.5 3:1; a missing feature is left out), stem.svm.weight
///                 with one weight per list, as XGBoost takes them for ranking, and stem.csv
///                 without features, which names the documents line by line
///     lightgbm    stem.txt (label 1:0.5 2:nan 3:1, where nan is a missing feature) with list sizes
///                 in stem.txt.query and one weight per document in stem.txt.weight, and stem.csv
///                 likewise; if asked for, rounded mean positions from 0 in stem.txt.position
///
/// Files without evidence have no weights and no positions.
class RankerFiles {
 public:
  struct Setting {
    std::string format = "svmlight";
    bool positions = false;
    bool evidence = true;                    // all documents have it, or else none
    std::vector<std::string> features = {};  // names
  };

  /// Creates the files. All functions throw DataError if the system refuses.
  RankerFiles(const std::filesystem::path& folder, const std::string& stem, Setting setting,
              const IdNames& names);

  /// Appends a list of documents, at least one.
  void add(std::span<const RankerDocument> list);
  /// Gives the files their names.
  void finish();

 private:
  NewFile& create(const std::filesystem::path& file) { return files_.emplace_back(file); }
  std::string table_header() const;
  void add_table_row(const RankerDocument& document, std::string& text) const;
  void add_sparse_row(const RankerDocument& document, std::string& text) const;

  Setting setting_;
  const IdNames& names_;
  std::deque<NewFile> files_;
  NewFile *table_ = nullptr, *rows_ = nullptr, *sizes_ = nullptr, *weights_ = nullptr,
          *positions_ = nullptr;
  std::uint64_t lists_ = 0;
};

}  // namespace ultr
