#include "data/tables/table_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/temporary_folder.h"

namespace ultr::table_records_test {
namespace {

using Fields = std::vector<std::string>;
using Rows = std::vector<Fields>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The records of a text, each after the number of its line. A malformed one is its message.
Rows rows_of(const std::string& text, char delimiter = ',') {
  const testing::TemporaryFolder folder;
  TableRecords records(folder.write("table", text), delimiter);
  Rows rows;
  for (;;) {
    try {
      if (!records.next()) return rows;
      rows.push_back({std::to_string(records.line())});
      for (const std::string_view field : records.fields()) rows.back().emplace_back(field);
    } catch (const MalformedRecord& error) {
      rows.push_back({std::to_string(records.line()), error.what()});
    }
  }
}

TEST(TableRecordsTest, SplitsAtAnyDelimiterWhateverTheEndsOfLines) {
  const Rows rows = {{"1", "a", "b,c"}, {"3", "", "d"}};
  EXPECT_EQ(rows_of("a;b,c\n\n;d", ';'), rows);
  EXPECT_EQ(rows_of("a;b,c\r\n\r\n;d\r\n", ';'), rows);
  EXPECT_EQ(rows_of("\xef\xbb\xbf"
                    "a\tb,c\n\n\td\n",
                    '\t'),
            rows)
      << "a byte-order mark";
}

TEST(TableRecordsTest, LinesWithoutAQuoteAtTheBeginOfAFieldAreSplitAtDelimiters) {
  std::string text;
  Rows expected;
  for (std::uint64_t line = 1; line <= 5000; ++line) {
    RandomStream random(1, RandomPurpose::testing, 0, line);
    Fields fields(1 + random.below(7));
    for (std::string& field : fields) {
      field.resize(random.below(20), 'x');
      for (char& byte : field) byte = "a0;-\t\"\xff\x0b"[random.below(8)];
      if (field.starts_with('"')) field.front() = ' ';
    }
    if (fields.size() == 1 && fields[0].empty()) fields[0] = "a";
    for (const std::string& field : fields) text += &field == fields.data() ? field : ',' + field;
    text += line % 3 == 0 ? "\r\n" : "\n";
    expected.push_back(std::move(fields));
    expected.back().insert(expected.back().begin(), std::to_string(line));
  }
  EXPECT_EQ(rows_of(text), expected);
}

TEST(TableRecordsTest, QuotedFieldsMayHaveDelimitersQuotesAndLineBreaks) {
  EXPECT_EQ(rows_of("1,\"a,\nb \"\"c\"\"\n\n,d\",2\r\nx,y,z\n"),
            (Rows{{"1", "1", "a,\nb \"c\"\n\n,d", "2"}, {"5", "x", "y", "z"}}));
  EXPECT_EQ(rows_of("\xef\xbb\xbf\"a\nb\"\nc\n"), (Rows{{"1", "a\nb"}, {"3", "c"}}));
}

TEST(TableRecordsTest, AStrayQuoteSpoilsItsLineOnly) {
  for (const int lines : {3, 500}) {
    std::string text = "a,\"b\n";
    for (int i = 0; i < lines; ++i) text += "c,d\n";
    const Rows rows = rows_of(text);
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(lines) + 1);
    EXPECT_THAT(rows[0], ElementsAre("1", HasSubstr("the quote of field 2 is not closed")));
    for (std::size_t i = 1; i < rows.size(); ++i)
      EXPECT_THAT(rows[i], ElementsAre(std::to_string(i + 1), "c", "d"));
  }
  const Rows rows = rows_of("\"a\nb\"c,d\n\"e\nf\",g\n");
  ASSERT_EQ(rows.size(), 3u) << "text after a quote on a later line";
  EXPECT_THAT(rows[0], ElementsAre("1", HasSubstr("text after the quoted field 1")));
  EXPECT_THAT(rows[1], ElementsAre("2", "b\"c", "d"));
  EXPECT_THAT(rows[2], ElementsAre("3", "e\nf", "g"));
}

}  // namespace
}  // namespace ultr::table_records_test
