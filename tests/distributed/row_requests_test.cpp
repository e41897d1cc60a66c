#include "distributed/row_requests.h"

#include <array>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/session_log.h"

namespace ultr::row_requests_test {
namespace {

using ::testing::ElementsAreArray;

/// A shard of one session.
Shard shard_of(const std::vector<std::uint32_t>& pairs) {
  SessionLog log;
  std::vector<std::uint16_t> positions(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) positions[i] = static_cast<std::uint16_t>(i);
  log.add({pairs, positions, std::vector<std::uint8_t>(pairs.size())});
  Shard shard;
  shard.pack(log, std::array{0u});
  return shard;
}

TEST(RowRequestsTest, EveryDocumentIsListedWhereItsPairIsHeld) {
  std::mt19937_64 random(5);
  std::vector<std::vector<std::uint32_t>> pairs;  // per shard
  for (const std::size_t documents : {3, 200, 64, 1, 129}) {
    pairs.emplace_back();
    for (std::size_t i = 0; i < documents; ++i)
      pairs.back().push_back(static_cast<std::uint32_t>(random()));
  }
  pairs.back().back() = UINT32_MAX;
  std::vector<Shard> shards;
  for (const auto& some : pairs) shards.push_back(shard_of(some));

  for (const std::size_t processes : {1, 2, 3, 7, 300}) {  // 300: more than a byte can number
    SCOPED_TRACE(processes);
    RowRequests requests(processes);
    requests.set(std::span(shards).first(2));  // is replaced
    requests.set(shards);
    ASSERT_EQ(requests.shards(), shards.size());
    EXPECT_EQ(requests.documents(), 397u);
    for (std::size_t process = 0; process < processes; ++process) {
      std::vector<std::uint32_t> documents, held;
      std::uint32_t document = 0;
      for (std::size_t s = 0; s < shards.size(); ++s) {
        const std::size_t before = documents.size();
        EXPECT_EQ(requests.documents_before(process, s), before);
        EXPECT_EQ(requests.documents(s).front(), document);
        EXPECT_EQ(requests.documents(s).size(), pairs[s].size());
        for (const std::uint32_t pair : pairs[s]) {
          if (pair % processes == process) {
            documents.push_back(document);
            held.push_back(static_cast<std::uint32_t>(pair / processes));
            EXPECT_EQ(requests.place_of(document).process, process);
            EXPECT_EQ(requests.place_of(document).pair, held.back());
          }
          ++document;
        }
        EXPECT_THAT(requests.documents_at(process, s),
                    ElementsAreArray(std::span(documents).subspan(before)));
      }
      EXPECT_THAT(requests.documents_at(process), ElementsAreArray(documents));
      EXPECT_THAT(requests.pairs_at(process), ElementsAreArray(held));
    }
  }
}

TEST(RowRequestsTest, ThereMayBeNone) {
  RowRequests requests(2);
  requests.set({});
  EXPECT_EQ(requests.documents(), 0u);
  EXPECT_EQ(requests.shards(), 0u);
  EXPECT_TRUE(requests.documents_at(1).empty());
  EXPECT_TRUE(requests.pairs_at(1).empty());
}

}  // namespace
}  // namespace ultr::row_requests_test
