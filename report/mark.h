#pragma once

#include <cstdint>
#include <string>

namespace ultr {

/// The meaning of a verdict, which an icon shows beside its words. Icons differ in shape, so that
/// they need no colours to be told apart.
enum class Mark : std::uint8_t {
  none,
  good,     // a tick: held, finished, better
  bad,      // a cross: failed, worse
  even,     // waves: no difference
  chosen,   // a star: best, selected, baseline
  missing,  // a struck circle: no result, not run
  warning,  // a triangle
};

/// Returns the icon as an inline <svg> of the height of letters, which screen readers skip; empty
/// for `none`. The page's style sheet colours it.
std::string render_icon(Mark mark);

}  // namespace ultr
