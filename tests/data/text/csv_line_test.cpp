#include "data/text/csv_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::csv_line_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;

TEST(CsvLineTest, SplitsAtCommas) {
  CsvLine csv;
  csv.split("a,b c,,d,");
  EXPECT_THAT(csv.fields(), ElementsAre("a", "b c", "", "d", ""));
  csv.split("");
  EXPECT_THAT(csv.fields(), ElementsAre(""));
  csv.split(",");
  EXPECT_THAT(csv.fields(), ElementsAre("", ""));
}

TEST(CsvLineTest, QuotesKeepCommasAndOneOfTwoQuotes) {
  CsvLine csv;
  csv.split(R"("a,b",c,"say ""hi""","","""","x,""y"",z")");
  EXPECT_THAT(csv.fields(), ElementsAre("a,b", "c", R"(say "hi")", "", "\"", R"(x,"y",z)"));
  csv.split(R"(a "b" c,d")");
  EXPECT_THAT(csv.fields(), ElementsAre(R"(a "b" c)", "d\"")) << "quotes within a plain field";
}

TEST(CsvLineTest, FieldsStayValidWithManyQuotes) {
  std::string line;
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    line += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\"\"\"";
    expected.push_back(std::to_string(i) + "\"");
  }
  CsvLine csv;
  csv.split(line);
  EXPECT_THAT(csv.fields(), ::testing::ElementsAreArray(expected));
}

TEST(CsvLineTest, SplitsAtOtherDelimiters) {
  CsvLine csv(';');
  csv.split("a;b,c;\"d;e\";a long field, and more;;f");
  EXPECT_THAT(csv.fields(), ElementsAre("a", "b,c", "d;e", "a long field, and more", "", "f"));
  EXPECT_EQ(data_message([&] { csv.split("\"a\"b;c"); }),
            "text after the quoted field 1; expected ';'");
}

TEST(CsvLineTest, AnUnclosedQuoteMayGoOn) {
  CsvLine csv;
  EXPECT_FALSE(csv.try_split("a,\"b"));
  EXPECT_TRUE(csv.try_split("a,\"b\nc\",d"));
  EXPECT_THAT(csv.fields(), ElementsAre("a", "b\nc", "d"));
}

TEST(CsvLineTest, RejectsUnclosedQuotesAndTextAfterThem) {
  CsvLine csv;
  const auto message = [&](std::string_view line) {
    return data_message([&] { csv.split(line); });
  };
  EXPECT_EQ(message("a,\"b,c"), "the quote of field 2 is not closed; expected '\"' at its end");
  EXPECT_EQ(message("\""), "the quote of field 1 is not closed; expected '\"' at its end");
  EXPECT_EQ(message("a,b,\"\"\""), "the quote of field 3 is not closed; expected '\"' at its end");
  EXPECT_EQ(message("\"a\"b,c"), "text after the quoted field 1; expected a comma");
  csv.split("a,b");
  EXPECT_THAT(csv.fields(), ElementsAre("a", "b")) << "it goes on after a bad line";
}

}  // namespace
}  // namespace ultr::csv_line_test
