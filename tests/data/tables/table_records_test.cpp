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

/// The records, each after the number of its line. A malformed one is its message.
Rows rows_of(TableRecords& records) {
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

/// The records of a text.
Rows rows_of(const std::string& text, char delimiter = ',') {
  const testing::TemporaryFolder folder;
  TableRecords records(folder.write("table", text), delimiter);
  return rows_of(records);
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

TEST(TableRecordsTest, APartLeavesARecordThatGoesOnAfterIt) {
  const std::string spare(64, '"'),
      text =
          "\"a\nb\",c\n\nd,\"e\r\n\n\"\"f\"\r\n\"g\nh\"x,i\nj,\"k\nl,m\nn,\"o\n"
          "p\",q\nr,\"s\n",
      whole = text + std::string(2 * TableRecords::most_lines, '\n');
  const Rows expected = rows_of(whole);
  ASSERT_EQ(expected.size(), 8u);
  EXPECT_THAT(expected[7], ElementsAre("13", HasSubstr("is not closed within 100 lines")));
  for (std::size_t cut = whole.find('\n'); cut < text.size(); cut = whole.find('\n', cut + 1)) {
    const std::string first = whole.substr(0, cut + 1) + spare;
    TableRecords begin(
        TablePart{.text = std::string_view(first).substr(0, cut + 1), .is_last = false}, ',');
    Rows rows = rows_of(begin);
    const std::string rest = std::string(begin.unfinished()) + whole.substr(cut + 1);
    EXPECT_TRUE(whole.ends_with(rest));
    const std::string second = rest + spare;
    TableRecords end(TablePart{.text = std::string_view(second).substr(0, rest.size())}, ',');
    for (Fields& row : rows_of(end)) {
      row[0] = std::to_string(std::stoull(row[0]) + begin.lines());
      rows.push_back(row);
    }
    EXPECT_EQ(rows, expected) << cut;
    EXPECT_TRUE(end.unfinished().empty());
  }
}

}  // namespace
}  // namespace ultr::table_records_test
