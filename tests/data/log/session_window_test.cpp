#include "data/log/session_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::session_window_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

/// Copies the lists of some ranges of a log into a window; the i-th of them goes to places[i].
void copy(SessionWindow& window, const SessionLogView& sessions,
          std::span<const NumberRange> ranges, std::span<const std::uint32_t> places) {
  std::vector<SessionRun> runs;
  for (const NumberRange& range : ranges) {
    runs.push_back({&sessions, range, places.first(range.size())});
    places = places.subspan(range.size());
  }
  window.start(runs);
  for (const SessionRun& run : runs) window.copy(run);
}

TEST(SessionWindowTest, CopiesListsOfALogSideBySide) {
  SessionLog log;
  log.add({.rows = std::vector<std::uint32_t>{1, 2},
           .positions = std::vector<std::uint16_t>{0, 3},
           .clicks = std::vector<std::uint8_t>{1, 0},
           .propensities = std::vector<float>{0.5f, 0.25f},
           .targets = std::vector<float>{0, 1}});
  log.add({.rows = std::vector<std::uint32_t>{3},
           .positions = std::vector<std::uint16_t>{1},
           .clicks = std::vector<std::uint8_t>{0},
           .propensities = std::vector<float>{0.125f},
           .targets = std::vector<float>{2}});
  log.add({.rows = std::vector<std::uint32_t>{4, 5, 6},
           .positions = std::vector<std::uint16_t>{0, 1, 2},
           .clicks = std::vector<std::uint8_t>{0, 1, 1},
           .propensities = std::vector<float>{1, 0.75f, 0.625f},
           .targets = std::vector<float>{3, 4, 5}});
  SessionWindow window;
  for (int repeat = 0; repeat < 2; ++repeat) {
    copy(window, log.spans(), std::vector<NumberRange>{{0, 2}, {2, 3}},
         std::vector<std::uint32_t>{1, 2, 0});
    const SessionLogView spans = window.spans();
    EXPECT_THAT(spans.offsets, ElementsAre(0, 3, 5, 6));
    EXPECT_THAT(spans.rows, ElementsAre(4, 5, 6, 1, 2, 3));
    EXPECT_THAT(spans.clicks, ElementsAre(0, 1, 1, 1, 0, 0));
    EXPECT_THAT(spans.positions, ElementsAre(0, 1, 2, 0, 3, 1));
    EXPECT_THAT(spans.propensities, ElementsAre(1, 0.75f, 0.625f, 0.5f, 0.25f, 0.125f));
    EXPECT_THAT(spans.targets, ElementsAre(3, 4, 5, 0, 1, 2));
    EXPECT_EQ(spans.length(1), 2u);
    EXPECT_EQ(spans.first_document(2), 5u);
  }
}

TEST(SessionWindowTest, CopiesSignals) {
  for (const bool equally_long : {true, false}) {
    SessionLog log;
    const std::vector<std::uint16_t> positions = {0, 1, 2};
    for (const std::uint16_t number : std::array<std::uint16_t, 3>{1, 2, 3}) {
      const std::size_t length = equally_long ? 2 : number;
      SignalColumns signals;
      signals[Signal::dwell].assign(length, number);
      log.add({.rows = std::vector<std::uint32_t>(length, 7u),
               .positions = std::span(positions).first(length),
               .clicks = std::vector<std::uint8_t>(length),
               .signals = spans_of(signals)});
    }
    SessionWindow window;
    copy(window, log.spans(), std::vector<NumberRange>{{0, 3}},
         std::vector<std::uint32_t>{2, 0, 1});
    const SessionLogView spans = window.spans();
    EXPECT_THAT(spans.signals[Signal::skipped], IsEmpty());
    if (equally_long)
      EXPECT_THAT(spans.signals[Signal::dwell], ElementsAre(2, 2, 3, 3, 1, 1));
    else
      EXPECT_THAT(spans.signals[Signal::dwell], ElementsAre(2, 2, 3, 3, 3, 1));
  }
}

TEST(SessionWindowTest, CopiesWeights) {
  for (const bool equally_long : {true, false}) {
    SessionLog log;
    for (const std::uint32_t row : {1u, 2u, 3u}) {
      const std::vector<std::uint32_t> rows(equally_long ? 1 : row, row);
      const std::vector<std::uint16_t> positions = {0, 1, 2};
      log.add({.rows = rows,
               .positions = std::span(positions).first(rows.size()),
               .clicks = std::vector<std::uint8_t>(rows.size(), 1),
               .weight = row / 2.});
    }
    SessionWindow window;
    copy(window, log.spans(), std::vector<NumberRange>{{0, 2}, {2, 3}},
         std::vector<std::uint32_t>{1, 2, 0});
    EXPECT_THAT(window.spans().weights, ElementsAre(1.5, 0.5, 1));
  }
}

