#include "data/log/shard.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::shard_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Rows = std::vector<std::uint32_t>;

enum class Gaps { none, some };

TEST(ShardTest, WeightsAreInTheOrderOfItsSessions) {
  SessionLog log;
  for (const std::uint32_t length : {1u, 3u, 2u}) {
    const std::vector<std::uint16_t> positions = {0, 1, 2};
    log.add({.rows = Rows(length, 7u),
             .positions = std::span(positions).first(length),
             .clicks = std::vector<std::uint8_t>(length),
             .weight = length * 1.5});
  }
  Shard shard;
  shard.pack(log, Rows{0, 1, 2});
  EXPECT_THAT(shard.weights(), ElementsAre(4.5f, 3.f, 1.5f));
  EXPECT_EQ(shard.weighted_sessions(), 9);
  EXPECT_EQ(shard.weighted_documents(), 1.5 * (1 + 4 + 9));
  SessionView same = log[0];
  same.weight = 1;
  SessionLog without;
  without.add(same);
  shard.pack(without, Rows{0});
  EXPECT_THAT(shard.weights(), IsEmpty());
  EXPECT_EQ(shard.weighted_documents(), 1);
}

TEST(ShardTest, SignalsAreStoredRankByRank) {
  SessionLog log;
  const std::vector<std::uint16_t> positions = {0, 1, 2};
  for (const std::uint16_t length : std::array<std::uint16_t, 3>{1, 3, 3}) {
    SignalColumns signals;
    for (std::uint16_t k = 0; k < length; ++k)
      signals[Signal::dwell].push_back(static_cast<std::uint16_t>(10 * log.sessions() + k));
    log.add({.rows = Rows(length, 7u),
             .positions = std::span(positions).first(length),
             .clicks = std::vector<std::uint8_t>(length),
             .signals = spans_of(signals)});
  }
  Shard shard;
  shard.pack(log, Rows{0, 1, 2});
  EXPECT_THAT(shard.signal(Signal::dwell), ElementsAre(10, 20, 0, 11, 21, 12, 22));
  EXPECT_THAT(shard.signal(Signal::viewed), IsEmpty());
  shard.pack(log, Rows{2, 1});
  EXPECT_THAT(shard.signal(Signal::dwell), ElementsAre(20, 10, 21, 11, 22, 12));
}

/// Returns a log of random lists with 1 to `longest` documents.
SessionLog random_log(std::size_t sessions, std::size_t longest, Gaps gaps, std::uint64_t seed) {
  SessionLog log;
  for (std::size_t i = 0; i < sessions; ++i) {
    RandomStream random(seed, RandomPurpose::testing, 0, i);
    Rows rows;
    std::vector<std::uint16_t> positions;
    std::vector<std::uint8_t> clicks;
    std::uint16_t position = 0;
    for (auto left = 1 + random.below(longest); left > 0; --left, ++position) {
      if (gaps == Gaps::some) position = static_cast<std::uint16_t>(position + random.below(3));
      rows.push_back(static_cast<std::uint32_t>(random.below(50)));
      positions.push_back(position);
      clicks.push_back(static_cast<std::uint8_t>(random.below(2)));
    }
    log.add({rows, positions, clicks});
  }
  return log;
}

