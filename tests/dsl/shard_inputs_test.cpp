#include "dsl/shard_inputs.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "base/error.h"
#include "models/model_fixture.h"
#include "testing/errors.h"

namespace ultr::shard_inputs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t positions = 6;

/// Returns lists of three, one, three and two documents; some positions are left out.
SessionLog small_log() {
  SessionLog log;
  const auto add = [&](std::vector<std::uint32_t> rows, std::vector<std::uint16_t> shown_at,
                       std::vector<std::uint8_t> clicks) {
    log.add({rows, shown_at, clicks});
  };
  add({11, 12, 13}, {0, 1, 2}, {0, 1, 0});
  add({21}, {3}, {1});
  add({31, 32, 33}, {0, 2, 5}, {1, 0, 1});
  add({41, 42}, {1, 2}, {0, 0});
  return log;
}

/// A shard bound to inputs, whose values can be inspected.
class Bound {
 public:
  explicit Bound(const SessionLog& log) : shard_(testing::pack_all(log)) {}

  Tape& tape() { return tape_; }
  ShardInputs& inputs() { return inputs_; }
  const Shard& shard() const { return shard_; }
  void bind() { inputs_.bind(shard_); }

  /// Returns the entries of an index by looking them up in a table of 0, 1, 2, ...
  std::vector<double> entries(Index index) {
    std::vector<double> numbers(100);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
    return take(tape_.constant(Shape::vector(100), numbers), index).values();
  }
  std::vector<double> truths(Mask mask) {
    return where(mask, tape_.constant(1), tape_.constant(0)).values();
  }
  std::vector<double> rows_in(const Range& range) { return entries(slice(inputs_.rows(), range)); }

 private:
  Shard shard_;
  Tape tape_{Precision::float64};
  ShardInputs inputs_{tape_, 3, positions};
};

TEST(ShardInputsTest, RanksAreSlicesOverTheSessionsThatReachThem) {
  Bound bound(small_log());
  bound.inputs().rows();
  const RankedLists ranks = bound.inputs().ranks();
  bound.bind();
  // Sessions are ordered longest first: 0, 2, 3, 1.
  EXPECT_THAT(bound.rows_in(bound.inputs().rank(0)), ElementsAre(11, 31, 41, 21));
  EXPECT_THAT(bound.rows_in(bound.inputs().rank(1)), ElementsAre(12, 32, 42));
  EXPECT_THAT(bound.rows_in(bound.inputs().rank(2)), ElementsAre(13, 33));
  EXPECT_THAT(bound.rows_in(bound.inputs().continuing(0)), ElementsAre(11, 31, 41));
  EXPECT_THAT(bound.rows_in(bound.inputs().continuing(1)), ElementsAre(12, 32));
  EXPECT_EQ(bound.tape().size_of(bound.inputs().documents()), 9);
  EXPECT_EQ(bound.tape().size_of(bound.inputs().sessions()), 4);
  EXPECT_EQ(ranks.begin.size(), 3u);
  EXPECT_EQ(ranks.count.size(), 3u);
  EXPECT_EQ(bound.tape().size_of(ranks.elements), 9);
  EXPECT_THAT(bound.truths(ranks.continues), ElementsAre(1, 1, 1, 0, 1, 1, 0, 0, 0));
}

TEST(ShardInputsTest, SessionsThatGoOnAndThatEndPartitionARank) {
  Bound bound(small_log());
  bound.bind();
  const std::vector<double> sessions = {0, 2, 3, 1};
  const Tensor numbers = bound.tape().constant(Shape::vector(4), sessions);
  const auto in = [&](const Range& range) { return slice(numbers, range).values(); };
  EXPECT_THAT(in(bound.inputs().continuing_sessions(0)), ElementsAre(0, 2, 3));
  EXPECT_THAT(in(bound.inputs().ending_sessions(0)), ElementsAre(1));
  EXPECT_THAT(in(bound.inputs().continuing_sessions(1)), ElementsAre(0, 2));
  EXPECT_THAT(in(bound.inputs().ending_sessions(1)), ElementsAre(3));
  EXPECT_THAT(in(bound.inputs().ending_sessions(2)), ElementsAre(0, 2));
}

