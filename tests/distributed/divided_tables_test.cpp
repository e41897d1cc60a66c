#include "distributed/divided_tables.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "distributed/collected_rows.h"
#include "layers/row_part.h"
#include "testing/thread_communicator.h"

namespace ultr::divided_tables_test {
namespace {

using ::testing::ElementsAre;
using testing::ThreadCommunicators;

/// Fills the part of a table that a process holds: number n of row r becomes 100 r + n.
void fill(EmbeddingTable& table, const RowPart& part, std::int64_t rows_per_pair) {
  for (std::int64_t row = 0; row < table.rows(); ++row)
    for (std::size_t c = 0; c < table.row(row).size(); ++c)
      table.row(row)[c] = static_cast<float>(
          100 * (part.row(row / rows_per_pair) * rows_per_pair + row % rows_per_pair) +
          static_cast<std::int64_t>(c));
}

Shard shard_of(const std::vector<std::uint32_t>& rows) {
  SessionLog log;
  std::vector<std::uint16_t> positions(rows.size());
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  log.add({rows, positions, std::vector<std::uint8_t>(rows.size())});
  Shard shard;
  shard.pack(log, std::array{0u});
  return shard;
}

TEST(DividedTablesTest, FetchesTheRowsOfEachDocumentFromWhoHasThem) {
  ThreadCommunicators(3).run([](Communicator& processes) {
    const RowPart part{processes.process(), processes.size()};
    EmbeddingTable one("one", part.held(7), 1), wide("wide", part.held(7) * 2, 3);
    one.attach_states(2);
    fill(one, part, 1);
    fill(wide, part, 2);
    DividedTables tables(processes, {{&one, 1}, {&wide, 2}}, {});
    std::vector<Shard> shards;
    if (processes.process() < 2)
      shards = {shard_of({6, 0, 6}), shard_of({3})};  // process 2 has none
    tables.fetch(shards);
    if (shards.empty()) return;
    const auto value = [](const EmbeddingTable& table, std::int64_t row, std::int64_t column) {
      return static_cast<const float*>(table.view().values)[row * table.view().stride + column];
    };
    EXPECT_THAT(tables.rows(0), ElementsAre(0, 1, 2));
    EXPECT_THAT(tables.rows(1), ElementsAre(3));
    const std::vector<std::int64_t> pairs = {6, 0, 6, 3};
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t pair = pairs[static_cast<std::size_t>(i)];
      EXPECT_EQ(value(one, i, 0), static_cast<float>(100 * pair));
      for (std::int64_t row = 0; row < 2; ++row)
        for (std::int64_t c = 0; c < 3; ++c)
          EXPECT_EQ(value(wide, 2 * i + row, c), static_cast<float>(100 * (2 * pair + row) + c));
    }
  });
}

class SentGradientsTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SentGradientsTest, ReachTheirOwnersInTheOrderOfProcessesAndShards) {
  ThreadCommunicators(2).run([](Communicator& processes) {
    EmbeddingTable table("table", 2, 1), whole("whole", 3, 1);
    DividedTables tables(processes, {{&table, 1}}, {&whole});
    tables.fetch(std::vector<Shard>{shard_of({1, 2}), shard_of({1})});
    const float own = processes.process() == 0 ? 1 : 10;
    const RowGradients first{&table, {0, 1}, {own, 2 * own}}, shared{&whole, {2}, {3 * own}},
        second{&table, {2}, {4 * own}};
    const std::array<RowGradientsView, 3> sent = {first, shared, second};
    std::vector<std::uint32_t> rows, whole_rows;
    std::vector<float> values, whole_values;
    if (GetParam() > 0) tables.begin_gradients(std::span(sent).first(GetParam()));
    for (const RowGradientsView& one : tables.send_gradients(std::span(sent).subspan(GetParam()))) {
      auto& to_rows = one.table == &table ? rows : whole_rows;
      auto& to_values = one.table == &table ? values : whole_values;
      to_rows.insert(to_rows.end(), one.rows.begin(), one.rows.end());
      to_values.insert(to_values.end(), one.values.begin(), one.values.end());
      one.table->add_gradients(one.rows, one.values.data(), {});
    }
    if (processes.process() == 0) {  // pair 2 is its row 1
      EXPECT_THAT(rows, ElementsAre(1, 1));
      EXPECT_THAT(values, ElementsAre(2, 20));
    } else {  // pair 1 is its row 0
      EXPECT_THAT(rows, ElementsAre(0, 0, 0, 0));
      EXPECT_THAT(values, ElementsAre(1, 4, 10, 40));
    }
    EXPECT_THAT(whole_rows, ElementsAre(2, 2));
    EXPECT_THAT(whole_values, ElementsAre(3, 30));

    const double sum_of_1 = 1 + 4 + 10 + 40, sum_of_2 = 2 + 20, sum_of_shared = 3 + 30;
    EXPECT_THAT(tables.gradient_squares(sent),
                ElementsAre(own * sum_of_1 + 2 * own * sum_of_2, 3 * own * sum_of_shared,
                            4 * own * sum_of_1));
  });
}