std::vector<std::uint32_t> all_of(const SessionLog& log) {
  std::vector<std::uint32_t> all(log.sessions());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

template <class T>
std::vector<T> copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

/// Expects every document where begin, count and order say, and no others.
void expect_packed(const Shard& shard, const SessionLog& log,
                   const std::vector<std::uint32_t>& sessions) {
  ASSERT_EQ(shard.sessions(), sessions.size());
  EXPECT_THAT(copy(shard.order()), ::testing::UnorderedElementsAreArray(sessions));
  std::size_t longest = 0, documents = 0, clicked = 0;
  bool gaps = false;
  for (const std::uint32_t session : sessions) {
    longest = std::max(longest, log.length(session));
    documents += log.length(session);
    for (std::size_t k = 0; k < log.length(session); ++k) {
      clicked += log[session].clicks[k];
      gaps |= log[session].positions[k] != k;
    }
  }
  ASSERT_EQ(shard.longest(), longest);
  ASSERT_EQ(shard.documents(), documents);
  ASSERT_EQ(shard.rows().size(), documents);
  ASSERT_EQ(shard.positions().size(), documents);
  ASSERT_EQ(shard.clicks().size(), documents);
  ASSERT_EQ(shard.continues().size(), documents);
  EXPECT_EQ(shard.clicked(), clicked);

  EXPECT_EQ(shard.begin(0), 0u);
  EXPECT_EQ(shard.begin(longest), documents);
  for (std::size_t k = 0; k < longest; ++k) {
    ASSERT_EQ(shard.begin(k) + shard.count(k), shard.begin(k + 1));
    for (std::size_t j = 0; j < shard.sessions(); ++j)
      ASSERT_EQ(log.length(shard.order()[j]) > k, j < shard.count(k)) << "rank " << k;
    for (std::size_t j = 0; j < shard.count(k); ++j) {
      const SessionView session = log[shard.order()[j]];
      const std::size_t at = shard.begin(k) + j;
      ASSERT_EQ(shard.rows()[at], session.rows[k]);
      ASSERT_EQ(shard.positions()[at], session.positions[k]);
      ASSERT_EQ(shard.clicks()[at], session.clicks[k]);
      ASSERT_EQ(shard.continues()[at], k + 1 < session.rows.size() ? 1 : 0);
    }
  }
  EXPECT_EQ(shard.count(longest), 0u);
  EXPECT_EQ(shard.count(longest + 7), 0u);

  const auto deepest = std::max_element(shard.positions().begin(), shard.positions().end());
  EXPECT_EQ(shard.positions_count(), documents == 0 ? 0 : *deepest + 1);

  // Runs, if there are any, agree with the positions.
  EXPECT_EQ(shard.position_runs().empty(), gaps || documents == 0);
  std::vector<std::uint32_t> unrolled;
  for (const Run& run : shard.position_runs())
    unrolled.insert(unrolled.end(), run.count, run.value);
  EXPECT_EQ(unrolled, gaps ? std::vector<std::uint32_t>{} : copy(shard.positions()));
}

void expect_equal(const Shard& a, const Shard& b) {
  EXPECT_EQ(a.sessions(), b.sessions());
  EXPECT_EQ(a.documents(), b.documents());
  ASSERT_EQ(a.longest(), b.longest());
  for (std::size_t k = 0; k <= a.longest(); ++k) EXPECT_EQ(a.begin(k), b.begin(k));
  EXPECT_EQ(copy(a.order()), copy(b.order()));
  EXPECT_EQ(copy(a.rows()), copy(b.rows()));
  EXPECT_EQ(copy(a.positions()), copy(b.positions()));
  EXPECT_EQ(copy(a.clicks()), copy(b.clicks()));
  EXPECT_EQ(copy(a.continues()), copy(b.continues()));
  EXPECT_EQ(a.clicked(), b.clicked());
  ASSERT_EQ(a.position_runs().size(), b.position_runs().size());
  for (std::size_t k = 0; k < a.position_runs().size(); ++k) {
    EXPECT_EQ(a.position_runs()[k].value, b.position_runs()[k].value);
    EXPECT_EQ(a.position_runs()[k].count, b.position_runs()[k].count);
  }
}

/// Returns a log of three lists with rows {1}, {2, 3, 4} and {5, 6}.
SessionLog small_log() {
  SessionLog log;
  log.add({Rows{1}, std::vector<std::uint16_t>{0}, std::vector<std::uint8_t>{1}});
  log.add({Rows{2, 3, 4}, std::vector<std::uint16_t>{0, 1, 2}, std::vector<std::uint8_t>{0, 1, 0}});
  log.add({Rows{5, 6}, std::vector<std::uint16_t>{0, 1}, std::vector<std::uint8_t>{0, 1}});
  return log;
}

TEST(ShardTest, StoresDocumentsRankByRankLongestListFirst) {
  Shard shard;
  shard.pack(small_log(), Rows{0, 1, 2});
  EXPECT_THAT(shard.order(), ElementsAre(1, 2, 0));
  EXPECT_THAT(shard.rows(), ElementsAre(2, 5, 1, /*rank 2*/ 3, 6, /*rank 3*/ 4));
  EXPECT_THAT(shard.positions(), ElementsAre(0, 0, 0, 1, 1, 2));
  EXPECT_THAT(shard.clicks(), ElementsAre(0, 0, 1, 1, 1, 0));
  EXPECT_THAT(shard.continues(), ElementsAre(1, 1, 0, 1, 0, 0));
  EXPECT_EQ(shard.begin(1), 3u);
  EXPECT_EQ(shard.count(0), 3u);
  EXPECT_EQ(shard.count(1), 2u);
  EXPECT_EQ(shard.count(2), 1u);
  EXPECT_EQ(shard.count(3), 0u);
  EXPECT_EQ(shard.clicked(), 3u);
}

TEST(ShardTest, ListsOfEqualLengthKeepTheirOrder) {
  SessionLog log;
  const std::vector<std::uint16_t> positions = {0, 1};
  const std::vector<std::uint8_t> clicks = {0, 0};
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::size_t length = 1 + i % 2;
    log.add({Rows(length, i), std::span(positions).first(length), std::span(clicks).first(length)});
  }
  Shard shard;
  shard.pack(log, Rows{4, 5, 0, 1, 2, 3});
  EXPECT_THAT(shard.order(), ElementsAre(5, 1, 3, 4, 0, 2));
}

