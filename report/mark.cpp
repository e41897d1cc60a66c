#include "report/mark.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace ultr {
namespace {

struct Icon {
  std::string_view name;  // CSS class
  std::string_view path;  // in a square of 16 by 16
  bool filled = false;
};

constexpr std::array<Icon, 7> icons = {
    {{"", ""},
     {"good", "M2.5 8.5l3.5 4 7.5-9"},
     {"bad", "M3.5 3.5l9 9m0-9l-9 9"},
     {"even", "M2 6.5q3-4 6 0t6 0M2 11.5q3-4 6 0t6 0"},
     {"chosen", "M8 1.2l2.1 4.5 4.9.6-3.6 3.4.9 4.9L8 12.2l-4.3 2.4.9-4.9L1 6.3l4.9-.6z", true},
     {"missing", "M8 2a6 6 0 1 0 .01 0zM3.8 12.2l8.4-8.4"},
     {"warning", "M8 1.8L14.8 14H1.2zM8 6v4M8 11.6v.8"}}};

}  // namespace

std::string render_icon(Mark mark) {
  if (mark == Mark::none) return "";
  const Icon& icon = icons[static_cast<std::size_t>(mark)];
  return fmt::format(
      "<svg class=\"icon {}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\" "
      "width=\"14\" height=\"14\" aria-hidden=\"true\"><path d=\"{}\" fill=\"{}\" "
      "stroke=\"currentColor\" stroke-width=\"{}\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\"/></svg>",
      icon.name, icon.path, icon.filled ? "currentColor" : "none", icon.filled ? "1" : "2");
}

}  // namespace ultr
