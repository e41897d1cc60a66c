#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The documentation, as tests read it.
namespace ultr::testing {

/// A fenced block of a page, and the comment `<!-- MARK -->` on the line before it, if any.
struct CodeBlock {
  std::string page;  // relative to the repository
  std::size_t line;  // of its first fence, from 1
  std::string language, mark, text;

  std::string place() const { return page + ":" + std::to_string(line); }
  /// Returns what follows "NAME: " in the mark; empty if the mark begins with another name.
  std::string marked(const std::string& name) const;
  /// Returns the name of the file as which the page saves the block: what ends the mark after
  /// "save: ". Empty if it does not.
  std::string saved_as() const;
};

/// A command of a console block, with the lines that continue it, and the output that is shown.
struct ShownCommand {
  std::string command;
  std::vector<std::string> output;
};
/// Returns the commands of a console block, in order.
std::vector<ShownCommand> shown_commands(const CodeBlock& block);

/// Returns the paths of README.md and of all pages below docs/, relative to the repository.
std::vector<std::string> documentation_pages();
std::string read_page(const std::string& page);

/// Returns the blocks of a page, in order.
std::vector<CodeBlock> code_blocks(const std::string& page);
/// Returns the blocks of all pages in one language.
std::vector<CodeBlock> all_code_blocks(const std::string& language);

/// Returns the targets of the links of a page, those in code left out.
std::vector<std::string> links(const std::string& page);
/// Returns the code spans of a page, without their backticks.
std::vector<std::string> code_spans(const std::string& page);
/// Returns the anchors of the headings of a page, as GitHub makes them.
std::vector<std::string> anchors(const std::string& page);

}  // namespace ultr::testing
