#include "data/text/text_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/gzip.h"
#include "data/text/line_reader.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::text_blocks_test {
namespace {

using testing::data_message;
using testing::gzip;
using testing::TemporaryFolder;

constexpr std::size_t block_bytes = 1000;

/// Lines of up to `longest` bytes.
std::string random_lines(int lines, std::size_t longest) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    RandomStream random(1, RandomPurpose::testing, 0, static_cast<std::uint64_t>(i));
    text += std::string(random.below(longest), static_cast<char>('a' + i % 26)) + '\n';
  }
  return text;
}

/// The blocks of a file.
std::vector<std::string> blocks_of(const std::filesystem::path& file) {
  TextBlocks blocks(file, block_bytes);
  std::vector<std::string> all;
  std::uint64_t read = 0;
  while (const std::optional<TextBlock> block = blocks.next()) {
    all.emplace_back(block->text());
    EXPECT_GE(block->bytes_read(), read);
    read = block->bytes_read();
  }
  EXPECT_FALSE(blocks.next()) << "the end stays the end";
  EXPECT_TRUE(all.empty() || read == std::filesystem::file_size(file));
  return all;
}

TEST(TextBlocksTest, CutsAtLineEnds) {
  const TemporaryFolder folder;
  for (const std::size_t longest : {2, 50, 3000})
    for (const std::string last : {"", "the last line has no end"}) {
      const std::string text = random_lines(1000, longest) + last;
      for (const auto& file :
           {folder.write("plain.txt", text), folder.write("packed.txt.gz", gzip(text))}) {
        const std::vector<std::string> blocks = blocks_of(file);
        std::string all;
        for (const std::string& block : blocks) {
          EXPECT_TRUE(block.ends_with('\n') || &block == &blocks.back());
          EXPECT_LE(block.size(), std::max(block_bytes, 4 * longest));
          all += block;
        }
        EXPECT_EQ(all, text);
        EXPECT_GT(blocks.size(), text.size() / std::max(block_bytes, 4 * longest));
      }
    }
}

TEST(TextBlocksTest, AByteOrderMarkAtTheBeginIsLeftOut) {
  const TemporaryFolder folder;
  const std::string mark = "\xef\xbb\xbf";
  for (const std::size_t longest : {2, 50, 3000}) {
    const std::string text = random_lines(1000, longest) + mark + "another";
    for (const auto& file : {folder.write("plain.txt", mark + text),
                             folder.write("packed.txt.gz", gzip(mark + text))}) {
      std::string all;
      for (const std::string& block : blocks_of(file)) all += block;
      EXPECT_EQ(all, text);
    }
  }
  EXPECT_TRUE(blocks_of(folder.write("mark.txt", mark)).empty());
  EXPECT_EQ(blocks_of(folder.write("part.txt", mark.substr(0, 2))),
            std::vector<std::string>{mark.substr(0, 2)});
}

TEST(TextBlocksTest, AnEmptyFileHasNone) {
  const TemporaryFolder folder;
  EXPECT_TRUE(blocks_of(folder.write("empty.txt", "")).empty());
  EXPECT_EQ(blocks_of(folder.write("line.txt", "\n")), std::vector<std::string>{"\n"});
}

TEST(TextBlocksTest, BytesAfterTheTextMayBeRead) {
  const TemporaryFolder folder;
  TextBlocks blocks(folder.write("a.txt", "a\nb"), block_bytes);
  const std::optional<TextBlock> block = blocks.next();
  ASSERT_TRUE(block);
  const TextBlock joined("a\n", "b");
  for (const std::string_view text : {block->text(), joined.text()}) {
    ASSERT_EQ(text, "a\nb");
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(text.data()[text.size() + i], 0);
  }
}

TEST(TextBlocksTest, ATornFileGivesItsWholeLinesThenTheReason) {
  const TemporaryFolder folder;
  const std::string text = random_lines(2000, 50), packed = gzip(text);
  const auto file = folder.write("torn.gz", packed.substr(0, packed.size() - 20));
  TextBlocks blocks(file, block_bytes);
  std::string all, lines;
  EXPECT_EQ(data_message([&] {
              while (const std::optional<TextBlock> block = blocks.next()) all += block->text();
            }),
            "cannot be read further (its end is missing); expected a whole file");
  LineReader reader(file);
  EXPECT_THAT(data_message([&] {
                for (std::string_view line; reader.next(line);) lines += std::string(line) + '\n';
              }),
              ::testing::HasSubstr("its end is missing"));
  EXPECT_EQ(all, lines);
  EXPECT_GT(all.size(), text.size() / 2);
  EXPECT_TRUE(text.starts_with(all));
}

TEST(TextBlocksTest, ALineHasAtMostOneByteLessThan64MiB) {
  const TemporaryFolder folder;
  constexpr std::size_t most = (std::size_t{1} << 26) - 1;
  const auto blocks_with_line_of = [&](std::size_t bytes) {
    return TextBlocks(folder.write("long.gz", gzip("a\n" + std::string(bytes, 'x') + "\nb\n")),
                      std::size_t{1} << 20);
  };
  TextBlocks blocks = blocks_with_line_of(most);
  std::size_t all = 0;
  while (const std::optional<TextBlock> block = blocks.next()) all += block->text().size();
  EXPECT_EQ(all, most + 5);
  TextBlocks with_longer = blocks_with_line_of(most + 1);
  EXPECT_EQ(with_longer.next()->text(), "a\n");
  EXPECT_EQ(data_message([&] { with_longer.next(); }),
            "the line is too long; expected at most 67108863 bytes");
}

}  // namespace
}  // namespace ultr::text_blocks_test
