#include "data/formats/baidu_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/baidu_text.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::baidu_lines_test {
namespace {

using testing::baidu_annotation;
using testing::baidu_document;
using testing::baidu_query;
using testing::baidu_tokens;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

/// Returns a line without its line break, as LineReader does.
std::string line(std::string text) {
  text.pop_back();
  return text;
}

TEST(BaiduLineTest, DeterminesTheKindOfLineByItsFields) {
  const std::string query = line(baidu_query({1, 2}));
  EXPECT_EQ(split_baidu_line(query).kind, BaiduLine::Kind::query);
  EXPECT_EQ(split_baidu_line(query).query, baidu_tokens({1, 2}));

  const std::string document = line(baidu_document(3, 7, {4}, {5, 6}, 1));
  const BaiduLine read = split_baidu_line(document);
  EXPECT_EQ(read.kind, BaiduLine::Kind::document);
  EXPECT_EQ(read.position, "3");
  EXPECT_EQ(read.url, "00000000000000070123456789abcdef");
  EXPECT_EQ(read.title, "4");
  EXPECT_EQ(read.abstract, baidu_tokens({5, 6}));
  EXPECT_EQ(read.click, "1");

  const std::string annotation = line(baidu_annotation(0, {1}, {2}, {}, 3));
  EXPECT_EQ(split_baidu_line(annotation).kind, BaiduLine::Kind::annotation);
  EXPECT_EQ(split_baidu_line(annotation).query, "1");
  EXPECT_EQ(split_baidu_line(annotation).title, "2");
  EXPECT_EQ(split_baidu_line(annotation).abstract, "");
  EXPECT_EQ(split_baidu_line(annotation).label, "3");
}

TEST(BaiduLineTest, RejectsAnotherNumberOfFields) {
  for (const int tabs : {0, 1, 3, 4, 6, 30, 32})
    EXPECT_EQ(
        data_message([&] { split_baidu_line(std::string(static_cast<std::size_t>(tabs), '\t')); }),
        std::to_string(tabs + 1) +
            " fields; expected 3 of a query or 32 of a document in a click log, 6 of an "
            "annotation");
}

TEST(ParseTokensTest, JoinedByTheByteOne) {
  EXPECT_THAT(parse_tokens(baidu_tokens({3742, 11492, 0}), "a token"), ElementsAre(3742, 11492, 0));
  EXPECT_THAT(parse_tokens("", "a token"), IsEmpty()) << "empty titles are legal";
  EXPECT_THAT(parse_tokens("1048575", "a token"), ElementsAre(largest_token));
  const std::string limits = "'; expected a whole number from 0 to 1048575";
  EXPECT_EQ(data_message([] { parse_tokens("x", "a token"); }), "a token is 'x" + limits);
  EXPECT_EQ(data_message([] { parse_tokens("1048576", "a token"); }),
            "a token is '1048576" + limits);
  EXPECT_EQ(data_message([] {
              parse_tokens(
                  "1\x01\x01"
                  "2",
                  "a token");
            }),
            "a token is '" + limits);
}

TEST(TextIdTest, IsFnv1a) {
  EXPECT_EQ(text_id(""), 0xcbf29ce484222325u);
  EXPECT_EQ(text_id("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(text_id("foobar"), 0x85944171f73967e8u);
}

TEST(IsPlaceholderTest, TheTwoTitlesOfThePaper) {
  EXPECT_TRUE(is_placeholder({21429}));
  EXPECT_TRUE(is_placeholder({3742, 11492, 12169, 5061, 16905}));
  EXPECT_FALSE(is_placeholder({}));
  EXPECT_FALSE(is_placeholder({21429, 21429}));
  EXPECT_FALSE(is_placeholder({3742, 11492, 12169, 5061}));
}

TEST(BaiduCorpusTest, CountsTheDocumentsOfBothKindsOfFiles) {
  const TemporaryFolder folder;
  TokenCorpus corpus;
  read_baidu_corpus(folder.write("clicks", baidu_query({9}) + baidu_document(1, 1, {4}, {5}, 0)),
                    {}, corpus);
  read_baidu_corpus(folder.write("labels", baidu_annotation(0, {9}, {4}, {6}, 0) +
                                               baidu_annotation(0, {8}, {4}, {5}, 0)),
                    {}, corpus);
  EXPECT_EQ(corpus.documents().documents(), 2) << "the same text once";
  EXPECT_EQ(corpus.titles().document_frequency(4), 2);
  EXPECT_EQ(corpus.abstracts().document_frequency(6), 1);
  EXPECT_EQ(corpus.documents().document_frequency(9), 0) << "queries are no documents";
}

}  // namespace
}  // namespace ultr::baidu_lines_test
