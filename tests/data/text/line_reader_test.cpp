#include "data/text/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/gzip.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::line_reader_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using testing::gzip;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::noise;
using testing::TemporaryFolder;

constexpr std::size_t buffer = 1 << 18;  // bytes that a LineReader reads at a time

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  LineReader reader(file);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
    EXPECT_EQ(reader.where(), file.string() + ":" + std::to_string(lines.size()));
  }
  EXPECT_FALSE(reader.next(line)) << "the end stays the end";
  return lines;
}

/// Returns the lines of a text, after checking that a plain file, a gzip file and memory give the
/// same.
std::vector<std::string> lines_of_text(std::string_view text) {
  const TemporaryFolder folder;
  const auto plain = lines_of(folder.write("plain.txt", text));
  const std::string memory = std::string(text) + std::string(64, '\n');
  LineReader reader(std::string_view(memory).substr(0, text.size()), {});
  std::vector<std::string> in_memory;
  for (std::string_view line; reader.next(line);) in_memory.emplace_back(line);
  EXPECT_EQ(in_memory, plain);
  EXPECT_EQ(reader.line_number(), plain.size());
  EXPECT_EQ(lines_of(folder.write("packed.txt.gz", gzip(text))), plain);
  return plain;
}

TEST(LineReaderTest, SplitsAtLineEnds) {
  EXPECT_THAT(lines_of_text("a\tb\nc\n"), ElementsAre("a\tb", "c"));
  EXPECT_THAT(lines_of_text("a\n\nb\n\n"), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(lines_of_text("\n"), ElementsAre(""));
}

TEST(LineReaderTest, TheLastLineNeedsNoEnd) {
  EXPECT_THAT(lines_of_text("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of_text("a"), ElementsAre("a"));
  EXPECT_THAT(lines_of_text("a\nb\r"), ElementsAre("a", "b"));
}

TEST(LineReaderTest, ReadsWindowsLineEnds) {
  EXPECT_THAT(lines_of_text("a\r\nb\n\r\nc\r\n"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of_text("a\rb\r\r\n"), ElementsAre("a\rb\r")) << "only before the line end";
}

TEST(LineReaderTest, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("marked.txt",
                                    "\xef\xbb\xbf"
                                    "a\n\xef\xbb\xbf"
                                    "b\n")),
              ElementsAre("a",
                          "\xef\xbb\xbf"
                          "b"));
}

TEST(LineReaderTest, AnEmptyFileHasNoLine) { EXPECT_THAT(lines_of_text(""), IsEmpty()); }

TEST(LineReaderTest, KeepsArbitraryBytes) {
  const std::string bytes("a\0b\xff\n\x01", 6);
  EXPECT_THAT(lines_of_text(bytes), ElementsAre(std::string("a\0b\xff", 4), "\x01"));
}

TEST(LineReaderTest, LinesMayBeLongerThanTheBuffer) {
  // Lines that end right before, at and right after the ends of buffers.
  for (const std::size_t length :
       {buffer - 2, buffer - 1, buffer, buffer + 1, 2 * buffer - 1, 2 * buffer, 3 * buffer + 17}) {
    const std::string line = noise(length);
    EXPECT_THAT(lines_of_text(line + "\nb\n" + line), ElementsAre(line, "b", line)) << length;
    EXPECT_THAT(lines_of_text(line + "\r\nb"), ElementsAre(line, "b")) << length;
    EXPECT_THAT(lines_of_text("\n" + line), ElementsAre("", line)) << length;
  }
}

TEST(LineReaderTest, ManyLinesCrossManyBuffers) {
  std::vector<std::string> expected;
  std::string text;
  RandomStream random(2, RandomPurpose::testing, 0, 0);
  while (text.size() < 5 * buffer) {
    expected.push_back(std::to_string(expected.size()) + std::string(random.below(300), 'x'));
    text += expected.back() + '\n';
  }
  EXPECT_EQ(lines_of_text(text), expected);
}

TEST(LineReaderTest, GzipFilesMayHaveSeveralParts) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("two.gz", gzip("a\nb") + gzip("c\nd\n"))),
              ElementsAre("a", "bc", "d"));
}

