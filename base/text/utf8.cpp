#include "base/text/utf8.h"

#include <boost/locale/utf.hpp>

namespace ultr {

bool is_utf8(std::string_view text) {
  namespace utf = boost::locale::utf;
  for (const char *at = text.data(), *const end = at + text.size(); at != end;)
    if (!utf::is_valid_codepoint(utf::utf_traits<char>::decode(at, end))) return false;
  return true;
}

}  // namespace ultr
