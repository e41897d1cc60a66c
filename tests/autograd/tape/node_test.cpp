#include "autograd/tape/node.h"

#include <vector>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/tape/tape.h"

namespace ultr::node_test {
namespace {

constexpr Condition a{1, true}, not_a{1, false}, b{2, true}, c{3, true};

std::vector<Condition> conditions(const Demand& demand) {
  return {demand.all().begin(), demand.all().end()};
}

TEST(DemandTest, StartsEmpty) {
  EXPECT_FALSE(Demand().needed);
  EXPECT_TRUE(Demand::everywhere().needed);
  EXPECT_TRUE(conditions(Demand::everywhere()).empty());
}

TEST(DemandTest, WithAddsAConditionOnce) {
  const Demand demand = Demand::everywhere().with(a).with(b).with(a);
  EXPECT_TRUE(demand.needed);
  EXPECT_EQ(conditions(demand), (std::vector{a, b}));
  EXPECT_EQ(conditions(demand.with(not_a)), (std::vector{a, b, not_a}));
}

TEST(DemandTest, ConditionsWithoutRoomAreDropped) {
  Demand demand = Demand::everywhere();
  for (NodeId mask = 0; mask < 2 * Demand::most; ++mask) demand = demand.with({mask, true});
  EXPECT_EQ(demand.count, Demand::most);
}

TEST(DemandTest, JoinKeepsWhatBothShare) {
  const Demand first = Demand::everywhere().with(a).with(b);
  EXPECT_EQ(conditions(first.join(Demand::everywhere().with(c).with(b))), (std::vector{b}));
  EXPECT_TRUE(conditions(first.join(Demand::everywhere())).empty());
  EXPECT_TRUE(first.join(Demand::everywhere().with(not_a)).needed);
  EXPECT_TRUE(conditions(first.join(Demand::everywhere().with(not_a))).empty());
  // A demand for nothing adds nothing.
  EXPECT_EQ(conditions(first.join({})), conditions(first));
  EXPECT_EQ(conditions(Demand().join(first)), conditions(first));
  EXPECT_FALSE(Demand().join({}).needed);
}

TEST(DemandTest, FilterKeepsTheNeed) {
  const auto keep_b = [](const Condition& condition) { return condition == b; };
  const Demand demand = Demand::everywhere().with(a).with(b).filter(keep_b);
  EXPECT_TRUE(demand.needed);
  EXPECT_EQ(conditions(demand), (std::vector{b}));
  EXPECT_FALSE(Demand().filter(keep_b).needed);
}

TEST(DemandTest, OnlyInputsWithAsManyRowsAreSpared) {
  Tape tape;
  const Tensor sum = tape.input(Shape::vector(3)) + tape.constant(1);
  const Tensor repeated = tape.input(Shape::matrix(3, 2)) + tape.input(Shape::vector(2));
  const Demand own = Demand::everywhere().with(a);
  const auto of_input = [&](Tensor result, std::size_t input) {
    return conditions(demand_same_rows(tape, tape.node(result.node()), input, own));
  };
  EXPECT_EQ(of_input(sum, 0), std::vector{a});
  EXPECT_TRUE(of_input(sum, 1).empty());
  EXPECT_EQ(of_input(repeated, 0), std::vector{a});
  EXPECT_TRUE(of_input(repeated, 1).empty());
}

}  // namespace
}  // namespace ultr::node_test
