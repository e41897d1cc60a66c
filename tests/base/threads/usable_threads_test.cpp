#include "base/threads/usable_threads.h"

#include <system_error>

#include <gtest/gtest.h>

namespace ultr::usable_threads_test {
namespace {

TEST(UsableThreadsTest, AreAsManyAsTheSystemStarts) {
  EXPECT_EQ(usable_threads(1), 1);
  EXPECT_EQ(usable_threads(4), 4);
  for (const int most : {0, 1, 2, 5, 100}) {
    int started = 0;
    const int usable = usable_threads(8, [&](const std::function<void()>& work) {
      if (started == most)
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      ++started;
      return std::thread(work);
    });
    EXPECT_EQ(usable, std::min(8, 1 + most / 2)) << most;
  }
}

}  // namespace
}  // namespace ultr::usable_threads_test
