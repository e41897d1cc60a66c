#include "data/text/text_source.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/gzip.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::text_source_test {
namespace {

using testing::data_message;
using testing::gzip;
using testing::TemporaryFolder;

constexpr std::size_t part = std::size_t{1} << 12;

/// Returns all bytes, read so many at a time.
std::string bytes_of(TextSource& source, std::size_t at_once) {
  std::string all, some(at_once, ' ');
  while (const std::size_t got = source.read(some)) all += some.substr(0, got);
  return all;
}

std::string numbers() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10007);
  return text;
}

TEST(TextSourceTest, GivesAllBytesOfPlainAndPackedFiles) {
  const TemporaryFolder folder;
  const std::string text = numbers();
  const auto plain = folder.write("plain.txt", text), packed = folder.write("a.gz", gzip(text)),
             two = folder.write("two.gz", gzip(text.substr(0, 30'000)) + gzip(text.substr(30'000)));
  for (const auto& file : {plain, packed, two})
    for (const std::size_t at_once : {std::size_t{100}, part, 10 * part}) {
      TextSource source(file, part);
      EXPECT_EQ(bytes_of(source, at_once), text);
      EXPECT_EQ(source.bytes_read(), std::filesystem::file_size(file));
      std::array<char, 8> more;
      EXPECT_EQ(source.read(more), 0u) << "the end stays the end";
    }
  TextSource empty(folder.write("empty.gz", gzip("")), part);
  EXPECT_EQ(bytes_of(empty, 8), "");
}

TEST(TextSourceTest, AFileThatNobodyReadsToItsEndIsLeft) {
  const TemporaryFolder folder;
  TextSource source(folder.write("a.gz", gzip(std::string(100 * part, 'x'))), part);
  std::array<char, 2> some;
  EXPECT_EQ(source.read(some), 2u);
}

TEST(TextSourceTest, ATornFileGivesItsBytesThenTheReason) {
  const TemporaryFolder folder;
  const std::string text = numbers(), packed = gzip(text);
  const auto file = folder.write("torn.gz", packed.substr(0, packed.size() - 8));
  TextSource source(file, part);
  std::string all;
  EXPECT_EQ(data_message([&] {
              std::array<char, 1000> some;
              while (const std::size_t got = source.read(some)) all.append(some.data(), got);
            }),
            "its end is missing");
  EXPECT_EQ(all, text);
}

}  // namespace
}  // namespace ultr::text_source_test
