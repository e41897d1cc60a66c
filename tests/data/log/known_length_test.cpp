#include "data/log/known_length.h"

#include <vector>

#include <gtest/gtest.h>

namespace ultr::known_length_test {
namespace {

TEST(KnownLengthTest, CallsTheWorkOnceWithTheLength) {
  for (std::size_t length = 0; length < 40; ++length) {
    std::vector<std::size_t> done;
    with_known_length(length, [&](auto known) { done.push_back(known); });
    EXPECT_EQ(done, std::vector{length});
  }
}

TEST(KnownLengthTest, UsualLengthsAreCompileTimeConstants) {
  for (const std::size_t length : {1u, 10u, 25u})
    with_known_length(
        length, [](auto known) { EXPECT_FALSE((std::is_same_v<decltype(known), std::size_t>)); });
}

}  // namespace
}  // namespace ultr::known_length_test
