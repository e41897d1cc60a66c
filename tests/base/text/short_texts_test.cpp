#include "base/text/short_texts.h"

#include <string>

#include <gtest/gtest.h>

namespace ultr::short_texts_test {
namespace {

TEST(EqualTextsTest, ComparesEveryByte) {
  for (std::size_t size = 0; size <= 80; ++size) {
    std::string text(size, 'a');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('!' + i);
    EXPECT_TRUE(equal_texts(text, std::string(text)));
    EXPECT_FALSE(equal_texts(text, text + 'a'));
    EXPECT_FALSE(equal_texts(text + 'a', text));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] ^= '\x40';
      EXPECT_FALSE(equal_texts(text, other)) << size << ": byte " << at;
    }
  }
}

}  // namespace
}  // namespace ultr::short_texts_test
