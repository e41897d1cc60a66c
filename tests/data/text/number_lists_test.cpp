#include "data/text/number_lists.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/text/line_fields.h"
#include "testing/errors.h"

namespace ultr::number_lists_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

TEST(ParseIdsTest, StopsBeforeAFieldThatIsNotAnId) {
  const auto read = [](std::string_view text) {
    std::vector<std::uint64_t> ids = {7};
    const bool all = parse_ids(text, ids);
    return std::tuple(ids, std::string(text), all);
  };
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(read("1\t20\t18446744073709551615"),
            std::tuple(Ids({7, 1, 20, ~std::uint64_t{0}}), "", true));
  EXPECT_EQ(read("1\t20\tQ\t3"), std::tuple(Ids({7, 1, 20}), "Q\t3", false));
  EXPECT_EQ(read("1\t2 \t3"), std::tuple(Ids({7, 1}), "2 \t3", false));
  const std::string zeros(70, '0');
  EXPECT_EQ(read(zeros + "1\t" + zeros + "2"), std::tuple(Ids({7, 1, 2}), "", true));
  EXPECT_EQ(read(zeros + "1\t" + zeros + "x"), std::tuple(Ids({7, 1}), zeros + "x", false));
  EXPECT_EQ(read(zeros.substr(6) + "\t"), std::tuple(Ids({7, 0}), "", false));
  EXPECT_EQ(read(zeros.substr(6)), std::tuple(Ids({7, 0}), "", true));
  EXPECT_EQ(read("1\t"), std::tuple(Ids({7, 1}), "", false));
  for (const std::string none : {"", "\t", "Q", "\t1", "-1\t2", "18446744073709551616\t2"})
    EXPECT_EQ(read(none), std::tuple(Ids({7}), none, false)) << none;
}

TEST(ParseIdsTest, AgreesWithFieldByField) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    RandomStream random(2, RandomPurpose::testing, 0, i);
    std::string line;
    const std::size_t fields = 1 + random.below(12);
    for (std::size_t field = 0; field < fields; ++field) {
      if (field > 0) line += '\t';
      std::string id(1 + random.below(17), '0');
      for (char& digit : id) digit = static_cast<char>('0' + random.below(10));
      constexpr std::string_view others("/:\t \x80\xff\0p", 8);
      if (random.below(30) == 0) id[random.below(id.size())] = others[random.below(others.size())];
      line += id;
    }
    std::vector<std::uint64_t> expected;
    std::vector<std::string_view> split;
    split_at_tabs(line, split);
    const auto no_id = std::find_if(split.begin(), split.end(), [&](std::string_view field) {
      if (field.empty() || field.find_first_not_of("0123456789") != std::string_view::npos)
        return true;
      expected.push_back(parse_id(field, "an id"));
      return false;
    });
    std::vector<std::uint64_t> ids;
    std::string_view text = line;
    ASSERT_EQ(parse_ids(text, ids), no_id == split.end()) << line;
    ASSERT_EQ(ids, expected) << line;
    if (no_id == split.end())
      ASSERT_TRUE(text.empty()) << line;
    else
      ASSERT_EQ(text.data(), no_id->data()) << line;
  }
}

TEST(ParseIdsAroundLetterTest, ReturnsTheLetter) {
  const auto read = [](std::string_view text, std::size_t letter) {
    std::vector<std::uint64_t> ids;
    const char found = parse_ids_around_letter(text, letter, ids);
    if (found != 0) ids[letter] = 0;
    return std::pair(found, ids);
  };
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(read("1\t20\tQ\t3", 2), std::pair('Q', Ids({1, 20, 0, 3})));
  EXPECT_EQ(read("1\tQ\t3\t4\t5\t6\t7\t8\t9\t10\t11", 1),
            std::pair('Q', Ids({1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11})));
  EXPECT_EQ(read("18446744073709551615\t1\tC\t123456789", 2),
            std::pair('C', Ids({~std::uint64_t{0}, 1, 0, 123456789})));
  const std::string zeros(70, '0');
  EXPECT_EQ(read(zeros + "1\t2\tC\t" + zeros + "3", 2), std::pair('C', Ids({1, 2, 0, 3})));
  for (const std::string wrong :
       {"", "1", "1\t2", "1\t2\tQ", "1\t2\tQ\t", "1\t2\t3\t4", "1\t2\tQQ\t4", "1\t2\t\t4",
        "1\tx\tQ\t4", "x\t2\tQ\t4", "1\t2\tQ\tx", "1\t2\tQ\t4\t", "1\tQ\t3\t4", "1\t2\t3\tQ\t4",
        "1\t2\tQ\t18446744073709551616", "1\t2\tQ\t1\t2\t3\t4\t5\t6\tx"})
    EXPECT_EQ(read(wrong, 2).first, 0) << wrong;
}

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
