#include "data/tables/feature_rows.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::feature_rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::IsNan;

class FeatureRowsTest : public ::testing::Test {
 protected:
  FeatureRows read(const std::string& text, const FeatureRows::Columns& columns = {},
                   const std::string& name = "features.csv") const {
    return {folder_.write(name, text), columns};
  }
  std::string message(const std::string& text, const FeatureRows::Columns& columns = {}) const {
    return testing::data_message([&] { read(text, columns); });
  }
  static std::span<const float> find(const FeatureRows& rows, std::string_view query,
                                     std::string_view document) {
    return rows.find(IdNames::id_of(query), IdNames::id_of(document));
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(FeatureRowsTest, ReadsFeaturesOfDocumentsByName) {
  const FeatureRows rows = read(
      "\xef\xbb\xbfprice,document,rating\r\n19.5,\"Schuhe, \"\"rot\"\"\",\r\n-1e3,Ünïcode,4\r\n");
  EXPECT_THAT(rows.names(), ElementsAre("price", "rating"));
  EXPECT_EQ(rows.rows(), 2u);
  EXPECT_THAT(find(rows, "any", "Schuhe, \"rot\""), ElementsAre(19.5f, IsNan()));
  EXPECT_THAT(find(rows, "other", "Ünïcode"), ElementsAre(-1000, 4));
  EXPECT_THAT(find(rows, "any", "Hose"), IsEmpty());
}

TEST_F(FeatureRowsTest, ReadsFeaturesOfPairs) {
  const FeatureRows rows = read("query,document,match\nred,12,1\nblue,12,0.5\n");
  EXPECT_THAT(find(rows, "red", "12"), ElementsAre(1));
  EXPECT_THAT(find(rows, "blue", "12"), ElementsAre(0.5));
  EXPECT_THAT(find(rows, "green", "12"), IsEmpty());
}

TEST_F(FeatureRowsTest, FeaturesOfPairsNeedAColumnOfQueries) {
  FeatureRows::Columns columns;
  columns.query = "search";
  columns.of_pairs = true;
  EXPECT_THAT(message("query,document,match\nred,12,1\n", columns),
              EndsWith(":1: has no column 'search'; expected one of 'query', 'document', 'match'"));
  columns.query = "query";
  const FeatureRows rows = read("query,document,match\nred,12,1\n", columns);
  EXPECT_THAT(find(rows, "red", "12"), ElementsAre(1));
}

TEST_F(FeatureRowsTest, AnotherDelimiterIsNamed) {
  EXPECT_THAT(message("document;price\n7;1\n"),
              EndsWith(":1: has one column, 'document;price'; expected commas, or tabs in a file "
                       "whose name ends in .tsv"));
}

TEST_F(FeatureRowsTest, ColumnsAreChosenByName) {
  const FeatureRows rows =
      read("id\ttitle\tprice\trating\n7\tred\t1\t2\n",
           {.query = "title", .document = "id", .features = {"rating", "price"}}, "features.tsv");
  EXPECT_THAT(rows.names(), ElementsAre("rating", "price"));
  EXPECT_THAT(find(rows, "red", "7"), ElementsAre(2, 1));
}

TEST_F(FeatureRowsTest, MalformedFilesAreRefusedWithTheirPlace) {
  EXPECT_THAT(message("document,price\nred,1\nblue,dear\n"),
              EndsWith("features.csv:3: column 'price' is 'dear'; expected a finite number"));
  EXPECT_THAT(message("document,price\nred,nan\n"),
              EndsWith("features.csv:2: column 'price' is 'nan'; expected a finite number"));
  EXPECT_THAT(message("document,price\nred\n"),
              EndsWith("features.csv:2: 1 columns; expected 2 as in the header"));
  EXPECT_THAT(
      message("document,price\nred,1\nred,1\n"),
      EndsWith("features.csv:3: 'red' has features already; expected one row per document"));
  EXPECT_THAT(message("id,price\nred,1\n"),
              EndsWith("features.csv:1: has no column 'document'; expected one of 'id', 'price'"));
  EXPECT_THAT(message("document,price\nred,1\n", {.features = {"size"}}),
              EndsWith("has no column 'size'; expected one of 'document', 'price'"));
  EXPECT_THAT(message("document\nred\n"),
              EndsWith("features.csv:1: has no column with features; expected at least one"));
  EXPECT_THAT(message("document,price,price\nred,1,2\n"),
              EndsWith("features.csv:1: has several columns 'price'; expected one of each name "
                       "that is used"));
  EXPECT_EQ(read("document,price,price,size\nred,1,2,3\n", {.features = {"size"}}).rows(), 1u);
  EXPECT_THAT(message("document,price\n,1\n"),
              EndsWith("features.csv:2: column 'document' is empty; expected an id"));
  EXPECT_THAT(message("document,query,price\nred,,1\n"),
              EndsWith("features.csv:2: column 'query' is empty; expected an id"));
  EXPECT_THAT(message("document,price\n"),
              EndsWith("features.csv: has no row; expected a header and at least one row"));
  EXPECT_THAT(message("document,price\n\"red,1\n"), ::testing::HasSubstr("features.csv:2: "));
}

}  // namespace
}  // namespace ultr::feature_rows_test