TEST(SessionWindowTest, ListsOfOneLengthNeedNoOffsetsAndGaplessOnesNoPositions) {
  SessionLog log;
  for (const std::uint32_t row : {1u, 3u, 5u})
    log.add({.rows = std::vector<std::uint32_t>{row, row + 1},
             .positions = std::vector<std::uint16_t>{0, 1},
             .clicks = std::vector<std::uint8_t>{1, 0}});
  SessionWindow window;
  copy(window, log.spans(), std::vector<NumberRange>{{0, 1}, {1, 3}},
       std::vector<std::uint32_t>{2, 0, 1});
  const SessionLogView spans = window.spans();
  EXPECT_THAT(spans.offsets, IsEmpty());
  EXPECT_THAT(spans.positions, IsEmpty());
  EXPECT_EQ(spans.length(2), 2u);
  EXPECT_EQ(spans.first_document(2), 4u);
  const std::vector<std::vector<std::uint32_t>> rows = {{3, 4}, {5, 6}, {1, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(spans.rows.subspan(spans.first_row(i), 2), ElementsAreArray(rows[i]));
    EXPECT_THAT(spans.clicks.subspan(spans.first_click(i), 2), ElementsAre(1, 0));
  }
  SessionWindow some;  // copied from lists that are not contiguous
  copy(some, spans, std::vector<NumberRange>{{1, 3}}, std::vector<std::uint32_t>{1, 0});
  EXPECT_THAT(some.spans().rows.subspan(some.spans().first_row(0), 2), ElementsAre(1, 2));
  EXPECT_THAT(some.spans().rows.subspan(some.spans().first_row(1), 2), ElementsAre(5, 6));
}

TEST(SessionWindowTest, ListsOfOneLengthKeepTheirOtherColumns) {
  SessionLog log;
  for (std::uint16_t list = 0; list < 3; ++list)
    log.add({.rows = std::vector<std::uint32_t>{list, 7},
             .positions = std::vector<std::uint16_t>{list, 5},
             .clicks = std::vector<std::uint8_t>{0, 1},
             .propensities = std::vector<float>{0.5f, 1.0f / static_cast<float>(list + 2)},
             .targets = std::vector<float>{static_cast<float>(list), 9}});
  SessionWindow window, again;
  copy(window, log.spans(), std::vector<NumberRange>{{0, 3}}, std::vector<std::uint32_t>{2, 0, 1});
  copy(again, window.spans(), std::vector<NumberRange>{{0, 3}},
       std::vector<std::uint32_t>{0, 1, 2});
  for (const SessionLogView& spans : {window.spans(), again.spans()}) {
    EXPECT_THAT(spans.offsets, IsEmpty());
    EXPECT_THAT(spans.rows.subspan(spans.first_row(1), 2), ElementsAre(2, 7));
    EXPECT_THAT(spans.positions, ElementsAre(1, 5, 2, 5, 0, 5));
    EXPECT_THAT(spans.propensities, ElementsAre(0.5f, 1 / 3.0f, 0.5f, 0.25f, 0.5f, 0.5f));
    EXPECT_THAT(spans.targets, ElementsAre(1, 9, 2, 9, 0, 9));
  }
}

/// Lists that take more than one cache line each keep their rows and clicks.
TEST(SessionWindowTest, LongListsOfOneLength) {
  SessionLog log;
  std::vector<std::uint32_t> rows(100);
  std::vector<std::uint16_t> positions(100);
  std::vector<std::uint8_t> clicks(100);
  for (std::uint32_t session = 0; session < 5; ++session) {
    for (std::uint32_t k = 0; k < 100; ++k) {
      rows[k] = 100 * session + k;
      positions[k] = static_cast<std::uint16_t>(k);
      clicks[k] = (session + k) % 3 == 0 ? 1 : 0;
    }
    log.add({.rows = rows, .positions = positions, .clicks = clicks});
  }
  SessionWindow window;
  copy(window, log.spans(), std::vector<NumberRange>{{0, 5}},
       std::vector<std::uint32_t>{2, 3, 4, 0, 1});
  const SessionLogView spans = window.spans();
  for (std::size_t i = 0; i < 5; ++i) {
    const SessionView expected = log[(i + 3) % 5];
    EXPECT_THAT(spans.rows.subspan(spans.first_row(i), 100), ElementsAreArray(expected.rows));
    EXPECT_THAT(spans.clicks.subspan(spans.first_click(i), 100), ElementsAreArray(expected.clicks));
  }
}

}  // namespace
}  // namespace ultr::session_window_test