TEST(ShardTest, PacksEveryColumn) {
  for (const Gaps gaps : {Gaps::none, Gaps::some})
    for (const std::size_t longest : {1u, 2u, 10u, 40u})
      for (const std::size_t sessions : {1u, 2u, 3u, 17u, 256u}) {
        const SessionLog log = random_log(sessions, longest, gaps, sessions);
        Shard shard;
        shard.pack(log, all_of(log));
        expect_packed(shard, log, all_of(log));
      }
}

TEST(ShardTest, PacksAnySessionsInAnyOrder) {
  const SessionLog log = random_log(100, 8, Gaps::some, 1);
  Rows sessions;
  RandomStream random(2, RandomPurpose::testing, 0, 0);
  for (int i = 0; i < 64; ++i) sessions.push_back(static_cast<std::uint32_t>(random.below(100)));
  Shard shard;
  shard.pack(log, sessions);
  expect_packed(shard, log, sessions);
}

TEST(ShardTest, OneGapLeavesNoRuns) {
  SessionLog log = small_log();
  Shard shard;
  shard.pack(log, Rows{0, 1, 2});
  ASSERT_EQ(shard.position_runs().size(), 3u);
  EXPECT_EQ(shard.position_runs()[1].value, 1u);
  EXPECT_EQ(shard.position_runs()[1].count, 2u);
  log.add({Rows{7}, std::vector<std::uint16_t>{1}, std::vector<std::uint8_t>{0}});
  shard.pack(log, Rows{0, 1, 2, 3});
  EXPECT_THAT(shard.position_runs(), IsEmpty());
}

TEST(ShardTest, ReusedMemoryGivesEqualShards) {
  Shard used;
  std::uint64_t seed = 0;
  // Packs of growing and shrinking size, with gaps after none and none after gaps.
  for (const auto& [sessions, longest, gaps] :
       {std::tuple(10u, 5u, Gaps::none), std::tuple(256u, 20u, Gaps::some),
        std::tuple(3u, 2u, Gaps::none), std::tuple(100u, 30u, Gaps::none),
        std::tuple(1u, 1u, Gaps::some), std::tuple(256u, 10u, Gaps::none)}) {
    const SessionLog log = random_log(sessions, longest, gaps, ++seed);
    used.pack(log, all_of(log));
    Shard fresh;
    fresh.pack(log, all_of(log));
    expect_equal(used, fresh);
  }
  used.pack(SessionLog(), {});
  expect_equal(used, Shard());
}

TEST(ShardTest, MayBeEmpty) {
  Shard shard;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(shard.sessions(), 0u);
    EXPECT_EQ(shard.documents(), 0u);
    EXPECT_EQ(shard.longest(), 0u);
    EXPECT_EQ(shard.begin(0), 0u);
    EXPECT_EQ(shard.count(0), 0u);
    EXPECT_EQ(shard.clicked(), 0u);
    EXPECT_THAT(shard.position_runs(), IsEmpty());
    shard.pack(small_log(), {});
  }
}

TEST(ShardTest, TargetsStandWithTheirDocuments) {
  SessionLog log;
  const std::vector<std::uint16_t> positions = {0, 1};
  const std::vector<std::uint8_t> clicks = {0, 0};
  const std::vector<float> first = {0.5f}, second = {2, 3};
  log.add({.rows = Rows{1},
           .positions = std::span(positions).first(1),
           .clicks = std::span(clicks).first(1),
           .targets = first});
  log.add({.rows = Rows{2, 3}, .positions = positions, .clicks = clicks, .targets = second});
  Shard shard;
  shard.pack(log, all_of(log));
  EXPECT_THAT(shard.targets(), ElementsAre(2, 0.5f, 3)) << "longest first, rank by rank";
  shard.pack(random_log(3, 2, Gaps::none, 1), std::vector<std::uint32_t>{0, 1});
  EXPECT_THAT(shard.targets(), IsEmpty());
}

}  // namespace
}  // namespace ultr::shard_test
