#include "base/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/terminal.h"

namespace ultr::progress_bar_test {
namespace {

/// Returns the output of a bar over `total` work on a terminal.
template <class Use>
std::string shown(std::uint64_t total, Use use) {
  return testing::shown_on_terminal([&](std::FILE* terminal) {
    ProgressBar bar(terminal, "reading", total, "B");
    use(bar);
  });
}

TEST(ProgressBarTest, DrawsItsShareAndErasesItselfAtTheEnd) {
  const std::string text = shown(200, [](ProgressBar& bar) { bar.add(50); });
  EXPECT_THAT(text,
              ::testing::StartsWith("\r\033[Kreading [#######.......................]  25%  "));
  EXPECT_THAT(text, ::testing::ContainsRegex("B/s, .* left\r\033\\[K$"));
}

TEST(ProgressBarTest, NeverDrawsMoreThanAll) {
  EXPECT_THAT(shown(200, [](ProgressBar& bar) { bar.add(300); }),
              ::testing::HasSubstr("[##############################] 100%"));
}

TEST(ProgressBarTest, IsSilentWithoutATerminalOrATotal) {
  std::FILE* file = std::tmpfile();
  {
    ProgressBar bar(file, "reading", 200, "B");
    bar.add(100);
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
  EXPECT_EQ(shown(0, [](ProgressBar& bar) { bar.add(10); }), "");
}

}  // namespace
}  // namespace ultr::progress_bar_test
