#include "data/simulation/made_lists.h"

#include <gtest/gtest.h>

#include "testing/make_lists.h"

namespace ultr::made_lists_test {
namespace {

TEST(MadeListsTest, MakesListsAgainForAnotherGeneratorAlone) {
  MadeLists made;
  int times = 0;
  const auto lists_of = [&](const std::string& queries) {
    const auto make = [&] {
      ++times;
      return testing::make_lists("synthetic", "{train_queries: " + queries + "}");
    };
    return made.of(queries, make).train.lists();
  };
  EXPECT_EQ(lists_of("3"), 3u);
  EXPECT_EQ(lists_of("3"), 3u);
  EXPECT_EQ(times, 1);
  EXPECT_EQ(lists_of("4"), 4u);
  EXPECT_EQ(lists_of("3"), 3u) << "only the last lists are kept";
  EXPECT_EQ(times, 3);
}

}  // namespace
}  // namespace ultr::made_lists_test
