#include "data/formats/baidu_features.h"

#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "base/error.h"
#include "data/text/line_fields.h"

namespace ultr {

void BaiduFeatureFormat::fields(Fields& f) {
  FeatureTextFormat::fields(f);
  f.boolean("prepare", prepare_,
            "Drop placeholder documents, then lists with fewer than five documents.");
  f.boolean("words", words_, "Keep the words of queries and documents, for cross-encoders.");
  f.texts("corpus", corpus_,
          "Click logs or annotations whose documents supply the word statistics; empty: the "
          "files that are read.");
}

void BaiduFeatureFormat::locate_files(const std::function<std::string(const std::string&)>& find) {
  for (std::string& file : corpus_) file = find(file);
}

std::uint64_t BaiduFeatureFormat::bytes_to_read(const Files& files) const {
  const Files corpus(corpus_.begin(), corpus_.end());
  return FeatureTextFormat::bytes_to_read(files) +
         FeatureTextFormat::bytes_to_read(corpus.empty() ? files : corpus);
}

FeatureTextFormat::FileReader BaiduFeatureFormat::file_reader(const Files& files,
                                                              const FeatureReading& reading,
                                                              const ReadRules& rules) const {
  constexpr std::size_t features = lexical_feature_names.size();
  if (reading.features != 0 && reading.features != features)
    throw DataError(fmt::format("{}: gives {} features; expected {} as in the training files",
                                files.front().string(), features, reading.features));
  const auto corpus = std::make_shared<TokenCorpus>();
  for (const std::filesystem::path& file :
       corpus_.empty() ? files : Files(corpus_.begin(), corpus_.end()))
    read_baidu_corpus(file, rules, *corpus);
  return [this, corpus](const std::filesystem::path& file, const ReadRules& file_rules,
                        FeatureListsBuilder& into) {
    ReadReport report = read_lists(file, file_rules, prepare_, [&](const BaiduList& list) {
      into.start_list(list.query);
      for (const BaiduDocument& document : list.documents) {
        const auto values = lexical_features(list.words, document.text, *corpus);
        std::copy(values.begin(), values.end(), into.add(document.columns, features).begin());
        if (words_) add_words(list.words, document.text, into);
      }
    });
    expect_lists(file, report, "at least one query with documents");
    return report;
  };
}

}  // namespace ultr
