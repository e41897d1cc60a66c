#include "training/shards/epoch_order.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace ultr::epoch_order_test {
namespace {

using Sessions = std::vector<std::uint32_t>;

constexpr std::size_t block = 256, window = EpochOrder::window;
/// Log sizes: one session, a few, a window, a little more, and several windows with a partial
/// block.
constexpr std::array<std::size_t, 6> sizes = {
    1, 10, window, window + 1, window + block, 3 * window + block + 7};

Sessions whole(std::size_t sessions, std::uint64_t seed = 1, std::int64_t epoch = 1,
               bool shuffle = true) {
  const EpochOrder order(sessions, seed, epoch, shuffle);
  Sessions all(sessions), places;
  for (std::size_t w = 0; w < order.windows(); ++w) {
    order.places(w, places);
    EXPECT_EQ(places.size(), order.size(w));
    auto place = places.begin();
    for (const auto& [first, last] : order.ranges(w))
      for (std::size_t session = first; session < last; ++session)
        all[w * window + *place++] = static_cast<std::uint32_t>(session);
    EXPECT_EQ(place, places.end());
  }
  return all;
}

Sessions counted(std::size_t sessions) {
  Sessions all(sessions);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

TEST(EpochOrderTest, EverySessionComesOnce) {
  for (const std::size_t sessions : sizes) {
    Sessions order = whole(sessions);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, counted(sessions));
  }
}

TEST(EpochOrderTest, FollowsFromSeedAndEpoch) {
  for (const std::size_t sessions : {std::size_t{1000}, 2 * window}) {
    EXPECT_EQ(whole(sessions, 1, 1), whole(sessions, 1, 1));
    EXPECT_NE(whole(sessions, 2, 1), whole(sessions, 1, 1));
    EXPECT_NE(whole(sessions, 1, 2), whole(sessions, 1, 1));
  }
}

TEST(EpochOrderTest, WithoutShufflingSessionsStayInOrder) {
  for (const std::size_t sessions : sizes)
    EXPECT_EQ(whole(sessions, 1, 1, false), counted(sessions));
}

TEST(EpochOrderTest, WindowsHaveSessionsFromAllOverTheLog) {
  const std::size_t sessions = 8 * window;
  const Sessions order = whole(sessions);
  for (std::size_t w = 0; w < 8; ++w) {
    std::array<int, 8> from{};
    for (std::size_t i = w * window; i < (w + 1) * window; ++i) ++from[order[i] / window];
    // Each eighth contributes 64 of 512 blocks on average, with a standard deviation below 8.
    for (const int count : from) EXPECT_NEAR(count / static_cast<double>(block), 64, 5 * 8);
  }
  // Neighbours are separated: within a window all places are equally likely.
  std::size_t near = 0;
  for (std::size_t i = 1; i < sessions; ++i)
    near += std::max(order[i], order[i - 1]) - std::min(order[i], order[i - 1]) < block ? 1 : 0;
  EXPECT_LT(near, sessions / 100);
}

TEST(EpochOrderTest, HugeLogsHaveLargerBlocks) {
  constexpr std::size_t sessions = EpochOrder::huge + 3 * window + 7;
  EXPECT_EQ(EpochOrder(EpochOrder::huge, 1, 1, true).block(), block);
  const EpochOrder order(sessions, 1, 1, true);
  std::set<std::size_t> starts;
  std::size_t all = 0;
  for (std::size_t w = 0; w < order.windows(); ++w) {
    const auto ranges = order.ranges(w);
    EXPECT_LE(ranges.size(), window / order.block() + 2);
    for (const auto& [first, last] : ranges) {
      all += last - first;
      starts.insert(first / order.block());
      EXPECT_EQ((last - 1) / order.block(), first / order.block());
    }
  }
  EXPECT_EQ(all, sessions);
  EXPECT_EQ(order.block(), 4 * block);
  EXPECT_EQ(starts.size(), sessions / order.block() + 1);
}

}  // namespace
}  // namespace ultr::epoch_order_test
