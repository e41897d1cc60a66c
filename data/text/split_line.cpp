#include "data/text/split_line.h"

#include "base/text/short_texts.h"

namespace ultr {

bool SplitLine::parse(std::size_t i) {
  const std::string_view text = field(i);
  return parse_digits(text, text.size(), all_.numbers[first_ + i]);
}

}  // namespace ultr
