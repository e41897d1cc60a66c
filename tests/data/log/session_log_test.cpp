#include "data/log/session_log.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/errors.h"

namespace ultr::session_log_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Rows = std::vector<std::uint32_t>;
using Positions = std::vector<std::uint16_t>;
using Clicks = std::vector<std::uint8_t>;

void add(SessionLog& log, const Rows& rows, const Positions& positions, const Clicks& clicks) {
  log.add({rows, positions, clicks});
}

TEST(SessionLogTest, KeepsListsOfAnyLength) {
  SessionLog log;
  add(log, {3, 1, 2}, {0, 1, 2}, {0, 1, 1});
  add(log, {9}, {5}, {0});
  add(log, {1, 1}, {0, 3}, {1, 0});
  EXPECT_EQ(log.sessions(), 3u);
  EXPECT_EQ(log.documents(), 6u);
  EXPECT_EQ(log.length(0), 3u);
  EXPECT_EQ(log.length(1), 1u);
  EXPECT_EQ(log.length(2), 2u);
  EXPECT_THAT(log[0].rows, ElementsAre(3, 1, 2));
  EXPECT_THAT(log[0].positions, ElementsAre(0, 1, 2));
  EXPECT_THAT(log[0].clicks, ElementsAre(0, 1, 1));
  EXPECT_THAT(log[1].rows, ElementsAre(9));
  EXPECT_THAT(log[1].positions, ElementsAre(5));
  EXPECT_THAT(log[2].rows, ElementsAre(1, 1));
  EXPECT_THAT(log[2].positions, ElementsAre(0, 3));
  EXPECT_THAT(log[2].clicks, ElementsAre(1, 0));
}

TEST(SessionLogTest, KeepsTheQuery) {
  SessionLog log;
  log.add({Rows{1, 2}, Positions{0, 1}, Clicks{0, 0}, 18446744073709551615u});
  add(log, {3}, {0}, {1});
  EXPECT_EQ(log[0].query, 18446744073709551615u);
  EXPECT_EQ(log[1].query, 0u);
}

TEST(SessionLogTest, Counts) {
  SessionLog log;
  add(log, {3, 1, 2}, {0, 1, 2}, {0, 1, 1});
  add(log, {9}, {5}, {0});
  EXPECT_EQ(log.longest(), 3u);
  EXPECT_EQ(log.positions(), 6u) << "one more than the largest displayed position";
  EXPECT_EQ(log.clicked(), 2u);
  EXPECT_EQ(log.click_rate(), 2. / 4);
  add(log, {2, 2}, {0, 1}, {0, 1});
  EXPECT_EQ(log.positions(), 6u) << "of all lists";
  EXPECT_EQ(log.longest(), 3u);
  add(log, {1}, {65535}, {1});
  EXPECT_EQ(log.positions(), 65536u);
}

SignalColumns dwell_times(const std::vector<std::uint16_t>& seconds) {
  SignalColumns signals;
  signals[Signal::dwell] = seconds;
  return signals;
}

TEST(SessionLogTest, KeepsSignalsOfAllListsOrNone) {
  const SignalColumns two = dwell_times({0, 65535}), one = dwell_times({7});
  const Rows rows = {3, 1}, row = {1};
  const Positions positions = {0, 1}, position = {2};
  const Clicks clicks = {0, 1}, click = {0};
  SessionView first{rows, positions, clicks};
  SessionLog log;
  EXPECT_FALSE(log.has(Signal::dwell));
  first.signals = spans_of(two);
  log.add(first);
  SessionView second{row, position, click};
  second.signals = spans_of(one);
  log.add(second);
  EXPECT_TRUE(log.has(Signal::dwell));
  EXPECT_FALSE(log.has(Signal::viewed));
  EXPECT_THAT(log[0].signals[Signal::dwell], ElementsAre(0, 65535));
  EXPECT_THAT(log[1].signals[Signal::dwell], ElementsAre(7));
  EXPECT_THAT(log.signal(Signal::dwell), ElementsAre(0, 65535, 7));
  EXPECT_TRUE(log[1].signals[Signal::skipped].empty());
  second.signals = {};
  EXPECT_EQ(testing::data_message([&] { log.add(second); }),
            "a list with dwell times beside one without; expected all or none");
  second.signals = spans_of(two);
  EXPECT_EQ(testing::data_message([&] { log.add(second); }),
            "a list needs as many dwell times as documents, or none");
  EXPECT_EQ(log.documents(), 3u) << "a refused list leaves no trace";
  EXPECT_THROW(log.add_unclicked({}, Rows{1}), Error);

  SignalColumns no_flag;
  no_flag[Signal::viewed] = {2};
  SessionView flagged{row, position, click};
  flagged.signals = spans_of(no_flag);
  SessionLog views;
  EXPECT_EQ(testing::data_message([&] { views.add(flagged); }),
            "viewed: a list has 2; expected 0 to 1");
}

