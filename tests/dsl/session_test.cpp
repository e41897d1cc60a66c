#include "dsl/session.h"

#include <gtest/gtest.h>

#include "autograd/ops/gather.h"
#include "layers/layers.h"

namespace ultr::session_test {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  static bool same(Prob a, Prob b) {
    return a.node() == b.node() && a.complemented() == b.complemented();
  }

  Tape tape_;
  ShardInputs inputs_{tape_, 3, 4};
  ProbGraph probabilities_{tape_};
  const Session session_{inputs_, probabilities_};
  const LogitTable of_ranks_{{.name = "θ", .domain = Domain::rank, .entries = 4}};
  const LogitTable of_pairs_{{.name = "θ", .domain = Domain::rank_pair, .entries = 20}};
  const LogitTable of_all_{{.name = "λ", .domain = Domain::global}};
};

TEST_F(SessionTest, RecordsACoinOnceHoweverOftenItIsAskedFor) {
  for (const LogitTable* layer : {&of_ranks_, &of_pairs_, &of_all_}) {
    const Prob first = session_.probability(*layer, "θ");
    const std::size_t recorded = tape_.size();
    EXPECT_TRUE(same(session_.probability(*layer, "θ"), first));
    EXPECT_EQ(tape_.size(), recorded);
  }
}

TEST_F(SessionTest, CoinsOfDifferentLayersDiffer) {
  EXPECT_FALSE(same(session_.probability(of_ranks_, "θ"), session_.probability(of_all_, "λ")));
}

TEST_F(SessionTest, AnAssumedLastClickChangesOnlyCoinsThatDependOnIt) {
  const Session assumed(inputs_, probabilities_, LastClick::assumed);
  EXPECT_TRUE(same(session_.probability(of_ranks_, "θ"), assumed.probability(of_ranks_, "θ")));
  EXPECT_FALSE(assumed.last_click_was_used());
  const Prob coin = assumed.probability(of_pairs_, "θ");
  EXPECT_FALSE(same(session_.probability(of_pairs_, "θ"), coin));
  EXPECT_TRUE(same(assumed.probability(of_pairs_, "θ"), coin));
  EXPECT_TRUE(assumed.last_click_was_used());
}

TEST_F(SessionTest, KnowsWhetherTheLastClickWasUsed) {
  EXPECT_FALSE(session_.last_click_was_used());
  session_.probability(of_ranks_, "θ");
  session_.probability(of_all_, "λ");
  EXPECT_FALSE(session_.last_click_was_used());
  session_.probability(of_pairs_, "θ");
  EXPECT_TRUE(session_.last_click_was_used());
  session_.probability(of_ranks_, "θ");
  EXPECT_TRUE(session_.last_click_was_used()) << "it stays used";
}

TEST_F(SessionTest, ACoinThatIsKnownAlreadyStillCounts) {
  session_.probability(of_pairs_, "θ");
  const Session other(inputs_, probabilities_);
  other.probability(of_pairs_, "θ");
  EXPECT_TRUE(other.last_click_was_used());
}

TEST_F(SessionTest, HasAnIndexForEveryDomain) {
  EXPECT_EQ(session_.index(Domain::rank).node, inputs_.positions().node);
  EXPECT_EQ(session_.index(Domain::document).node, inputs_.rows().node);
  EXPECT_EQ(session_.index(Domain::global).node, inputs_.only_entry().node);
  EXPECT_EQ(session_.index(Domain::rank_pair).node, inputs_.position_pairs().node);
  const Session assumed(inputs_, probabilities_, LastClick::assumed);
  EXPECT_EQ(assumed.index(Domain::rank_pair).node, inputs_.assumed_position_pairs().node);
  EXPECT_NE(inputs_.assumed_position_pairs().node, inputs_.position_pairs().node);
}

TEST_F(SessionTest, KnowsAlwaysAndNever) {
  EXPECT_TRUE(session_.always().is_always());
  EXPECT_TRUE(session_.never().is_never());
}

}  // namespace
}  // namespace ultr::session_test
