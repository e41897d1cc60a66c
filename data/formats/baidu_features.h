#pragma once

#include "data/features/lexical_features.h"
#include "data/formats/feature_format.h"

namespace ultr {

/// What the formats of Baidu-ULTR share: features are computed from the words (lexical_features.h)
/// over a corpus, which is read before.
class BaiduFeatureFormat : public FeatureTextFormat {
 public:
  void fields(Fields& f) override;
  void locate_files(const std::function<std::string(const std::string& file)>& find) final;
  /// Of the files, and of the corpus, which is read first.
  std::uint64_t bytes_to_read(const Files& files) const final;

 protected:
  /// A document with its words.
  struct Document {
    FeatureDocument columns;
    TokenText text;
  };
  /// A query with its documents.
  struct List {
    std::uint64_t query = 0;
    std::vector<Token> words = {};
    std::vector<Document> documents = {};
  };

  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const final;
  /// Hands over the lists of a file; `prepare`: without what Hager et al. leave out.
  virtual ReadReport read_lists(const std::filesystem::path& file, const ReadRules& rules,
                                bool prepare,
                                const std::function<void(const List&)>& take) const = 0;

 private:
  bool prepare_ = false;
  std::vector<std::string> corpus_;
};

}  // namespace ultr