TEST(SessionLogTest, ColumnsMayHaveSignals) {
  SessionColumns columns{.offsets = std::vector<std::int64_t>{0, 2, 3},
                         .rows = Rows{1, 2, 3},
                         .clicks = Clicks{0, 1, 0}};
  columns.signals[Signal::skipped] = std::vector<std::uint16_t>{1, 0, 1};
  const SessionLog log(columns);
  EXPECT_THAT(log[0].signals[Signal::skipped], ElementsAre(1, 0));
  EXPECT_THAT(log[1].signals[Signal::skipped], ElementsAre(1));
  EXPECT_FALSE(log.has(Signal::dwell));
  columns.signals[Signal::skipped] = std::vector<std::uint16_t>{1, 0};
  EXPECT_EQ(testing::data_message([&] { SessionLog{columns}; }), "skipped: 2 entries; expected 3");
  columns.signals[Signal::skipped] = std::vector<std::uint16_t>{1, 0, 2};
  EXPECT_EQ(testing::data_message([&] { SessionLog{columns}; }),
            "skipped: a list has 2; expected 0 to 1");
}

TEST(SessionLogTest, DwellTimesAreRoundedUp) {
  EXPECT_EQ(dwell_of(0), 0);
  EXPECT_EQ(dwell_of(0.001), 1);
  EXPECT_EQ(dwell_of(60), 60);
  EXPECT_EQ(dwell_of(1e30), 65535);
}

TEST(SessionLogTest, KeepsPropensitiesOfAllListsOrNone) {
  const Rows rows = {3, 1};
  const Positions positions = {0, 1};
  const Clicks clicks = {0, 1};
  const std::vector<float> two = {0.5f, 0.25f}, one = {0.5f};
  SessionLog known;
  known.add({rows, positions, clicks, 0, two});
  known.add({Rows{1}, Positions{2}, Clicks{0}, 0, one});
  EXPECT_THAT(known[0].propensities, ElementsAre(0.5f, 0.25f));
  EXPECT_THAT(known[1].propensities, ElementsAre(0.5f));
  EXPECT_THROW(known.add({rows, positions, clicks}), DataError);
  EXPECT_THROW(known.add({rows, positions, clicks, 0, one}), DataError);
  EXPECT_EQ(known.documents(), 3u) << "a refused list leaves no trace";

  SessionLog unknown;
  unknown.add({rows, positions, clicks});
  EXPECT_TRUE(unknown[0].propensities.empty());
  EXPECT_THROW(unknown.add({rows, positions, clicks, 0, two}), DataError);
}

TEST(SessionLogTest, KeepsTargetsOfAllListsOrNone) {
  const Rows rows = {3, 1};
  const Positions positions = {0, 1};
  const Clicks clicks = {0, 0};
  const std::vector<float> two = {0.5f, 4}, one = {0.5f};
  SessionLog log;
  EXPECT_FALSE(log.has_targets());
  log.add({.rows = rows, .positions = positions, .clicks = clicks, .targets = two});
  EXPECT_TRUE(log.has_targets());
  EXPECT_THAT(log[0].targets, ElementsAre(0.5f, 4));
  EXPECT_TRUE(log[0].propensities.empty());
  EXPECT_THROW(log.add({rows, positions, clicks}), DataError);
  EXPECT_THROW(log.add({.rows = rows, .positions = positions, .clicks = clicks, .targets = one}),
               DataError);
  EXPECT_EQ(log.documents(), 2u) << "a refused list leaves no trace";
}

