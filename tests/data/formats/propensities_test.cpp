#include "data/formats/propensities.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/not_finite.h"
#include "testing/temporary_folder.h"

namespace ultr::propensities_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using testing::nan;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

Propensities read(std::string_view content) {
  const TemporaryFolder folder;
  return read_propensities(folder.write("p.csv", content));
}

/// Returns the message that reading the content gives, without the path of the file.
std::string refusal(std::string_view content) {
  const TemporaryFolder folder;
  const std::string file = folder.write("p.csv", content);
  const std::string message = data_message([&] { read_propensities(file); });
  EXPECT_EQ(message.rfind(file, 0), 0u) << message;
  return message.substr(file.size());
}

TEST(PropensitiesTest, ReadsPositionsFromOneInAnyOrder) {
  EXPECT_THAT(read("position,anything\n1,1.0\n3,0.25\n2,5e-1\n"), ElementsAre(1, 0.5, 0.25));
  EXPECT_THAT(read("position,\"a, b\"\r\n1,2.5\r\n\r\n"), ElementsAre(2.5))
      << "numbers are relative to rank 1 and may exceed 1";
  EXPECT_THAT(read("position,p\n1,0\n"), ElementsAre(0));
  EXPECT_THAT(read("\xef\xbb\xbfposition,p\n1,0.5\n"), ElementsAre(0.5)) << "a byte-order mark";
}

TEST(PropensitiesTest, MissingAndBlankPositionsAreUnknown) {
  EXPECT_THAT(read("position,p\n2,0.5\n4,\n"), ElementsAre(IsNan(), 0.5, IsNan(), IsNan()));
  EXPECT_THAT(read("position,p\n65536,1\n"), ::testing::SizeIs(65536));
}

TEST(PropensitiesTest, RejectsMalformedTables) {
  EXPECT_EQ(refusal("rank,p\n1,1\n"),
            ":1: header is 'rank,p'; expected the column 'position' and one more, such as "
            "'position,propensity'");
  for (const char* header : {"position", "p,position", "position,p,q", "1,1.0"})
    EXPECT_THAT(refusal(std::string(header) + "\n1,1\n"), HasSubstr("expected the column"))
        << header;
  EXPECT_EQ(refusal("position,p\n1,1\n2\n"), ":3: 1 fields; expected 2 as in the header");
  EXPECT_EQ(refusal("position,p\n1,1,1\n"), ":2: 3 fields; expected 2 as in the header");
  for (const char* content : {"", "position,p\n", "\n\n"})
    EXPECT_EQ(refusal(content),
              ": has no position; expected a header such as 'position,propensity' and a row for "
              "each position");
}

TEST(PropensitiesTest, RejectsWrongPositions) {
  for (const char* position : {"0", "-1", "65537", "1.5", "one", "", " 1", "99999999999999999999"})
    EXPECT_EQ(
        refusal(std::string("position,p\n") + position + ",1\n"),
        std::string(":2: position is '") + position + "'; expected a whole number from 1 to 65536");
  EXPECT_EQ(refusal("position,p\n1,1\n2,0.5\n1,1\n"),
            ":4: position 1 is on line 2 too; expected it once");
  EXPECT_EQ(refusal("position,p\n2,\n2,\n"), ":3: position 2 is on line 2 too; expected it once")
      << "a blank is given too";
}

TEST(PropensitiesTest, RejectsWrongNumbers) {
  for (const char* number : {"-0.1", "nan", "inf", "1e999", "half", " 1"})
    EXPECT_EQ(refusal(std::string("position,p\n1,") + number + "\n"),
              std::string(":2: propensity is '") + number + "'; expected a number at least 0");
}

TEST(PropensitiesTest, ReadsWrittenFiles) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "p.csv";
  write_propensities(file, "pivot", Propensities{1, nan, 1. / 3, 0, 1e-300, 1.25});
  EXPECT_EQ(read_text(file).substr(0, 28), "position,pivot\n1,1\n2,\n3,0.33");
  EXPECT_THAT(read_propensities(file), ElementsAre(1, IsNan(), 1. / 3, 0, 1e-300, 1.25));
  EXPECT_EQ(folder.size(), 1u) << "nothing else is left";
}

TEST(PropensitiesTest, RejectsInputThatCouldNotBeReadBack) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "p.csv";
  const auto write = [&](const char* column, double number) {
    return [&file, column, number] { write_propensities(file, column, Propensities{1, number}); };
  };
  EXPECT_THAT(write("p", -0.5), ThrowsMessage<Error>(HasSubstr("position 2 is -0.5; expected")));
  EXPECT_THAT(write("p", INFINITY), ThrowsMessage<Error>(HasSubstr("position 2 is inf; expected")));
  for (const char* column : {"", "a,b", "a\"", "a\nb"})
    EXPECT_THAT(write(column, 1), ThrowsMessage<Error>(HasSubstr("expected a name")));
  EXPECT_EQ(folder.size(), 0u);
}

TEST(PropensitiesDataTest, ReadsTheFilesOfBaiduUltr) {
  ULTR_NEEDS_DATA();
  const std::filesystem::path folder = *testing::data_folder() / "baidu-ultr";
  const auto read = [&](const std::string& method) {
    return read_propensities(folder / ("propensities_" + method + ".csv"));
  };
  for (const char* method : {"ctr", "pivot_one", "adjacent_chain", "global_all_pairs"}) {
    const Propensities propensities = read(method);
    EXPECT_EQ(propensities.size(), 22u) << method;
    EXPECT_EQ(propensities[0], 1) << method;
    EXPECT_LT(propensities[9], propensities[1]) << method;
  }
  EXPECT_EQ(read("pivot_one")[1], 0.6840615215572755);
  EXPECT_THAT(read("pivot_one")[21], IsNan());
  EXPECT_EQ(read("ctr")[21], 0);
}

}  // namespace
}  // namespace ultr::propensities_test