INSTANTIATE_TEST_SUITE_P(SomeBefore, SentGradientsTest, ::testing::Values(0, 1, 2, 3));

TEST(DividedTablesTest, GradientsOfSomeDocumentsReachTheirOwners) {
  ThreadCommunicators(2).run([](Communicator& processes) {
    EmbeddingTable table("table", 2, 2), of_ranks("of_ranks", 4, 1);
    DividedTables tables(processes, {{&table, 1}, {&of_ranks, 2}}, {});
    tables.fetch(std::vector<Shard>{shard_of({1, 2, 0}), shard_of({3, 0})});
    // Documents 1 and 2, the last two of the first shard; both of the second shard, in another
    // order; and of the table with two ranks per pair, the second of document 0 and the first of
    // document 3.
    const RowGradients last{&table, {1, 2}, {1, 2, 3, 4}}, turned{&table, {4, 3}, {5, 6, 7, 8}},
        ranks{&of_ranks, {1, 6}, {9, 10}};
    const auto received =
        tables.send_gradients(std::array<RowGradientsView, 3>{last, turned, ranks});
    ASSERT_EQ(received.size(), 6u);
    for (std::size_t r = 0; r < 2; ++r) {  // the same from both
      const RowGradientsView *one = &received[3 * r], *two = one + 1, *three = one + 2;
      if (processes.process() == 0) {  // holds pairs 0 and 2
        EXPECT_THAT(one->rows, ElementsAre(1, 0));
        EXPECT_THAT(one->values, ElementsAre(1, 2, 3, 4));
        EXPECT_THAT(two->rows, ElementsAre(0));
        EXPECT_THAT(two->values, ElementsAre(5, 6));
        EXPECT_THAT(three->rows, ElementsAre());
      } else {  // holds pairs 1 and 3
        EXPECT_THAT(one->rows, ElementsAre());
        EXPECT_THAT(two->rows, ElementsAre(1));
        EXPECT_THAT(two->values, ElementsAre(7, 8));
        EXPECT_THAT(three->rows, ElementsAre(1, 2));
        EXPECT_THAT(three->values, ElementsAre(9, 10));
      }
    }
  });
}