TEST(SessionLogTest, ListsMayStandForSeveralSessions) {
  const std::vector<std::uint32_t> rows = {1, 2};
  const std::vector<std::uint16_t> positions = {0, 1};
  const std::vector<std::uint8_t> one_click = {1, 0}, none = {0, 0};
  SessionLog log;
  log.add({.rows = rows, .positions = positions, .clicks = none});
  EXPECT_FALSE(log.has_weights());
  log.add({.rows = rows, .positions = positions, .clicks = one_click, .weight = 3});
  EXPECT_THAT(log.weights(), ElementsAre(1, 3));
  EXPECT_EQ(log[1].weight, 3);
  EXPECT_EQ(log.weighted_sessions(), 4);
  EXPECT_EQ(log.weighted_documents(), 8);
  EXPECT_EQ(log.click_rate(), 3 / 8.);
  const SessionLog single = log.without_weights("");
  EXPECT_FALSE(single.has_weights());
  EXPECT_EQ(single.sessions(), 4u);
  EXPECT_EQ(single.clicked(), 3u);
  log.add({.rows = rows, .positions = positions, .clicks = none, .weight = 0.5});
  EXPECT_EQ(testing::data_message([&] { log.without_weights("it counts"); }),
            "a list has weight 0.5; expected whole numbers, since it counts");
  for (const double weight : {0., -1., std::nan(""), HUGE_VAL})
    EXPECT_THAT(testing::data_message([&] {
                  log.add({.rows = rows, .positions = positions, .clicks = none, .weight = weight});
                }),
                ::testing::HasSubstr("expected a finite number above 0"));
}

TEST(SessionLogTest, StatisticsOfAnEmptyLogAreZero) {
  const SessionLog log;
  EXPECT_EQ(log.sessions(), 0u);
  EXPECT_EQ(log.documents(), 0u);
  EXPECT_EQ(log.longest(), 0u);
  EXPECT_EQ(log.positions(), 0u);
  EXPECT_EQ(log.clicked(), 0u);
  EXPECT_EQ(log.click_rate(), 0);
}

TEST(SessionLogTest, ClicksCanBeSet) {
  SessionLog log;
  add(log, {3, 1}, {0, 1}, {0, 0});
  add(log, {4, 2}, {0, 1}, {0, 0});
  log.clicks(1)[0] = 1;
  EXPECT_THAT(log[0].clicks, ElementsAre(0, 0));
  EXPECT_THAT(log[1].clicks, ElementsAre(1, 0));
  EXPECT_EQ(log.clicked(), 1u);
}

TEST(SessionLogTest, RowsCanBeSetLater) {
  SessionLog log;
  add(log, {3, 1}, {0, 1}, {0, 0});
  add(log, {0, 0}, {0, 1}, {0, 1});
  log.set_rows(2, Rows{8, 9});
  EXPECT_THAT(log.rows(), ElementsAre(3, 1, 8, 9));
  log.set_rows(4, {});
  EXPECT_THROW(log.set_rows(3, (Rows{8, 9})), Error);
  EXPECT_THROW(log.set_rows(5, {}), Error);
  EXPECT_THAT(log.rows(), ElementsAre(3, 1, 8, 9));
}

TEST(SessionLogTest, EquallyLongListsWithoutClicksCanBeAddedTogether) {
  SessionLog together, one_by_one;
  for (SessionLog* log : {&together, &one_by_one}) add(*log, {3}, {2}, {1});
  together.add_unclicked(std::vector<std::uint64_t>{8, 9}, Rows{1, 2, 3, 4, 5, 6});
  together.add_unclicked(std::vector<std::uint64_t>{7}, Rows{7, 8});
  together.add_unclicked({}, {});
  one_by_one.add({Rows{1, 2, 3}, Positions{0, 1, 2}, Clicks{0, 0, 0}, 8});
  one_by_one.add({Rows{4, 5, 6}, Positions{0, 1, 2}, Clicks{0, 0, 0}, 9});
  one_by_one.add({Rows{7, 8}, Positions{0, 1}, Clicks{0, 0}, 7});
  for (SessionLog* log : {&together, &one_by_one}) add(*log, {4, 4}, {1, 5}, {0, 1});
  EXPECT_THAT(together.rows(), ElementsAreArray(one_by_one.rows()));
  EXPECT_THAT(together.clicks(), ElementsAreArray(one_by_one.clicks()));
  EXPECT_THAT(together.offsets(), ElementsAreArray(one_by_one.offsets()));
  EXPECT_THAT(together.queries(), ElementsAreArray(one_by_one.queries()));
  EXPECT_THAT(together.positions_shown(), ElementsAreArray(one_by_one.positions_shown()));
  EXPECT_EQ(together.longest(), 3u);
  EXPECT_EQ(together.positions(), 6u);
  EXPECT_FALSE(together.gapless());
}

