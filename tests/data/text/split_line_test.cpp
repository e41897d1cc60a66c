#include "data/text/split_line.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/text/line_fields.h"
#include "data/text/line_reader.h"
#include "testing/temporary_folder.h"

namespace ultr::split_line_test {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;
using Fields = std::vector<std::string>;

/// The fields of each line, as LineReader splits them.
std::vector<Fields> split_by_reader(const std::string& text, std::string_view separators) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("text", text), {.separators = separators});
  std::vector<Fields> lines;
  std::string_view line;
  while (reader.next(line)) {
    const SplitLine split = reader.fields();
    EXPECT_EQ(split.text().data(), line.data());
    EXPECT_EQ(split.text(), line);
    lines.emplace_back();
    for (std::size_t i = 0; i < split.fields(); ++i) {
      lines.back().emplace_back(split.field(i));
      if (i + 1 < split.fields()) {
        EXPECT_EQ(split.separator(i), *(split.field(i).data() + split.field(i).size()));
      }
    }
  }
  return lines;
}

/// Splits a line byte by byte.
std::vector<Fields> split_by_bytes(const std::string& text, std::string_view separators) {
  std::vector<Fields> lines;
  bool begins = true;
  const auto end_line = [&] {
    if (lines.back().back().ends_with('\r')) lines.back().back().pop_back();
    begins = true;
  };
  for (const char byte : text) {
    if (begins) lines.push_back({""});
    begins = false;
    if (byte == '\n')
      end_line();
    else if (separators.find(byte) != std::string_view::npos)
      lines.back().emplace_back();
    else
      lines.back().back() += byte;
  }
  if (!begins) end_line();
  return lines;
}

/// A text of random bytes: many separators and line ends, their neighbours in ASCII, and bytes with
/// the highest bit set. `rare` makes fields and lines longer.
std::string random_text(RandomStream& random, std::size_t size, std::uint32_t rare) {
  constexpr std::string_view often("\t\n,\r\"", 5), others("\x08\x0b+-!#\x89\x8a\xac\xff\0x1", 13);
  std::string text(size, ' ');
  for (char& byte : text)
    byte = random.below(rare) == 0
               ? often[random.below(static_cast<std::uint32_t>(often.size()))]
               : others[random.below(static_cast<std::uint32_t>(others.size()))];
  return text;
}

TEST(SplitLineTest, HasTheFieldsOfALine) {
  EXPECT_THAT(split_by_reader("a\tb c\t\td\t\n\n\t\r\ne", "\t"),
              ElementsAre(ElementsAre("a", "b c", "", "d", ""), ElementsAre(""),
                          ElementsAre("", ""), ElementsAre("e")));
  EXPECT_THAT(split_by_reader("a\tb,c", ",\t"), ElementsAre(ElementsAre("a", "b", "c")));
  EXPECT_THAT(split_by_reader("a\tb,c", ""), ElementsAre(ElementsAre("a\tb,c")));
}

TEST(SplitLineTest, AgreesWithOneByteAtATimeForAllSizes) {
  for (std::size_t size = 0; size < 400; ++size) {
    RandomStream random(1, RandomPurpose::testing, 0, size);
    const std::string text = random_text(random, size, size % 2 == 0 ? 2 : 40);
    for (const std::string_view separators : {"", "\t", "\t,", ",\""})
      ASSERT_EQ(split_by_reader(text, separators), split_by_bytes(text, separators)) << size;
  }
}

TEST(SplitLineTest, AgreesWithOneByteAtATimeAroundTheEndsOfBlocksAndBuffers) {
  constexpr std::size_t part = 1 << 13, buffer = 1 << 18;
  for (const std::size_t around : {part, 2 * part, buffer, 2 * buffer})
    for (std::size_t size = around - 2; size <= around + 2; ++size)
      for (const std::uint32_t rare : {2u, 30u, 20'000u}) {
        RandomStream random(2, RandomPurpose::testing, rare, size);
        const std::string text = random_text(random, size, rare);
        ASSERT_EQ(split_by_reader(text, "\t,"), split_by_bytes(text, "\t,")) << size;
      }
}

/// A field of digits, rarely of something else. `most`: digits.
std::string random_field(RandomStream& random, std::uint32_t most) {
  std::string field(random.below(60) == 0 ? random.below(30) : 1 + random.below(most), '0');
  for (char& digit : field) digit = static_cast<char>('0' + random.below(10));
  constexpr std::string_view others("/:- \x80\xff\0p\r", 9);
  if (!field.empty() && random.below(60) == 0)
    field[random.below(static_cast<std::uint32_t>(field.size()))] = others[random.below(9)];
  return field;
}

/// The number in a text, if it is one.
std::optional<std::uint64_t> number_in(const std::string& text) {
  try {
    return parse_id(text, "an id");
  } catch (const DataError&) {
    return std::nullopt;
  }
}

TEST(SplitLineTest, ParsesNumbersAsFieldByField) {
  for (const std::uint32_t most : {3u, 8u, 17u, 22u}) {
    std::string text;
    std::vector<Fields> expected;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      RandomStream random(3, RandomPurpose::testing, most, i);
      Fields fields(1 + random.below(i % 50 == 0 ? 300 : 14));
      for (std::string& field : fields) field = random_field(random, most);
      for (const std::string& field : fields) text += (&field == fields.data() ? "" : "\t") + field;
      text += i % 7 == 0 ? "\r\n" : "\n";
      if (fields.back().ends_with('\r') && i % 7 != 0) fields.back().pop_back();
      expected.push_back(std::move(fields));
    }
    const TemporaryFolder folder;
    LineReader reader(folder.write("text", text), {.separators = "\t", .numbers = true});
    std::string_view line;
    for (const Fields& fields : expected) {
      ASSERT_TRUE(reader.next(line));
      SplitLine& split = reader.fields();
      ASSERT_EQ(split.fields(), fields.size()) << line;
      bool all = true;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::optional<std::uint64_t> number = number_in(fields[i]);
        all = all && number;
        ASSERT_EQ(split.are_numbers(i, 1), number.has_value()) << line << ": field " << i;
        if (!number) continue;
        ASSERT_EQ(split.numbers()[i], *number) << line << ": field " << i;
      }
      ASSERT_EQ(split.are_numbers(0, fields.size()), all) << line;
      ASSERT_TRUE(split.are_numbers(0, 0));
    }
    EXPECT_FALSE(reader.next(line));
  }
}

}  // namespace
}  // namespace ultr::split_line_test
