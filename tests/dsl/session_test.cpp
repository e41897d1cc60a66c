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
  const Session none = session_.with_last_click(std::nullopt), first = session_.with_last_click(0);
  EXPECT_TRUE(same(session_.probability(of_ranks_, "θ"), first.probability(of_ranks_, "θ")));
  const Prob observed = session_.probability(of_pairs_, "θ");
  const Prob at_none = none.probability(of_pairs_, "θ"),
             at_first = first.probability(of_pairs_, "θ");
  EXPECT_FALSE(same(observed, at_none));
  EXPECT_FALSE(same(observed, at_first));
  EXPECT_FALSE(same(at_none, at_first));
  EXPECT_TRUE(same(at_first, session_.with_last_click(0).probability(of_pairs_, "θ")));
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
  EXPECT_EQ(session_.with_last_click(1).index(Domain::rank_pair).node,
            inputs_.position_pairs(1).node);
}

TEST_F(SessionTest, KnowsAlwaysAndNever) {
  EXPECT_TRUE(session_.always().is_always());
  EXPECT_TRUE(session_.never().is_never());
}

}  // namespace
}  // namespace ultr::session_test
