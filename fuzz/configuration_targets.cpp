#include <algorithm>
#include <memory>
#include <stdexcept>

#include "experiment/resolve_options.h"
#include "fuzz/input_folder.h"
#include "fuzz/target.h"
#include "options/config_tree.h"
#include "studies/run_study.h"
#include "studies/study.h"
#include "studies/study_expression.h"
#include "studies/sweep_grid.h"

namespace ultr::fuzz {
namespace {

std::string resolve(const std::string& yaml) {
  ExperimentOptions options =
      resolve_options(parse_config(yaml, "input"), "/none", "fuzz", registry());
  return saved_config(options);
}

/// Resolves a configuration. What is resolved must resolve to itself.
bool resolve_twice(const std::string& yaml) {
  std::string resolved;
  if (!accepts([&] { resolved = resolve(yaml); })) return false;
  if (resolve(resolved) != resolved)
    throw std::logic_error("the resolved configuration resolves to another one");
  return true;
}

bool apply_override(const std::string& assignment) {
  return accepts([&] {
    ConfigNode root = parse_config("{model: pbm, optimizer: {type: adam, lr: 0.1}}", "input");
    override_config(root, assignment);
    one_line_yaml(root);
  });
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<Target> configuration_targets() {
  const auto text_target = [](const std::string& name,
                              const std::function<bool(const std::string& text)>& run) {
    return Target{name, [run](std::string_view bytes) { return run(std::string(bytes)); }};
  };
  return {
      text_target("yaml",
                  [](const std::string& text) {
                    return accepts([&] { one_line_yaml(parse_config(text, "input")); });
                  }),
      text_target("configuration", resolve_twice),
      text_target("override", apply_override),
      text_target(
          "claim",
          [](const std::string& text) { return accepts([&] { parse_claim(text, "input"); }); }),
      text_target(
          "study_number",
          [](const std::string& text) { return accepts([&] { parse_number(text, "input"); }); }),
      text_target(
          "sweep",
          [](const std::string& text) { return accepts([&] { sweep_grid(lines_of(text)); }); }),
      {"study",
       [folder = std::make_shared<InputFolder>()](std::string_view bytes) {
         const auto file = folder->write("input.yaml", bytes);
         return accepts([&] { check_study(read_study(file, {})); });
       }},
  };
}

}  // namespace ultr::fuzz
