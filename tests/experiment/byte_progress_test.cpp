#include "experiment/byte_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/terminal.h"

namespace ultr {
namespace {

/// What a bar over so many bytes shows on a terminal.
template <class Use>
std::string shown(std::uint64_t total, Use use) {
  return testing::shown_on_terminal([&](std::FILE* terminal) {
    ByteProgress bar(terminal, "reading", total);
    use(bar);
  });
}

TEST(ByteProgressTest, DrawsItsShareAndErasesItselfAtTheEnd) {
  const std::string text = shown(200, [](ByteProgress& bar) { bar.add(50); });
  EXPECT_THAT(text,
              ::testing::StartsWith("\r\033[Kreading [#######.......................]  25%  "));
  EXPECT_THAT(text, ::testing::EndsWith(" left\r\033[K"));
}

TEST(ByteProgressTest, NeverDrawsMoreThanAll) {
  EXPECT_THAT(shown(200, [](ByteProgress& bar) { bar.add(300); }),
              ::testing::HasSubstr("[##############################] 100%"));
}

TEST(ByteProgressTest, IsSilentWithoutATerminalOrATotal) {
  std::FILE* file = std::tmpfile();
  {
    ByteProgress bar(file, "reading", 200);
    bar.add(100);
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
  EXPECT_EQ(shown(0, [](ByteProgress& bar) { bar.add(10); }), "");
}

}  // namespace
}  // namespace ultr
