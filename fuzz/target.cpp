#include "fuzz/target.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "commands/built_in_registry.h"

namespace ultr::fuzz {

bool accepts(const std::function<void()>& work) {
  constexpr std::size_t longest_message = 2000;
  try {
    work();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty() || message.size() > longest_message ||
        std::any_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }))
      throw std::logic_error(
          fmt::format("an error whose message is not one line: {}", quote(message)));
    return false;
  }
}

Registry& registry() {
  static Registry types = built_in_registry();
  return types;
}

std::vector<Target> targets() {
  std::vector<Target> all = data_targets();
  for (const auto& more : {configuration_targets(), run_targets()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace ultr::fuzz
