#include "docs/pages.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "testing/temporary_folder.h"

namespace ultr::testing {
namespace {

namespace fs = std::filesystem;

/// The lines of a page, those inside of fenced blocks left out.
std::vector<std::string> prose(const std::string& page) {
  std::istringstream text(read_page(page));
  std::vector<std::string> lines;
  bool in_code = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```"))
      in_code = !in_code;
    else if (!in_code)
      lines.push_back(line);
  }
  return lines;
}

/// Returns true if a command goes on in the next line.
bool goes_on(const std::string& command) {
  return command.ends_with('\\') ||
         (command.starts_with("for ") && command.find("done") == std::string::npos);
}

}  // namespace

std::string CodeBlock::marked(const std::string& name) const {
  return mark.starts_with(name + ": ") ? mark.substr(name.size() + 2) : "";
}

std::string CodeBlock::saved_as() const {
  const std::size_t save = mark.find("save: ");
  return save == std::string::npos ? "" : mark.substr(save + 6);
}

std::vector<ShownCommand> shown_commands(const CodeBlock& block) {
  std::vector<ShownCommand> commands;
  std::istringstream text(block.text);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("$ "))
      commands.push_back({line.substr(2), {}});
    else if (!commands.empty() && goes_on(commands.back().command))
      commands.back().command += "\n" + line;
    else if (!commands.empty())
      commands.back().output.push_back(line);
  }
  return commands;
}

std::vector<std::string> documentation_pages() {
  std::vector<std::string> pages = {"README.md"};
  const fs::path root = ULTR_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(fs::relative(entry.path(), root));
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::string read_page(const std::string& page) {
  return read_text(fs::path(ULTR_SOURCE_DIR) / page);
}

std::vector<CodeBlock> code_blocks(const std::string& page) {
  static const std::regex comment("<!-- (.*) -->");
  std::istringstream text(read_page(page));
  std::vector<CodeBlock> blocks;
  std::string before;
  bool in_code = false;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.starts_with("```")) {
      in_code = !in_code;
      std::smatch mark;
      std::regex_match(before, mark, comment);
      if (in_code) blocks.push_back({page, number, line.substr(3), mark.str(1), ""});
    } else if (in_code) {
      blocks.back().text += line + "\n";
    }
    before = line;
  }
  return blocks;
}

std::vector<CodeBlock> all_code_blocks(const std::string& language) {
  std::vector<CodeBlock> all;
  for (const std::string& page : documentation_pages())
    for (const CodeBlock& block : code_blocks(page))
      if (block.language == language) all.push_back(block);
  return all;
}

std::vector<std::string> code_spans(const std::string& page) {
  static const std::regex code("`([^`]*)`");
  std::vector<std::string> spans;
  for (const std::string& line : prose(page))
    for (std::sregex_iterator i(line.begin(), line.end(), code), end; i != end; ++i)
      spans.push_back((*i)[1]);
  return spans;
}

std::vector<std::string> links(const std::string& page) {
  static const std::regex link(R"(\]\(([^)\s]+)\))"), code("`[^`]*`");
  std::vector<std::string> targets;
  for (const std::string& line : prose(page)) {
    const std::string text = std::regex_replace(line, code, "");
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i)
      targets.push_back((*i)[1]);
  }
  return targets;
}

std::vector<std::string> anchors(const std::string& page) {
  static const std::regex heading("#+ (.*)");
  std::vector<std::string> all;
  for (const std::string& line : prose(page)) {
    std::smatch match;
    if (!std::regex_match(line, match, heading)) continue;
    std::string anchor;
    for (const char c : match.str(1)) {
      if (c == ' ')
        anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c < 0)
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    all.push_back(anchor);
  }
  return all;
}

}  // namespace ultr::testing