TEST(ShardInputsTest, GivesClicksRowsAndPositions) {
  Bound bound(small_log());
  const Mask clicked = bound.inputs().clicked();
  const Index rows = bound.inputs().rows(), shown_at = bound.inputs().positions();
  bound.bind();
  EXPECT_THAT(bound.entries(rows), ElementsAre(11, 31, 41, 21, 12, 32, 42, 13, 33));
  EXPECT_THAT(bound.entries(shown_at), ElementsAre(0, 0, 1, 3, 1, 2, 2, 2, 5));
  EXPECT_THAT(bound.truths(clicked), ElementsAre(0, 1, 0, 1, 1, 0, 0, 0, 1));
}

TEST(ShardInputsTest, TheOnlyEntryIsZero) {
  Bound bound(small_log());
  const Index only = bound.inputs().only_entry();
  bound.bind();
  EXPECT_THAT(bound.entries(only), ElementsAre(0));
}

TEST(ShardInputsTest, ListsStandInTheOrderOfSessionsFromTheTop) {
  Bound bound(small_log());
  ListInputs& lists = bound.inputs().lists();
  const Index order = lists.order(), shown_at = lists.positions(), first = lists.first_documents();
  const Segments segments = lists.segments();
  const Tensor clicks = lists.targets();
  bound.bind();
  // Sessions are ordered longest first: 0, 2, 3, 1. In the shard, documents are stored rank by
  // rank.
  EXPECT_THAT(bound.entries(order), ElementsAre(0, 4, 7, 1, 5, 8, 2, 6, 3));
  EXPECT_THAT(bound.entries(shown_at), ElementsAre(0, 1, 2, 0, 2, 5, 1, 2, 3));
  EXPECT_THAT(bound.entries(first), ElementsAre(0, 0, 0, 3, 3, 3, 6, 6, 8));
  EXPECT_THAT(clicks.values(), ElementsAre(0, 1, 0, 1, 0, 1, 0, 0, 1));
  EXPECT_THAT(segment_sum(clicks, segments).values(), ElementsAre(1, 2, 0, 1));
}

/// Returns two features for each of 43 pairs: its row and a tenth of it.
FeatureTable numbered_features() {
  std::vector<float> values;
  for (int row = 0; row <= 42; ++row) {
    values.push_back(static_cast<float>(row));
    values.push_back(static_cast<float>(row) / 10);
  }
  return {std::move(values), 2};
}

TEST(ShardInputsTest, GivesFeaturesOfDocuments) {
  const SessionLog log = small_log();
  const Shard shard = testing::pack_all(log);
  Tape tape;
  ShardInputs inputs(tape, 3, positions, numbered_features());
  const Tensor of_documents = inputs.features(Domain::document);
  const Tensor at_ranks = inputs.features(Domain::document_rank);
  EXPECT_EQ(inputs.features(Domain::document).node(), of_documents.node());
  inputs.bind(shard);
  const auto values = of_documents.values(), values_at_ranks = at_ranks.values();
  ASSERT_EQ(values.size(), shard.documents() * 2);
  ASSERT_EQ(values_at_ranks.size(), shard.documents() * (2 + positions));
  for (std::size_t i = 0; i < shard.documents(); ++i) {
    const double row = shard.rows()[i];
    EXPECT_EQ(values[2 * i], row);
    EXPECT_NEAR(values[2 * i + 1], row / 10, 1e-6);
    const auto at = std::span(values_at_ranks).subspan(i * (2 + positions), 2 + positions);
    EXPECT_EQ(at[0], row);
    EXPECT_NEAR(at[1], row / 10, 1e-6);
    for (std::size_t p = 0; p < positions; ++p) EXPECT_EQ(at[2 + p], shard.positions()[i] == p);
  }
}

