#include <cmath>
#include <filesystem>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "docs/pages.h"
#include "testing/subprocess.h"

/// Runs every command of the pages below, in order and in one folder each, and compares what it
/// prints with the page.
namespace ultr::your_own_log_test {
namespace {

namespace fs = std::filesystem;
using testing::ShownCommand;

constexpr const char* pages[] = {"docs/your-own-log.md", "docs/choose.md", "docs/labels.md",
                                 "docs/tutorials/your-own-log.md", "docs/tutorials/ranker.md"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns true if a text has the parts of a shown line between its "..." in order, and begins and
/// ends as the line does.
bool has_parts(const std::string& shown, const std::string& printed) {
  std::size_t part = 0, at = 0;
  for (std::size_t dots = shown.find("..."); dots != std::string::npos;
       part = dots + 3, dots = shown.find("...", part)) {
    const std::string text = shown.substr(part, dots - part);
    const std::size_t found = printed.find(text, at);
    if (found == std::string::npos || (part == 0 && found != 0)) return false;
    at = found + text.size();
  }
  return std::string_view(printed).substr(at).ends_with(shown.substr(part));
}

/// Returns true if a printed line is the shown one. Numbers with a fraction may differ by 0.001,
/// and
/// "..." within a line stands for any text.
bool is_shown(const std::string& shown, std::string printed) {
  printed.erase(printed.find_last_not_of(' ') + 1);  // docs show no blanks at the end of a line
  static const std::regex number(R"(-?\d+[.]\d+)");
  if (shown.find("...") != std::string::npos) return has_parts(shown, printed);
  if (std::regex_replace(shown, number, "#") != std::regex_replace(printed, number, "#"))
    return false;
  using Numbers = std::sregex_iterator;
  for (Numbers a(shown.begin(), shown.end(), number), b(printed.begin(), printed.end(), number);
       a != Numbers(); ++a, ++b)
    if (std::abs(std::stod(a->str()) - std::stod(b->str())) > 1e-3) return false;
  return true;
}

/// Expects the shown lines in order; a line "..." stands for any lines.
void expect_output(const ShownCommand& command, const std::string& output) {
  const std::vector<std::string> printed = lines_of(output);
  std::size_t at = 0;
  bool any = false;
  for (const std::string& shown : command.output) {
    if (shown == "...") {
      any = true;
      continue;
    }
    while (any && at < printed.size() && !is_shown(shown, printed[at])) ++at;
    ASSERT_TRUE(at < printed.size() && is_shown(shown, printed[at]))
        << "$ " << command.command << "\nshown:   " << shown << "\nprinted: " << output;
    ++at;
    any = false;
  }
  EXPECT_TRUE(any || at == printed.size()) << "$ " << command.command << "\n" << output;
}

class ShownCommandsSlowTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Pages, ShownCommandsSlowTest, ::testing::ValuesIn(pages),
                         [](const auto& page) {
                           return std::regex_replace(std::string(page.param),
                                                     std::regex("[^A-Za-z0-9]"), "_");
                         });

TEST_P(ShownCommandsSlowTest, PrintWhatThePageShows) {
  const testing::TemporaryFolder folder;
  const std::string path = fs::path(ULTR_RUN).parent_path().string();
  std::size_t run = 0;
  for (const testing::CodeBlock& block : testing::code_blocks(GetParam()))
    if (!block.saved_as().empty()) folder.write(block.saved_as(), block.text);
  for (const testing::CodeBlock& block : testing::code_blocks(GetParam())) {
    if (block.language != "console") continue;
    for (const ShownCommand& command : testing::shown_commands(block)) {
      const std::string script =
          "export PATH='" + path + "':$PATH; { " + command.command + "; } 2>&1";
      const testing::Finished finished =
          testing::run_program("/bin/bash", {"-c", script}, folder.path());
      const bool fails = !command.output.empty() && command.output.back().starts_with("error: ");
      EXPECT_EQ(finished.exit_code != 0, fails) << command.command << "\n" << finished.output;
      expect_output(command, finished.output);
      ++run;
    }
  }
  EXPECT_GE(run, 3u);
}

TEST(ShownOutputTest, OtherOutputIsNoticed) {
  EXPECT_TRUE(is_shown("a 1.2345, in ...", "a 1.2345, in 3 s"));
  EXPECT_TRUE(is_shown("a 1.2345 7", "a 1.2346 7"));
  EXPECT_FALSE(is_shown("a 1.2345 7", "a 1.2445 7"));
  EXPECT_FALSE(is_shown("a 1.2345 7", "a 1.2345 8"));
  EXPECT_FALSE(is_shown("a", "a b"));
  EXPECT_TRUE(is_shown("error: .../b: c", "error: /x/b: c"));
  EXPECT_FALSE(is_shown("error: .../b: c", "error: /x/b: d"));
}

}  // namespace
}  // namespace ultr::your_own_log_test