TEST(LineReaderTest, ATruncatedGzipFileGivesItsLinesBeforeTheError) {
  const TemporaryFolder folder;
  std::vector<std::string> whole;
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    whole.push_back(std::to_string(i) + " " + std::to_string(i * 7919 % 10007));
    text += whole.back() + "\n";
  }
  const std::string packed = gzip(text);
  for (const std::size_t kept : {packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
    const auto file = folder.write("cut.gz", packed.substr(0, kept));
    LineReader reader(file);
    std::string_view line;
    std::size_t read = 0;
    const std::string message = data_message([&] {
      while (reader.next(line)) {
        ASSERT_LT(read, whole.size());
        ASSERT_EQ(line, whole[read]);
        ++read;
      }
    });
    // The last 8 bytes are a checksum and the size: without them, the file still has all lines.
    if (kept < packed.size() / 2 + 1) {
      EXPECT_GT(read, whole.size() / 3);
    } else {
      EXPECT_EQ(read, whole.size());
    }
    EXPECT_EQ(message, file.string() + ":" + std::to_string(read + 1) +
                           ": cannot be read further (its end is missing); expected a whole file");
  }
}

TEST(LineReaderTest, AGzipFileThatIsDamagedIsRejected) {
  const TemporaryFolder folder;
  std::string packed = gzip(noise(100'000));
  for (std::size_t i = 0; i < 64; ++i) packed[packed.size() / 2 + i] ^= '\x55';
  const auto file = folder.write("damaged.gz", packed);
  EXPECT_THAT(
      data_message([&] { lines_of(file); }),
      ::testing::AllOf(::testing::StartsWith(file.string() + ":1: cannot be read further ("),
                       HasSubstr("expected a whole file")));
}

TEST(LineReaderTest, ALineHasAtMostOneByteLessThan64MiB) {
  const TemporaryFolder folder;
  constexpr std::size_t part_bytes = std::size_t{1} << 20, most = 64 * part_bytes - 1;
  const std::string part = gzip(std::string(part_bytes, 'x'));
  const auto file_with_line_of = [&](std::size_t bytes, const std::string& end) {
    std::string all = gzip("a\n");
    for (std::size_t i = 0; i < bytes / part_bytes; ++i) all += part;
    return folder.write("long.gz", all + gzip(std::string(bytes % part_bytes, 'x') + end));
  };
  for (const std::string end : {"", "\nb\n"}) {
    LineReader reader(file_with_line_of(most, end));
    std::string_view line;
    ASSERT_TRUE(reader.next(line) && reader.next(line));
    EXPECT_EQ(line.size(), most);
    EXPECT_EQ(reader.next(line), !end.empty());
  }
  EXPECT_THAT(
      data_message([&] { lines_of(file_with_line_of(most + 1, "\n")); }),
      ::testing::EndsWith("long.gz:2: the line is too long; expected at most 67108863 bytes"));
}

TEST(LineReaderTest, SaysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  const auto missing = folder.path() / "missing.txt";
  EXPECT_EQ(
      data_message([&] { LineReader reader(missing); }),
      missing.string() + ": cannot be opened (No such file or directory); expected a file to read");
  EXPECT_EQ(data_message([&] { LineReader reader(folder.path()); }),
            folder.path().string() + ": is a directory; expected a file");
  const std::string long_name(5000, 'x');
  EXPECT_EQ(data_message([&] { LineReader reader(long_name); }),
            long_name + ": cannot be opened (File name too long); expected a file to read");
  const auto below_a_file = folder.write("file", "") / "log.txt";
  EXPECT_EQ(
      data_message([&] { LineReader reader(below_a_file); }),
      below_a_file.string() + ": cannot be opened (Not a directory); expected a file to read");
}

}  // namespace
}  // namespace ultr::line_reader_test