TEST(ShardInputsTest, EntriesOfOtherDomainsAreRowsOfTheIdentity) {
  Tape tape;
  ShardInputs inputs(tape, 3, 2);
  EXPECT_THAT(inputs.features(Domain::rank).values(), ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(inputs.features(Domain::rank_pair).shape(), Shape::matrix(6, 6));
  EXPECT_THAT(inputs.features(Domain::global).values(), ElementsAre(1));
  EXPECT_THROW(inputs.features(Domain::document), Error);
}

TEST(ShardInputsTest, SignalsAreEntriesOfTheirDomains) {
  SessionLog log;
  const auto add = [&](std::vector<std::uint16_t> shown, std::vector<std::uint16_t> viewed,
                       std::vector<std::uint16_t> skipped, std::vector<std::uint16_t> seconds) {
    SignalColumns signals;
    signals[Signal::viewed] = std::move(viewed);
    signals[Signal::skipped] = std::move(skipped);
    signals[Signal::dwell] = std::move(seconds);
    log.add({.rows = std::vector<std::uint32_t>(shown.size(), 1u),
             .positions = shown,
             .clicks = std::vector<std::uint8_t>(shown.size()),
             .signals = spans_of(signals)});
  };
  add({0, 1, 3}, {1, 0, 1}, {1, 0, 1}, {0, 1, 3});
  add({2, 3}, {0, 1}, {0, 1}, {1024, 65535});
  const Shard shard = testing::pack_all(log);
  Tape tape;
  ShardInputs inputs(tape, 3, positions);
  const std::vector<double> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const Tensor table = tape.constant(Shape::vector(12), numbers);
  std::vector<Tensor> taken;
  for (const Signal signal : all_signals)
    taken.push_back(take(table, inputs.signal_entries(signal)));
  tape.require(taken);
  EXPECT_TRUE(inputs.uses_positions());
  inputs.bind(shard);
  tape.replay();
  // Both sessions at the first rank, then at the second, then the first session at the third.
  EXPECT_THAT(taken[0].values(), ElementsAre(1, 4, 2, 7, 7));
  EXPECT_THAT(taken[1].values(), ElementsAre(0, 4, 3, 6, 6)) << "skips of the document above";
  EXPECT_THAT(taken[2].values(), ElementsAre(0, 11, 1, 11, 2));
}

TEST(ShardInputsTest, RefusesSessionsWithoutANeededSignal) {
  const SessionLog log = small_log();
  const Shard shard = testing::pack_all(log);
  Tape tape;
  ShardInputs inputs(tape, 3, positions);
  const Tensor table = tape.constant(Shape::vector(12), std::vector<double>(12));
  const Tensor needed = take(table, inputs.signal_entries(Signal::dwell));
  static_cast<void>(take(table, inputs.signal_entries(Signal::viewed)));  // not needed
  tape.require(std::array{needed});
  EXPECT_EQ(testing::data_message([&] { inputs.bind(shard); }),
            "the sessions have no dwell times, which the model reads");
}

TEST(ShardInputsTest, BindsTheKeyOfTheNoise) {
  const SessionLog log = small_log();
  const Shard shard = testing::pack_all(log);
  Tape tape;
  ShardInputs inputs(tape, 3, positions, {}, Noise::on);
  ASSERT_TRUE(inputs.noise());
  inputs.bind(shard, {.seed = 3ull << 32 | 4, .step = 5, .shard = 6});
  const auto* words = reinterpret_cast<const std::uint32_t*>(tape.node(inputs.noise()->node).value);
  EXPECT_THAT(std::vector<std::uint32_t>(words, words + 4), ElementsAre(4, 3, 5, 6));
  Tape quiet;
  EXPECT_FALSE(ShardInputs(quiet, 3, positions).noise());
}

TEST(ShardInputsTest, ListsHaveThePropensitiesOfTheirLog) {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{11, 12}, std::vector<std::uint16_t>{0, 1},
           std::vector<std::uint8_t>{0, 0}, 0, std::vector<float>{0.5f, 0.25f}});
  log.add({std::vector<std::uint32_t>{21, 22, 23}, std::vector<std::uint16_t>{0, 1, 2},
           std::vector<std::uint8_t>{0, 0, 0}, 0, std::vector<float>{1, 0.125f, 0.75f}});
  Bound bound(log);
  const Tensor propensities = bound.inputs().lists().propensities();
  bound.bind();
  EXPECT_THAT(propensities.values(), ElementsAre(1, 0.125, 0.75, 0.5, 0.25));

  Bound without(small_log());
  without.inputs().lists().propensities();
  EXPECT_THAT([&] { without.bind(); },
              ThrowsMessage<DataError>(HasSubstr("have no propensities of the policy")));
}

