#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "commands/command_line.h"
#include "commands/command_table.h"
#include "docs/pages.h"
#include "testing/environment.h"
#include "testing/golden.h"
#include "testing/subprocess.h"

/// Checks every command of ultr-run and ./dev in the console blocks of the pages, in a folder with
/// the files that the pages mention. Configurations are run dry; other commands are parsed.
namespace ultr::console_test {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using testing::CodeBlock;
using testing::Finished;
using testing::shown_commands;
using testing::ShownCommand;

/// Returns true if a page shows that a command fails.
bool fails(const ShownCommand& shown) {
  return std::ranges::any_of(shown.output,
                             [](const std::string& line) { return line.starts_with("error: "); });
}

class ConsoleDataTest : public ::testing::Test {
 protected:
  ConsoleDataTest() {
    const fs::path root = ULTR_SOURCE_DIR;
    for (const char* name : {"configs", "examples"})
      fs::create_symlink(root / name, folder_.path() / name);
    const fs::path plugins = folder_.path() / "build/examples";
    fs::create_directories(plugins);
    for (const char* name : {"libtrust.so", "libfocal.so"})
      fs::create_symlink(fs::path(ULTR_EXAMPLE_FOLDER) / name, plugins / name);
    fs::create_symlink(fs::path(ULTR_PLUGIN_FOLDER) / "libreader.so", plugins / "libreader.so");
    const Finished simulated = testing::run_program(
        ULTR_RUN,
        {"simulate", "configs/quickstart.yaml", "data.sessions=100", "--output", "simulated"},
        folder_.path());
    EXPECT_EQ(simulated.exit_code, 0) << simulated.errors;
  }

  /// Writes the blocks of a page that have a name.
  void save(const std::vector<CodeBlock>& blocks) const {
    for (const CodeBlock& block : blocks)
      if (!block.saved_as().empty()) folder_.write(block.saved_as(), block.text);
  }

  /// Returns the arguments of each call of ultr-run that a shell command makes.
  std::vector<Arguments> calls_of(std::string command) const {
    for (const std::string same : {"./dev run", "~/ultr/bin/ultr-run"})
      if (command.starts_with(same)) command = "ultr-run" + command.substr(same.size());
    folder_.write("calls", "");
    const std::string script =
        "ultr-run() { printf '%s\\n' \"$@\" '' >> calls; }\n"
        "mpirun() { \"${@:3}\"; }\n" +
        command;
    const Finished finished = testing::run_program("/bin/bash", {"-c", script}, folder_.path());
    EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished.errors;
    std::vector<Arguments> calls(1);
    std::istringstream lines(testing::read_text(folder_.path() / "calls"));
    for (std::string line; std::getline(lines, line);)
      if (line.empty())
        calls.emplace_back();
      else
        calls.back().push_back(line);
    calls.pop_back();
    return calls;
  }

  void expect_accepted(const ShownCommand& shown, Arguments call) const {
    const auto command = std::ranges::find_if(
        call, [&](const std::string& word) { return find_command(word) != nullptr; });
    if (command != call.end() && !fails(shown)) {
      const Command& found = *find_command(*command);
      call.erase(command);
      return expect_parsed(found, call);
    }
    if (call[0] == "--resume") return;  // a run that was stopped
    if (!fails(shown) && call[0] != "--list") call.emplace_back("--dry-run");
    std::erase(call, "--check-gradients");
    const Finished finished = testing::run_program(ULTR_RUN, call, folder_.path());
    EXPECT_EQ(finished.exit_code != 0, fails(shown)) << finished.errors;
  }

  testing::TemporaryFolder folder_;

 private:
  static const Command* find_command(const std::string& name) {
    const std::vector<Command>& table = command_table();
    const auto found = std::ranges::find(table, name, &Command::name);
    return found == table.end() ? nullptr : &*found;
  }

  static void expect_parsed(const Command& command, Arguments arguments) {
    const Registry registry = built_in_registry();
    const std::unique_ptr<Task> task = command.make(registry);
    CLI::App app;
    const CommandLine line(app, *task);
    std::string plugin;
    bool trust = false;
    app.add_option("--plugin", plugin);
    app.add_flag("--trust", trust);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    EXPECT_NO_THROW({
      app.parse(arguments);
      line.read();
      task->check();
    });
  }
};

TEST_F(ConsoleDataTest, EveryCommandIsAccepted) {
  ULTR_NEEDS_DATA();
  const testing::Environment data({{"ULTR_DATA_DIR", testing::data_folder()->string()}});
  std::size_t checked = 0;
  for (const std::string& page : testing::documentation_pages()) {
    if (page.ends_with("/your-own-log.md") || page == "docs/labels.md" ||
        page == "docs/tutorials/ranker.md")
      continue;  // your_own_log_test.cpp runs them
    const std::vector<CodeBlock> blocks = testing::code_blocks(page);
    save(blocks);
    for (const CodeBlock& block : blocks) {
      if (block.language != "console" || block.mark.starts_with("not run")) continue;
      EXPECT_FALSE(shown_commands(block).empty()) << block.place();
      for (const ShownCommand& shown : shown_commands(block)) {
        SCOPED_TRACE(fmt::format("{}: {}", block.place(), shown.command));
        static const std::regex runs("([^]*[ \n])?([.]/dev run|([^ ]*/)?ultr-run) [^]*"),
            prints("printf .*");
        if (std::regex_match(shown.command, prints))
          testing::run_program("/bin/bash", {"-c", shown.command}, folder_.path());
        if (!std::regex_match(shown.command, runs)) continue;
        for (const Arguments& call : calls_of(shown.command)) {
          expect_accepted(shown, call);
          ++checked;
        }
      }
    }
  }
  EXPECT_GE(checked, 60u);
}

TEST(ConsoleTest, EveryTaskOfDevExists) {
  const std::string dev = testing::read_page("dev");
  static const std::regex task("[.]/dev ([a-z]+)[^]*");
  std::size_t checked = 0;
  for (const CodeBlock& block : testing::all_code_blocks("console"))
    for (const ShownCommand& shown : shown_commands(block)) {
      std::smatch match;
      if (!std::regex_match(shown.command, match, task)) continue;
      EXPECT_THAT(dev, ::testing::HasSubstr("\n  " + match.str(1) + ")"))
          << block.place() << ": " << shown.command;
      ++checked;
    }
  EXPECT_GE(checked, 8u);
}

}  // namespace
}  // namespace ultr::console_test
