#include "data/tables/ranker_files.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/lightgbm.h"
#include "data/formats/svmlight.h"
#include "testing/temporary_folder.h"

namespace ultr::ranker_files_test {
namespace {

using ::testing::ElementsAre;
using testing::read_text;

class RankerFilesTest : public ::testing::Test {
 protected:
  RankerFilesTest() {
    red_ = names_.add("red, shoe");
    blue_ = names_.add("blue");
  }

  /// Writes two lists, the second without evidence for a missing feature.
  void write(RankerFiles::Setting setting) {
    setting.features = {"price", "rating"};
    const auto document = [&](std::uint64_t query, std::uint64_t id, double label,
                              const std::vector<float>& features, double weight, double position) {
      RankerDocument made{.query = query, .document = id, .label = label, .features = features};
      if (setting.evidence)
        made.evidence = RankerDocument::Evidence{.weight = weight,
                                                 .relevance = 0.25,
                                                 .impressions = 20,
                                                 .clicks = 3,
                                                 .mean_position = position};
      return made;
    };
    RankerFiles files(folder_.path(), "labels", setting, names_);
    files.add(std::vector{document(1, red_, 3, full_, 0.5, 1.4),
                          document(1, blue_, 0, zero_, 0.25, 2.6)});
    files.add(std::vector{document(blue_, 12, 1, missing_, 0.125, 1)});
    files.finish();
  }
  std::string text(const std::string& name) const { return read_text(folder_.path() / name); }

  const testing::TemporaryFolder folder_;
  IdNames names_;
  std::uint64_t red_ = 0, blue_ = 0;
  const std::vector<float> full_ = {1.5, -2}, zero_ = {0, 3},
                           missing_ = {std::numeric_limits<float>::quiet_NaN(), 0.1f};
};

TEST_F(RankerFilesTest, WritesTheFilesOfXgboost) {
  write({.format = "svmlight"});
  EXPECT_EQ(folder_.size(), 3u);
  EXPECT_EQ(text("labels.svm"), "3 qid:1 1:1.5 2:-2\n0 qid:1 1:0 2:3\n1 qid:2 2:0.1\n");
  EXPECT_EQ(text("labels.svm.weight"), "0.375\n0.125\n") << "one per list";
  EXPECT_EQ(text("labels.csv"),
            "query,document,label,weight,relevance,impressions,clicks,mean_position\n"
            "1,\"red, shoe\",3,0.5,0.25,20,3,1.4\n"
            "1,blue,0,0.25,0.25,20,3,2.6\n"
            "blue,12,1,0.125,0.25,20,3,1\n");
}

TEST_F(RankerFilesTest, WritesTheFilesOfLightgbm) {
  write({.format = "lightgbm", .positions = true});
  EXPECT_EQ(folder_.size(), 5u);
  EXPECT_EQ(text("labels.txt"), "3 1:1.5 2:-2\n0 1:0 2:3\n1 1:nan 2:0.1\n");
  EXPECT_EQ(text("labels.txt.query"), "2\n1\n");
  EXPECT_EQ(text("labels.txt.weight"), "0.5\n0.25\n0.125\n") << "one per document";
  EXPECT_EQ(text("labels.txt.position"), "0\n2\n0\n");
}

TEST_F(RankerFilesTest, WritesATableWithFeatures) {
  write({.format = "csv"});
  EXPECT_EQ(folder_.size(), 1u);
  EXPECT_EQ(text("labels.csv"),
            "query,document,label,weight,relevance,impressions,clicks,mean_position,price,rating\n"
            "1,\"red, shoe\",3,0.5,0.25,20,3,1.4,1.5,-2\n"
            "1,blue,0,0.25,0.25,20,3,2.6,0,3\n"
            "blue,12,1,0.125,0.25,20,3,1,,0.1\n");
}

TEST_F(RankerFilesTest, JudgedDocumentsHaveNoEvidence) {
  write({.format = "lightgbm", .positions = true, .evidence = false});
  EXPECT_EQ(folder_.size(), 3u) << "neither weights nor positions";
  EXPECT_THAT(text("labels.csv"),
              ::testing::StartsWith("query,document,label\n1,\"red, shoe\",3\n"));
}

TEST_F(RankerFilesTest, ReadersOfRankingDataReadThem) {
  write({.format = "svmlight"});
  write({.format = "lightgbm"});
  std::vector<std::string> notes;
  const FeatureReading reading = {.missing = true};
  const FeatureLists svmlight =
                         SvmlightFormat().read({folder_.path() / "labels.svm"}, reading, notes),
                     lightgbm =
                         LightgbmFormat().read({folder_.path() / "labels.txt"}, reading, notes);
  for (const FeatureLists* read : {&svmlight, &lightgbm}) {
    ASSERT_EQ(read->lists(), 2u);
    EXPECT_THAT((*read)[0].labels, ElementsAre(3, 0));
    EXPECT_THAT((*read)[0].features, ElementsAre(1.5, -2, 0, 3));
  }
  EXPECT_THAT(svmlight[1].features, ElementsAre(0, 0.1f)) << "it does not say what is missing";
  EXPECT_THAT(lightgbm[1].features, ElementsAre(::testing::IsNan(), 0.1f));
}

TEST_F(RankerFilesTest, LabelsThatAreNotWholeKeepTheirDigits) {
  RankerFiles files(folder_.path(), "labels", {.evidence = false}, names_);
  files.add(
      std::vector{RankerDocument{.query = 1, .document = 2, .label = 1.584963, .features = full_}});
  files.finish();
  EXPECT_EQ(text("labels.svm"), "1.58496 qid:1 1:1.5 2:-2\n");
}

}  // namespace
}  // namespace ultr::ranker_files_test
