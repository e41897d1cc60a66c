#include "autograd/tape/shape.h"

#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::shape_test {
namespace {

constexpr Extent run_time(0, 9), other_run_time(1, 9);

TEST(ShapeTest, ToStringShowsSizesAndCapacities) {
  EXPECT_EQ(to_string(Shape::scalar()), "[]");
  EXPECT_EQ(to_string(Shape::vector(32)), "[32]");
  EXPECT_EQ(to_string(Shape::matrix(32, 8)), "[32, 8]");
  EXPECT_EQ(to_string(Shape::vector(run_time)), "[<=9]");
  EXPECT_EQ(to_string(Shape::matrix(run_time, 8)), "[<=9, 8]");
}

TEST(ShapeTest, CapacityIsTheLargestNumberOfElements) {
  EXPECT_EQ(Shape::scalar().capacity(), 1);
  EXPECT_EQ(Shape::matrix(3, 5).capacity(), 3 * 5);
  EXPECT_EQ(Shape::matrix(run_time, 5).capacity(), 9 * 5);
}

TEST(ShapeTest, SingleHoldsOneElementWhateverTheRank) {
  EXPECT_TRUE(Shape::scalar().single());
  EXPECT_TRUE(Shape::vector(1).single());
  EXPECT_TRUE(Shape::matrix(1, 1).single());
  EXPECT_FALSE(Shape::vector(0).single());
  EXPECT_FALSE(Shape::matrix(1, 2).single());
  EXPECT_FALSE(Shape::vector(Extent(0, 1)).single());  // may be bound to 0
}

TEST(ShapeTest, RunTimeExtentsAreEqualOnlyToThemselves) {
  EXPECT_EQ(run_time, Extent(0, 9));
  EXPECT_NE(run_time, other_run_time);
  EXPECT_NE(run_time, Extent(9));
  EXPECT_TRUE(Extent(9).fixed());
  EXPECT_FALSE(run_time.fixed());
}

struct BroadcastCase {
  Shape a, b, result;
  Broadcast kind_of_a, kind_of_b;
};

TEST(BroadcastTest, FollowsNumPy) {
  using enum Broadcast;
  const Shape s = Shape::scalar();
  const auto v = [](Extent n) { return Shape::vector(n); };
  const auto m = [](Extent n, std::int64_t columns) { return Shape::matrix(n, columns); };
  const BroadcastCase cases[] = {
      {s, s, s, none, none},
      {v(4), v(4), v(4), none, none},
      {v(4), s, v(4), none, scalar},
      {v(4), v(1), v(4), none, scalar},
      {v(1), s, v(1), none, scalar},
      {m(2, 3), s, m(2, 3), none, scalar},
      {m(2, 3), m(1, 1), m(2, 3), none, scalar},
      {m(2, 3), v(3), m(2, 3), none, row},
      {m(2, 3), m(1, 3), m(2, 3), none, row},
      {m(2, 3), m(2, 1), m(2, 3), none, column},
      {m(2, 1), m(1, 3), m(2, 3), column, row},
      {m(2, 1), v(3), m(2, 3), column, row},
      {m(3, 3), v(3), m(3, 3), none, row},
      {v(3), m(1, 1), m(1, 3), none, scalar},
      {v(3), m(1, 3), m(1, 3), none, none},
      {v(run_time), s, v(run_time), none, scalar},
      {m(run_time, 3), m(run_time, 1), m(run_time, 3), none, column},
      {m(run_time, 3), v(3), m(run_time, 3), none, row},
      {m(run_time, 1), v(3), m(run_time, 3), column, row},
  };
  for (const BroadcastCase& c : cases) {
    SCOPED_TRACE(to_string(c.a) + " and " + to_string(c.b));
    EXPECT_EQ(broadcast_shapes("add", c.a, c.b), c.result);
    EXPECT_EQ(broadcast_shapes("add", c.b, c.a), c.result);
    EXPECT_EQ(broadcast_kind(c.a, c.result), c.kind_of_a);
    EXPECT_EQ(broadcast_kind(c.b, c.result), c.kind_of_b);
  }
}

TEST(BroadcastTest, ErrorsNameTheOpAndBothShapes) {
  const std::pair<Shape, Shape> cases[] = {
      {Shape::vector(4), Shape::vector(5)},
      {Shape::matrix(2, 3), Shape::vector(2)},
      {Shape::matrix(2, 3), Shape::matrix(3, 3)},
      {Shape::matrix(2, 3), Shape::matrix(2, 2)},
      {Shape::vector(run_time), Shape::vector(9)},
      {Shape::vector(run_time), Shape::vector(other_run_time)},
      {Shape::matrix(9, 3), Shape::matrix(run_time, 3)},
  };
  for (const auto& [a, b] : cases)
    EXPECT_EQ(testing::shape_error([a = a, b = b] { broadcast_shapes("add", a, b); }),
              "add: a is " + to_string(a) + ", b is " + to_string(b) +
                  "; expected equal shapes, or one that repeats along the other's rows or columns");
}

}  // namespace
}  // namespace ultr::shape_test