TEST(ShardInputsTest, EqualRequestsShareAnInput) {
  Bound bound(small_log());
  ShardInputs& inputs = bound.inputs();
  EXPECT_EQ(inputs.clicked().node, inputs.clicked().node);
  EXPECT_EQ(inputs.rows().node, inputs.rows().node);
  EXPECT_EQ(inputs.positions().node, inputs.positions().node);
  EXPECT_EQ(inputs.only_entry().node, inputs.only_entry().node);
  EXPECT_EQ(inputs.position_pairs().node, inputs.position_pairs().node);
  EXPECT_EQ(inputs.assumed_position_pairs().node, inputs.assumed_position_pairs().node);
  EXPECT_NE(inputs.assumed_position_pairs().node, inputs.position_pairs().node);
  EXPECT_EQ(inputs.lists().segments().offsets.node, inputs.lists().segments().offsets.node);
  EXPECT_EQ(inputs.lists().order().node, inputs.lists().order().node);
  EXPECT_EQ(inputs.lists().targets().node(), inputs.lists().targets().node());
}

/// Returns the pair of a displayed position (from 0) and that of the last click (from 1; 0 = none).
double pair(std::size_t position, std::size_t last) {
  return static_cast<double>(position * (positions + 1) + last);
}

TEST(ShardInputsTest, ObservedPairsFollowTheClicksOfEachSession) {
  Bound bound(small_log());
  const Index pairs = bound.inputs().position_pairs();
  bound.bind();
  EXPECT_THAT(bound.entries(pairs), ElementsAre(pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 0),
                                                pair(1, 0), pair(2, 1), pair(2, 0),  //
                                                pair(2, 2), pair(5, 1)));
}

TEST(ShardInputsTest, AssumedPairsFollowTheAssumption) {
  Bound bound(small_log());
  const Index pairs = bound.inputs().assumed_position_pairs();
  const auto without_clicks =
      ElementsAre(pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 0), pair(1, 0), pair(2, 0),
                  pair(2, 0), pair(2, 0), pair(5, 0));
  bound.bind();
  EXPECT_THAT(bound.entries(pairs), without_clicks);
  // At the document itself and above it, there is no click yet.
  bound.inputs().assume_last_clicks(bound.shard(), 1);
  EXPECT_THAT(bound.entries(pairs), ElementsAre(pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 0),
                                                pair(1, 1), pair(2, 1), pair(2, 2),  //
                                                pair(2, 1), pair(5, 1)));
  bound.inputs().assume_last_clicks(bound.shard(), 2);
  EXPECT_THAT(bound.entries(pairs), ElementsAre(pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 0),
                                                pair(1, 0), pair(2, 0), pair(2, 0),  //
                                                pair(2, 2), pair(5, 3)));
  bound.inputs().assume_last_clicks(bound.shard(), std::array{2u, 1u, 0u, 0u});
  EXPECT_THAT(bound.entries(pairs), ElementsAre(pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 0),
                                                pair(1, 0), pair(2, 1), pair(2, 0),  //
                                                pair(2, 2), pair(5, 1)));
  bound.bind();
  EXPECT_THAT(bound.entries(pairs), without_clicks);
}

/// Lists without gaps take another way than the lists above.
TEST(ShardInputsTest, OneLastClickForAllSessionsIsThatClickForEach) {
  SessionLog log;
  for (const std::size_t length : {4u, 2u, 3u}) {
    const std::vector<std::uint16_t> shown_at = {0, 1, 2, 3};
    log.add({std::vector<std::uint32_t>(length, 1), std::span(shown_at).first(length),
             std::vector<std::uint8_t>(length)});
  }
  const Shard shard = testing::pack_all(log);
  Tape tape(Precision::float64);
  ShardInputs inputs(tape, 4, positions);
  const Index pairs = inputs.assumed_position_pairs();
  std::vector<double> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const Tensor table = tape.constant(Shape::vector(100), numbers);
  inputs.bind(shard);
  ASSERT_FALSE(shard.position_runs().empty());
  for (const std::uint32_t last : {0u, 1u, 2u, 3u, 4u}) {
    inputs.assume_last_clicks(shard, last);
    const auto together = take(table, pairs).values();
    inputs.assume_last_clicks(shard, std::vector<std::uint32_t>(3, last));
    EXPECT_EQ(together, take(table, pairs).values()) << last;
  }
}

