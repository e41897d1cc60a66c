#pragma once

#include "data/formats/baidu_lines.h"
#include "data/formats/feature_format.h"

namespace ultr {

/// Base of the Baidu-ULTR formats. Computes the lexical features (lexical_features.h) of each query
/// and document. Word statistics come from a corpus, which is read first.
class BaiduFeatureFormat : public FeatureTextFormat {
 public:
  void fields(Fields& f) override;
  bool may_have_words() const final { return words_; }
  void locate_files(const std::function<std::string(const std::string& file)>& find) final;
  /// Returns the bytes of the files plus those of the corpus, which is read first.
  std::uint64_t bytes_to_read(const Files& files) const final;

 protected:
  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const final;
  /// Passes each list of a file to `take`. With `prepare`, drops the documents and lists that Hager
  /// et al. drop (see fewest_prepared_documents).
  virtual ReadReport read_lists(const std::filesystem::path& file, const ReadRules& rules,
                                bool prepare,
                                const std::function<void(const BaiduList&)>& take) const = 0;

 private:
  bool prepare_ = false, words_ = false;
  std::vector<std::string> corpus_;
};

}  // namespace ultr