TEST(SessionLogTest, RefusesToAddUnequalListsTogether) {
  SessionLog log, weighted;
  EXPECT_THROW(log.add_unclicked(std::vector<std::uint64_t>{8, 9}, Rows{1, 2, 3}), Error);
  EXPECT_THROW(log.add_unclicked(std::vector<std::uint64_t>{8, 9}, {}), Error);
  EXPECT_THROW(log.add_unclicked({}, Rows{1}), Error);
  EXPECT_EQ(log.sessions(), 0u);
  weighted.add({.rows = Rows{1}, .positions = Positions{0}, .clicks = Clicks{0}, .weight = 2});
  EXPECT_THROW(weighted.add_unclicked(std::vector<std::uint64_t>{8}, Rows{1}), Error);
}

TEST(SessionLogTest, RejectsMalformedLists) {
  SessionLog log;
  EXPECT_THROW(add(log, {}, {}, {}), DataError);
  EXPECT_THROW(add(log, {1, 2}, {0}, {0, 0}), DataError);
  EXPECT_THROW(add(log, {1, 2}, {0, 1}, {0}), DataError);
  EXPECT_THROW(add(log, {1}, {0, 1}, {0, 0}), DataError);
  EXPECT_EQ(log.sessions(), 0u);
  EXPECT_EQ(log.documents(), 0u);
}

TEST(SessionLogTest, DocumentsMayHaveFeaturesOfTheirOwn) {
  SessionLog log;
  add(log, {3, 1}, {0, 1}, {0, 0});
  add(log, {4}, {0}, {0});
  EXPECT_TRUE(log.features().empty());
  EXPECT_EQ(log.first_document(1), 2u);
  EXPECT_THROW(log.set_features(FeatureTable(std::vector<float>(3), 1)), DataError);
  log.set_features(FeatureTable(std::vector<float>{0, 1, 2, 3}, 1));
  EXPECT_EQ(log.features().rows(), 4);
}

/// Returns columns of three lists with 2, 1 and 3 documents.
SessionColumns in_columns() {
  return {.offsets = std::vector<std::int64_t>{0, 2, 3, 6},
          .rows = std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6},
          .clicks = std::vector<std::uint8_t>{1, 0, 0, 0, 1, 1},
          .queries = std::vector<std::uint64_t>{7, 8, 9},
          .positions = std::vector<std::uint16_t>{0, 3, 1, 0, 1, 2},
          .propensities = std::vector<float>{0.5f, 0.25f, 1, 1, 1, 0.125f}};
}

TEST(SessionLogTest, ColumnsEqualTheLogOfTheirLists) {
  for (const bool gapless : {false, true}) {
    SessionColumns columns = in_columns();
    if (gapless) columns.positions = {};
    const SessionLog log(columns);
    SessionLog added;
    for (std::size_t i = 0; i < log.sessions(); ++i) added.add(log[i]);
    EXPECT_TRUE(log.in_columns());
    EXPECT_FALSE(added.in_columns());
    ASSERT_EQ(added.sessions(), 3u);
    EXPECT_THAT(log.rows(), ElementsAreArray(added.rows()));
    EXPECT_THAT(log.clicks(), ElementsAreArray(added.clicks()));
    EXPECT_THAT(log.offsets(), ElementsAreArray(added.offsets()));
    EXPECT_THAT(log.propensities(), ElementsAreArray(added.propensities()));
    EXPECT_EQ(log.clicked(), added.clicked());
    EXPECT_EQ(log.longest(), added.longest());
    EXPECT_EQ(log.positions(), added.positions());
    EXPECT_EQ(log.gapless(), added.gapless());
    EXPECT_EQ(log.gapless(), gapless);
    EXPECT_THAT(log[2].positions, ElementsAre(0, 1, 2));
    EXPECT_THAT(log[0].positions, ElementsAre(0, gapless ? 1 : 3));
    EXPECT_EQ(log[2].query, 9u);
    log.release();
    log.read_ahead(0, 3);
    log.read_ahead(1, 2, SessionLog::Part::all);
    EXPECT_THAT(log[1].rows, ElementsAre(3));
  }
}

