#include "data/formats/baidu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/baidu_text.h"
#include "data/read_features.h"
#include "data/readers.h"

namespace ultr::baidu_features_test {
namespace {

using testing::baidu_annotation;
using testing::baidu_document;
using testing::baidu_query;
using testing::data_message;
using testing::read_features;
using testing::TemporaryFolder;

TEST(BaiduFeaturesTest, WordsAreCountedOverTheCorpus) {
  const TemporaryFolder folder;
  const auto clicks =
      folder.write("part-00000", baidu_query({1}) + baidu_document(1, 1, {1}, {2}, 0) +
                                     baidu_document(2, 2, {3}, {4, 5}, 0));
  const auto labels = folder.write("annotations.txt", baidu_annotation(0, {1}, {1}, {9}, 3));
  TokenCorpus of_clicks, of_labels;
  of_clicks.add({{1}, {2}});
  of_clicks.add({{3}, {4, 5}});
  of_labels.add({{1}, {9}});
  const auto read = [&](const std::string& options) {
    const FeatureLists lists = read_features("baidu_annotations", {labels}, options).lists;
    return testing::values(lists[0].features);
  };
  const std::vector<Token> query = {1};
  EXPECT_THAT(read("prepare: false"),
              ::testing::ElementsAreArray(lexical_features(query, {{1}, {9}}, of_labels)))
      << "of the files that are read";
  EXPECT_THAT(read("corpus: " + clicks.string()),
              ::testing::ElementsAreArray(lexical_features(query, {{1}, {9}}, of_clicks)));
  TokenCorpus both = of_clicks;
  both.add({{1}, {9}});
  EXPECT_THAT(read("corpus: [" + clicks.string() + ", " + labels.string() + "]"),
              ::testing::ElementsAreArray(lexical_features(query, {{1}, {9}}, both)));
}

TEST(BaiduFeaturesTest, ReadsAndLocatesTheCorpusOfItsOptions) {
  const TemporaryFolder folder;
  const auto labels = folder.write("annotations.txt", baidu_annotation(0, {1}, {1}, {9}, 3));
  const std::string missing = folder.path() / "missing";
  EXPECT_EQ(
      data_message([&] { read_features("baidu_annotations", {labels}, "corpus: " + missing); }),
      missing + ": cannot be opened (No such file or directory); expected a file to read");

  const Choice choice(feature_formats(), "baidu_annotations", "format");
  read_options(parse_config("corpus: near", "options"), *choice.options);
  auto& format = choice.as<FeatureFormat>();
  format.locate_files([&](const std::string& file) {
    EXPECT_EQ(file, "near");
    return labels.string();
  });
  std::vector<std::string> notes;
  EXPECT_EQ(format.read({labels}, {}, notes).documents(), 1u);
  EXPECT_EQ(format.bytes_to_read({labels}), 2 * std::filesystem::file_size(labels));
}

}  // namespace
}  // namespace ultr::baidu_features_test
