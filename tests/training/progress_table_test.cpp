#include "training/progress_table.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/terminal.h"

namespace ultr::progress_test {
namespace {

/// Returns the output of a table to a file.
template <class Use>
std::string printed(Use use) {
  std::FILE* file = std::tmpfile();
  ProgressTable table(file, 20, 1000);
  use(table);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

/// Returns the output of a table to a terminal.
template <class Use>
std::string shown(Use use) {
  return testing::shown_on_terminal([&](std::FILE* terminal) {
    ProgressTable table(terminal, 20, 1000);
    use(table);
  });
}

/// Returns the result of an epoch with validation.
EpochResult epoch_with_validation(bool best) {
  EpochResult result{.epoch = 3, .train_loss = 0.5, .best = best, .sessions_per_second = 12345};
  result.valid.emplace().values = {{"loss", 1.25}, {"ppl", 2}, {"cond_ppl", 4}};
  return result;
}

TEST(ProgressTableTest, PipedItIsOnePlainLinePerEpoch) {
  EXPECT_EQ(printed([](ProgressTable& table) { table.header(); }),
            "  epoch train loss valid loss       ppl  cond ppl sessions/s  left, at most\n");
  const std::string line = printed([](ProgressTable& table) {
    table.step(3, 500);
    table.epoch(epoch_with_validation(true));
  });
  EXPECT_THAT(line,
              ::testing::MatchesRegex(
                  "   3/20    0.50000    1.25000   2.00000   4.00000     12.3 k +0.0 s \\*\n"));
  EXPECT_THAT(printed([](ProgressTable& table) { table.epoch(epoch_with_validation(false)); }),
              ::testing::EndsWith(" s\n"));
}

TEST(ProgressTableTest, WithoutValidationItSaysSo) {
  EXPECT_THAT(printed([](ProgressTable& table) {
                table.epoch({.epoch = 20, .train_loss = 0.5, .sessions_per_second = 2e6});
              }),
              ::testing::MatchesRegex(
                  "  20/20    0.50000          -         -         -     2.00 M +0.0 s\n"));
}

TEST(ProgressTableTest, ATerminalKeepsNoRunningLineOfTrainingThatEnds) {
  EXPECT_THAT(shown([](ProgressTable& table) { table.step(3, 500); }),
              ::testing::EndsWith("\r\033[K"));
}

TEST(ProgressTableTest, ResumedTrainingHasFiniteRates) {
  // Nothing has been done since the start but the last session of epoch 3.
  const std::string line = printed([](ProgressTable& table) {
    table.resume(2, 1000);
    table.epoch(epoch_with_validation(false));
  });
  EXPECT_THAT(line, ::testing::StartsWith("   3/20    0.50000 "));
  EXPECT_EQ(line.find("inf"), std::string::npos) << line;
  EXPECT_EQ(line.find("nan"), std::string::npos) << line;
}

TEST(ProgressTableTest, ATerminalShowsTheRunningEpochAndEraseItWhenDone) {
  const std::string text = shown([](ProgressTable& table) {
    table.step(3, 500);
    table.epoch(epoch_with_validation(true));
  });
  const std::string erase = "\r\033[K";
  EXPECT_THAT(text,
              ::testing::StartsWith(erase + "   3/20 [###############...............]  50%  "));
  EXPECT_THAT(text, ::testing::HasSubstr("sessions/s, epoch done in "));
  const std::size_t erased = text.rfind(erase);
  ASSERT_GT(erased, 0u);
  EXPECT_THAT(text.substr(erased + erase.size()), ::testing::StartsWith("   3/20    0.50000 "));
}

}  // namespace
}  // namespace ultr::progress_test