TEST(DividedTablesTest, RowsOfTheNextBatchAreAskedForWithGradientsAndComeAfterTheUpdate) {
  ThreadCommunicators(2).run([](Communicator& processes) {
    EmbeddingTable table("table", 2, 1);
    DividedTables tables(processes, {{&table, 1}}, {});
    const std::vector<Shard> batch = {shard_of({0, 1})}, next = {shard_of({3}), shard_of({2, 3})};
    const double own = processes.process();
    tables.ask({batch, std::array{1 + own}});
    EXPECT_THAT(tables.counts(), ElementsAre(1, 2));
    tables.begin_fetch();
    tables.finish_fetch();
    const RowGradients gradients{&table, {0, 1}, {1, 1}};
    const std::vector<std::byte> to_all(3, std::byte(processes.process()));
    const std::array counts = {10 + own};
    const DividedTables::Batch asked{next, counts};
    EXPECT_EQ(
        tables.send_gradients(std::array<RowGradientsView, 1>{gradients}, to_all, &asked).size(),
        2u);
    EXPECT_THAT(tables.counts(), ElementsAre(10, 11));
    for (std::size_t r = 0; r < 2; ++r)
      EXPECT_THAT(tables.sent_to_all()[r],
                  ::testing::ElementsAreArray(std::vector(3, static_cast<std::byte>(r))));
    fill(table, {processes.process(), 2}, 1);  // the update
    tables.begin_fetch();
    tables.finish_fetch();
    EXPECT_THAT(tables.rows(0), ElementsAre(0));
    EXPECT_THAT(tables.rows(1), ElementsAre(1, 2));
    const auto* const values = static_cast<const float*>(table.view().values);
    EXPECT_THAT(std::vector(values, values + 3), ElementsAre(300, 200, 300));
  });
}

TEST(DividedTablesTest, RowsThatAreNotInATableAreRefused) {
  ThreadCommunicators(2).run([](Communicator& processes) {
    EmbeddingTable of_pairs("of_pairs", 2, 1), of_ranks("of_ranks", 4, 1);  // of pairs 0 to 3
    DividedTables tables(processes, {{&of_pairs, 1}, {&of_ranks, 2}}, {});
    EXPECT_NO_THROW(tables.fetch(std::vector<Shard>{shard_of({3, 2})}));
    EXPECT_THROW(tables.fetch(std::vector<Shard>{shard_of({5, 4})}), Error);
  });
  ThreadCommunicators(2).run([](Communicator& processes) {
    EmbeddingTable whole("whole", 3, 1);
    DividedTables tables(processes, {}, {&whole});
    const RowGradients known{&whole, {2}, {1}}, unknown{&whole, {3}, {1}};
    EXPECT_NO_THROW(tables.send_gradients(std::array<RowGradientsView, 1>{known}));
    EXPECT_THROW(tables.send_gradients(std::array<RowGradientsView, 1>{unknown}), Error);
  });
}

TEST(DividedTablesTest, RowsAreCollectedInTheirOrder) {
  constexpr std::int64_t pairs = 500'001;  // more than one chunk
  ThreadCommunicators(3).run([](Communicator& processes) {
    const RowPart part{processes.process(), processes.size()};
    EmbeddingTable table("table", part.held(pairs) * 2, 1);
    for (std::int64_t row = 0; row < table.rows(); ++row)
      table.value(row) = static_cast<float>(part.row(row / 2) * 2 + row % 2);
    std::vector<float> all;
    collect_rows(processes, {&table, 2}, pairs, [&](std::span<const float> some) {
      all.insert(all.end(), some.begin(), some.end());
    });
    if (processes.process() > 0) {
      EXPECT_TRUE(all.empty());
      return;
    }
    std::vector<float> expected(2 * pairs);
    std::iota(expected.begin(), expected.end(), 0.0f);
    EXPECT_EQ(all, expected);
  });
}

TEST(DividedTablesTest, NumbersOfRowsAreCollectedInTheirOrderByAll) {
  constexpr std::int64_t pairs = 300'002;  // more than one chunk
  ThreadCommunicators(3).run([](Communicator& processes) {
    const RowPart part{processes.process(), processes.size()};
    EmbeddingTable table("table", part.held(pairs) * 2, 1);
    std::vector<double> own, all;
    for (std::int64_t row = 0; row < table.rows(); ++row)
      own.push_back(static_cast<double>(part.row(row / 2) * 2 + row % 2));
    collect_numbers(processes, {&table, 2}, pairs, own, [&](std::span<const double> some) {
      all.insert(all.end(), some.begin(), some.end());
    });
    std::vector<double> expected(2 * pairs);
    std::iota(expected.begin(), expected.end(), 0.0);
    EXPECT_EQ(all, expected);
  });
}

}  // namespace
}  // namespace ultr::divided_tables_test
