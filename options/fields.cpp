#include "options/fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace ultr {

std::string to_string(const Limits& limits) {
  std::string low, high;
  if (limits.low != -std::numeric_limits<double>::infinity())
    low = fmt::format("{} {}", limits.low_open ? "above" : "at least", limits.low);
  if (limits.high != std::numeric_limits<double>::infinity())
    high = fmt::format("{} {}", limits.high_open ? "below" : "at most", limits.high);
  if (low.empty() && high.empty()) return "any number";
  if (low.empty() || high.empty()) return low + high;
  return low + " and " + high;
}

Choice::Choice(const std::vector<OptionType>& table, std::string_view name,
               std::string_view key_name)
    : types(&table), key(key_name) {
  if (!select(name)) throw Error(fmt::format("there is no type '{}'", name));
}

bool Choice::select(std::string_view name) {
  const auto found = std::find_if(types->begin(), types->end(),
                                  [&](const OptionType& known) { return known.name == name; });
  if (found == types->end()) return false;
  type = found->name;
  options = found->make();
  return true;
}

}  // namespace ultr
