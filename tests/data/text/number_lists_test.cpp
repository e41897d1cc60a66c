#include "data/text/number_lists.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/errors.h"

namespace ultr::number_lists_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

TEST(ParseIntegerListTest, TakesNumbersInBrackets) {
  std::vector<std::int64_t> numbers = {7, 7};
  parse_integer_list("[1, 2, 3]", "a vertical", lowest, highest, numbers);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  parse_integer_list("[1,2 ,  -3]", "a vertical", lowest, highest, numbers);
  EXPECT_THAT(numbers, ElementsAre(1, 2, -3));
  parse_integer_list("[ 5 ]", "a vertical", lowest, highest, numbers);
  EXPECT_THAT(numbers, ElementsAre(5));
  for (const char* empty : {"[]", "[ ]", "[   ]"}) {
    parse_integer_list(empty, "a vertical", lowest, highest, numbers);
    EXPECT_THAT(numbers, IsEmpty());
  }
}

TEST(ParseIntegerListTest, ParsesNumbersWithAnySpacing) {
  std::vector<std::int64_t> numbers;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    RandomStream random(5, RandomPurpose::testing, 0, i);
    const std::array<std::string_view, 4> commas = {",", ", ", " ,", ",  "};
    const std::string_view comma = commas[random.below(commas.size())];
    std::vector<std::int64_t> expected;
    std::string text = "[";
    for (std::size_t k = 0; k <= i % 12; ++k) {
      const std::int64_t number =
          static_cast<std::int64_t>(random.bits() >> (1 + random.below(63)));
      expected.push_back(random.below(2) == 0 ? number : -number);
      text.append(k == 0 ? "" : comma).append(std::to_string(expected.back()));
    }
    parse_integer_list(text + "]", "a number", lowest, highest, numbers);
    ASSERT_EQ(numbers, expected) << text;
  }
}

TEST(ParseIntegerListTest, ParsesListsOfDigits) {
  for (std::size_t size = 1; size <= 30; ++size) {
    std::vector<std::int64_t> numbers, expected;
    std::string text = "[";
    for (std::size_t i = 0; i < size; ++i) {
      expected.push_back(static_cast<std::int64_t>(i * 7 % 10));
      text.append(i == 0 ? "" : ", ").append(std::to_string(expected.back()));
    }
    text += ']';
    parse_integer_list(text, "a digit", 0, 9, numbers);
    ASSERT_EQ(numbers, expected) << text;
    for (std::size_t at = 1; at + 1 < text.size(); ++at) {
      std::string wrong = text;
      wrong[at] = 'x';
      ASSERT_THROW(parse_integer_list(wrong, "a digit", 0, 9, numbers), DataError) << wrong;
    }
    const auto message = [&](std::int64_t low, std::int64_t high) {
      return data_message([&] { parse_integer_list(text, "a digit", low, high, numbers); });
    };
    EXPECT_EQ(message(1, 9), "a digit is '0'; expected a whole number from 1 to 9");
    if (size > 1) {
      EXPECT_EQ(message(0, 6), "a digit is '7'; expected a whole number from 0 to 6");
    }
  }
}

TEST(ParseIntegerListTest, ReportsMalformedLists) {
  std::vector<std::int64_t> numbers;
  for (const std::string text : {"", "[", "]", "1", "[1", "1]", "(1)", " [1]", "[1] ", "]1["})
    EXPECT_EQ(data_message([&] { parse_integer_list(text, "a click", 0, 1, numbers); }),
              "a click is '" + text + "'; expected a list like [1, 2]");
  const auto wrong_item = [&](const std::string& list, const std::string& item) {
    EXPECT_EQ(data_message([&] { parse_integer_list(list, "a click", 0, 1, numbers); }),
              "a click is '" + item + "'; expected a whole number from 0 to 1");
  };
  wrong_item("[0, 2]", "2");
  wrong_item("[0, -1]", "-1");
  wrong_item("[0, --1]", "--1");
  wrong_item("[0, -]", "-");
  wrong_item("[0, ]", "");
  wrong_item("[0 1]", "0 1");
  wrong_item("[0,,1]", "");
  wrong_item("[0,]", "");
  wrong_item("[,]", "");
  wrong_item("[[0]]", "[0]");
  wrong_item("[0; 1]", "0; 1");
}

}  // namespace
}  // namespace ultr::number_lists_test