TEST(ShardInputsTest, RefusesPositionsBeyondThoseTheModelKnows) {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 6},
           std::vector<std::uint8_t>{0, 0, 0}});
  const auto message = HasSubstr("displayed at position 7; the model knows 6");
  for (const auto ask : {+[](ShardInputs& inputs) { inputs.positions(); },
                         +[](ShardInputs& inputs) { inputs.position_pairs(); },
                         +[](ShardInputs& inputs) { inputs.assumed_position_pairs(); },
                         +[](ShardInputs& inputs) { inputs.lists().positions(); }}) {
    Bound bound(log);
    ask(bound.inputs());
    EXPECT_THAT([&] { bound.bind(); }, ThrowsMessage<DataError>(message));
  }
  Bound indifferent(log);
  indifferent.inputs().rows();
  EXPECT_NO_THROW(indifferent.bind());
}

TEST(ShardInputsTest, IsBoundAnewToEachShard) {
  Bound bound(small_log());
  const Index rows = bound.inputs().rows();
  bound.bind();
  const Tensor recorded =
      take(bound.tape().constant(Shape::vector(100), std::vector<double>(100, 1)), rows);
  EXPECT_EQ(recorded.values().size(), 9u);
  SessionLog other;
  other.add({std::vector<std::uint32_t>{5, 6, 7}, std::vector<std::uint16_t>{0, 1, 2},
             std::vector<std::uint8_t>{0, 0, 0}});
  const Shard shard = testing::pack_all(other);
  bound.inputs().bind(shard);
  bound.tape().replay();
  EXPECT_EQ(recorded.values().size(), 3u);
  EXPECT_THAT(bound.entries(rows), ElementsAre(5, 6, 7));
}

TEST(ShardInputsTest, ReportsWhetherRowsAndPositionsAreUsed) {
  Tape tape(Precision::float64);
  const FeatureTable features(std::vector<float>(4), 2);
  ShardInputs inputs(tape, 3, positions, features);
  inputs.clicked();
  inputs.features(Domain::document);
  EXPECT_FALSE(inputs.uses_rows()) << "features of documents are no numbers of the dictionary";
  EXPECT_FALSE(inputs.uses_positions());
  inputs.rows();
  EXPECT_TRUE(inputs.uses_rows());
  const Tensor table = tape.constant(Shape::vector(positions), std::vector<double>(positions));
  const Tensor of_positions = take(table, inputs.positions());
  EXPECT_TRUE(inputs.uses_positions());
  tape.require(std::array{inputs.features(Domain::document)});
  EXPECT_FALSE(inputs.uses_positions()) << "no output needs them";
  EXPECT_FALSE(inputs.uses_rows());
  tape.require(std::array{of_positions});
  EXPECT_TRUE(inputs.uses_positions());
}

TEST(ShardInputsTest, FeaturesAreThePairsOrTheListsOwn) {
  SessionLog log;
  log.add({.rows = std::array{2u, 1u},
           .positions = std::array<std::uint16_t, 2>{0, 1},
           .clicks = std::array<std::uint8_t, 2>{0, 0}});
  log.add({.rows = std::array{1u, 2u, 0u},
           .positions = std::array<std::uint16_t, 3>{0, 1, 2},
           .clicks = std::array<std::uint8_t, 3>{0, 0, 0}});
  Tape tape(Precision::float64);
  ShardInputs inputs(tape, 3, positions, FeatureTable(std::vector<float>{0, 10, 20}, 1));
  const Tensor read = inputs.features(Domain::document);
  Shard shard = testing::pack_all(log);
  inputs.bind(shard);
  // The longer list comes first, and documents of one rank are contiguous.
  EXPECT_THAT(read.values(), ElementsAre(10, 20, 20, 10, 0));
  log.set_features(FeatureTable(std::vector<float>{0, 1, 2, 3, 4, 5}, 1));
  shard = testing::pack_all(log);
  inputs.bind(shard);
  tape.replay();
  EXPECT_THAT(read.values(), ElementsAre(3, 1, 4, 2, 5));
  log.set_features(FeatureTable(std::vector<float>(12), 2));
  shard = testing::pack_all(log);
  EXPECT_THAT([&] { inputs.bind(shard); },
              ThrowsMessage<DataError>("the documents have 2 features; the model expects 1"));
}

}  // namespace
}  // namespace ultr::shard_inputs_test
