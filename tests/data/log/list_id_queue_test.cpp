#include "data/log/list_id_queue.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/errors.h"

namespace ultr::list_id_queue_test {
namespace {

using testing::data_message;
using Ids = std::vector<std::uint64_t>;

TEST(ListIdQueueTest, PassesAllListsOnInOrderManyAtATime) {
  for (const std::uint64_t lists : {0u, 1u, 20'000u}) {
    std::vector<std::pair<std::uint64_t, Ids>> taken;
    std::size_t calls = 0;
    ListIdQueue queue([&](const ListIds& some) {
      ++calls;
      some.for_each([&](std::uint64_t query, auto documents) {
        taken.emplace_back(query, Ids(documents.begin(), documents.end()));
      });
    });
    for (std::uint64_t i = 0; i < lists; ++i) queue.add(i / 2, Ids{i, 3, 2 * i});
    queue.finish();
    ASSERT_EQ(taken.size(), lists);
    for (std::uint64_t i = 0; i < lists; ++i)
      ASSERT_EQ(taken[i], std::pair(i / 2, Ids{i, 3, 2 * i}));
    EXPECT_LE(calls, 1 + lists / 1000);
  }
}

TEST(ListIdQueueTest, ThrowsWhatTakingHasThrown) {
  ListIdQueue queue([](const ListIds&) { throw DataError("too many pairs"); });
  EXPECT_EQ(data_message([&] {
              queue.add(1, Ids{2});
              queue.finish();
            }),
            "too many pairs");
}

}  // namespace
}  // namespace ultr::list_id_queue_test