TEST(SessionLogTest, WithoutQueriesAllHaveQuery0) {
  SessionColumns columns = in_columns();
  columns.queries = {};
  EXPECT_EQ(SessionLog(columns)[1].query, 0u);
  EXPECT_TRUE(SessionLog(columns).queries().empty());
  EXPECT_THAT(SessionLog(in_columns()).queries().back(), 9u);
}

TEST(SessionLogTest, LogsInColumnsAreReadOnly) {
  SessionLog log(in_columns());
  EXPECT_THROW(log.add(log[0]), Error);
  EXPECT_THROW(log.add_unclicked(std::vector<std::uint64_t>{8}, Rows{1}), Error);
  EXPECT_THROW(log.clicks(0), Error);
  EXPECT_THROW(log.set_rows(0, {}), Error);
}

TEST(SessionLogTest, RejectsMalformedColumns) {
  const auto message = [](auto spoil) {
    SessionColumns columns = in_columns();
    spoil(columns);
    return testing::data_message([&] { SessionLog log(columns); });
  };
  using C = SessionColumns;
  EXPECT_EQ(message([](C& c) { c.offsets = {}; }),
            "offsets: does not start with 0; expected the first document of each list");
  EXPECT_EQ(message([](C& c) {
              c.offsets = std::vector<std::int64_t>{1, 2, 3, 6};
            }),
            "offsets: does not start with 0; expected the first document of each list");
  EXPECT_EQ(
      message([](C& c) {
        c.offsets = std::vector<std::int64_t>{0, 2, 2, 6};
      }),
      "offsets: entry 2 is 2 after 2; expected more, since every list has a document, up to 6");
  EXPECT_EQ(
      message([](C& c) {
        c.offsets = std::vector<std::int64_t>{0, 7, 8, 6};
      }),
      "offsets: entry 1 is 7 after 0; expected more, since every list has a document, up to 6");
  EXPECT_EQ(message([](C& c) { c.propensities = std::vector<float>{1, 1, 0, 1, 1, 1}; }),
            "propensities: list 1 has 0; expected a number above 0 and at most 1");
  EXPECT_EQ(message([](C& c) { c.propensities = std::vector<float>(6, std::nanf("")); }),
            "propensities: list 0 has nan; expected a number above 0 and at most 1");
  EXPECT_EQ(message([](C& c) { c.rows = std::vector<std::uint32_t>(5); }),
            "pairs: 5 entries; expected 6");
  EXPECT_EQ(message([](C& c) { c.clicks = {}; }), "clicks: 0 entries; expected 6");
  EXPECT_EQ(message([](C& c) { c.queries = std::vector<std::uint64_t>(2); }),
            "queries: 2 entries; expected 3");
  EXPECT_EQ(message([](C& c) { c.positions = std::vector<std::uint16_t>(7); }),
            "positions: 7 entries; expected 6");
  EXPECT_EQ(message([](C& c) { c.propensities = std::vector<float>(1); }),
            "propensities: 1 entries; expected 6");
  EXPECT_EQ(message([](C& c) { c.clicks = std::vector<std::uint8_t>{1, 0, 0, 0, 2, 1}; }),
            "clicks: entry 4 is 2; expected 0 or 1");
  EXPECT_EQ(message([](C& c) { c.positions = std::vector<std::uint16_t>{0, 3, 1, 0, 2, 2}; }),
            "positions: entry 5 is 2 after 2; expected positions that rise within a list");
}

}  // namespace
}  // namespace ultr::session_log_test
