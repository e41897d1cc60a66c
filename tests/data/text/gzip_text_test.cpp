#include "data/text/gzip_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/gzip.h"

namespace ultr::gzip_text_test {
namespace {

using testing::gzip;
using testing::noise;

/// The bytes of the file, and of the text, that are read at once.
struct Sizes {
  std::size_t file = 1000, text = 1000;
};

/// Text that was read, and why it could not be read further.
struct Result {
  std::string text, problem;
};

Result read_all(std::string_view file, const Sizes& sizes = Sizes()) {
  std::size_t used = 0;
  const auto read_bytes = [&](std::span<char> into) {
    const std::size_t got = file.copy(into.data(), into.size(), used);
    used += got;
    return got;
  };
  Result result;
  GzipText text(read_bytes, sizes.file);
  std::string some(sizes.text, ' ');
  try {
    while (const std::size_t got = text.read(some)) result.text += some.substr(0, got);
    EXPECT_EQ(text.read(some), 0u) << "the end stays the end";
  } catch (const DataError& error) {
    result.problem = error.what();
  }
  return result;
}

/// Returns digits that hardly repeat, then some that repeat from farther away than 32 KiB.
std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919 % 10007);
  return text + std::string(33'000, 'x') + text;
}

/// Texts that are stored, and compressed with fixed and with their own codes.
std::vector<std::string> texts() {
  return {"",
          "a",
          "1\t7\t[5]\n",
          noise(100'000),
          noise(100'000, 256),
          std::string(300'000, '\n'),
          numbers(30'000)};
}

/// Returns a gzip file whose header has every optional part.
std::string with_whole_header(const std::string& file) {
  using namespace std::string_literals;
  constexpr std::size_t header = 10;
  return "\x1f\x8b\x08\x1c\0\0\0\0\0\x03"s + "\x04\0more"s + "log.txt\0"s + "a comment\0"s +
         file.substr(header);
}

TEST(GzipTextTest, GivesTheTextHoweverItIsRead) {
  for (const std::string& text : texts()) {
    const std::string one = gzip(text), all = with_whole_header(one) + gzip("") + one;
    // ISA-L takes long where it is given few bytes.
    for (const std::size_t file : {text.size() < 100 ? 1 : 211, 1009, 1'000'000})
      for (const std::size_t at_once : {99, 1000, 100'000}) {
        const Result result = read_all(all, {file, at_once});
        EXPECT_EQ(result.problem, "");
        EXPECT_TRUE(result.text == text + text) << text.size() << " " << file << " " << at_once;
      }
  }
}

TEST(GzipTextTest, AFileCutAnywhereGivesItsTextThenTheReason) {
  for (const std::string& text : texts()) {
    const std::string file = with_whole_header(gzip(text));
    for (std::size_t missing = 1; missing < file.size(); missing += missing < 20 ? 1 : 97)
      for (const Sizes sizes : {Sizes{100'000, 100'000}, Sizes{211, 5000}}) {
        const Result result = read_all(file.substr(0, file.size() - missing), sizes);
        EXPECT_EQ(result.problem, "its end is missing") << missing << " of " << file.size();
        EXPECT_TRUE(text.starts_with(result.text));
        constexpr std::size_t bytes_after_text = 8;
        EXPECT_TRUE(missing > bytes_after_text || result.text.size() == text.size());
      }
  }
}

/// zlib's functions for files take this one for whole: the text ends where a read does.
TEST(GzipTextTest, AMissingChecksumIsMissedWhereverTheTextEnds) {
  const std::string text(40'960, '7'), file = gzip(text);
  for (std::size_t missing = 1; missing <= 8; ++missing)
    for (const std::size_t at_once : {40'960, 4096, 10}) {
      const Result result = read_all(file.substr(0, file.size() - missing), {1000, at_once});
      EXPECT_EQ(result.problem, "its end is missing");
      EXPECT_EQ(result.text, text);
    }
}

TEST(GzipTextTest, NoDamagedByteChangesTheText) {
  const std::string text = "1\t7\t[5]\t[1]\t[0]\n1\t7\t[5, 6]\t[1]\t[0]\n", file = gzip(text);
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int flipped = 1; flipped < 256; ++flipped) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ flipped);
      const Result result = read_all(damaged);
      EXPECT_TRUE(!result.problem.empty() || result.text == text) << at << " " << flipped;
    }
}

TEST(GzipTextTest, SaysWhatIsWrong) {
  const std::string file = gzip("1\t7\n");
  const auto problem_with = [&](std::size_t at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    return read_all(damaged).problem;
  };
  EXPECT_EQ(problem_with(0), "its header is damaged");
  EXPECT_EQ(problem_with(2), "it is compressed by an unknown method");
  EXPECT_EQ(problem_with(file.size() - 8), "its checksum is not that of its text");
  EXPECT_EQ(problem_with(file.size() - 4), "its checksum is not that of its text");
  std::string no_code = file;
  no_code[10] = '\x07';  // a last block of the kind that is not defined
  EXPECT_EQ(read_all(no_code).problem, "its compressed text is damaged");
}

TEST(GzipTextTest, ZerosAfterTheTextArePadding) {
  const std::string file = gzip("1\n");
  for (const std::size_t zeros : {1, 512, 5000}) {
    const Result result = read_all(file + std::string(zeros, '\0'));
    EXPECT_EQ(result.problem, "");
    EXPECT_EQ(result.text, "1\n");
  }
  EXPECT_EQ(read_all(file + std::string(600, '\0') + file).text, "1\n1\n");
}

TEST(GzipTextTest, OtherBytesAfterTheTextAreNotDropped) {
  const auto after_text = [](const std::string& bytes) {
    const Result result = read_all(gzip("1\n") + bytes);
    EXPECT_EQ(result.text, "1\n");
    return result.problem;
  };
  for (const std::string other : {"2\n", "many more lines\n"})
    EXPECT_EQ(after_text(other), "what follows its compressed text is not gzip");
  EXPECT_EQ(after_text("\x1f"), "its end is missing");
  EXPECT_EQ(after_text("\x1f and more lines\n"), "its header is damaged");
}

TEST(GzipTextTest, AFileIsKnownByItsFirstBytes) {
  EXPECT_TRUE(GzipText::is_gzip(gzip("")));
  for (const std::string_view other : {"", "\x1f", "1\t", "\x8b\x1f"})
    EXPECT_FALSE(GzipText::is_gzip(other));
}

}  // namespace
}  // namespace ultr::gzip_text_test
