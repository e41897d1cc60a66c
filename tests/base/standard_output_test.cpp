#include "base/standard_output.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/progress_bar.h"
#include "testing/terminal.h"

namespace ultr::standard_output_test {
namespace {

/// Keeps what it gets while it is the console of the process.
class KeepingConsole final : public Console {
 public:
  KeepingConsole() { use_console(this); }
  ~KeepingConsole() override { use_console(nullptr); }
  KeepingConsole(const KeepingConsole&) = delete;
  KeepingConsole& operator=(const KeepingConsole&) = delete;

  void print(std::string_view text) noexcept override { printed += text; }
  void progress(const std::string& work, const std::string& unit, std::uint64_t done,
                std::uint64_t total) override {
    if (stops) throw std::runtime_error("stopped");
    shown = fmt::format("{} {}/{}{}", work, done, total, unit);
  }

  std::string printed, shown;
  bool stops = false;
};

TEST(ConsoleTest, StandardOutputGoesToIt) {
  std::FILE* file = std::tmpfile();
  {
    KeepingConsole console;
    print_to(stdout, "{} {}", 1, "line\n");
    print_to(file, "to a file");
    EXPECT_EQ(console.printed, "1 line\n");
  }
  EXPECT_EQ(std::ftell(file), 9);
  std::fclose(file);
  EXPECT_EQ(console(), nullptr);
}

TEST(ConsoleTest, BarsGoToItAndNotToATerminal) {
  KeepingConsole console;
  const std::string drawn = testing::shown_on_terminal([&](std::FILE* terminal) {
    EXPECT_FALSE(is_terminal(terminal));
    ProgressBar bar(terminal, "reading", 200, " B");
    bar.add(50);
    EXPECT_EQ(console.shown, "reading 50/200 B");
  });
  EXPECT_EQ(drawn, "");
}

TEST(ConsoleTest, AnExceptionFromItEndsTheWork) {
  KeepingConsole console;
  console.stops = true;
  ProgressBar bar(stderr, "reading", 200, " B");
  EXPECT_THROW(bar.add(50), std::runtime_error);
}

}  // namespace
}  // namespace ultr::standard_output_test
