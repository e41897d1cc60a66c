#include "autograd/markov/forward_algorithm.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/markov/ranked_lists.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "testing/errors.h"
#include "testing/gradient.h"
#include "testing/not_finite.h"
#include "testing/tensors.h"

namespace ultr::forward_algorithm_test {
namespace {

using ::testing::ElementsAre;
using testing::infinity;
using testing::variable;
using Numbers = std::vector<double>;

constexpr std::size_t state_count = 3, lists = 70;

/// Three states, of which the first two start lists and the third is entered. Numbers are logs of
/// any size, because the formulas do not ask for probabilities that sum to 1.
class ForwardAlgorithmTest : public ::testing::TestWithParam<Precision> {
 protected:
  ForwardAlgorithmTest() {
    // More lists than a group of packs has lanes; some end at each rank.
    const std::vector<std::int64_t> counts = {lists, 66, 33, 2};
    ranks_ = testing::ranked_lists(tape_, counts);
    std::size_t n = 0;
    for (const std::int64_t count : counts) {
      begin_.push_back(n);
      for (std::int64_t j = 0; j < count; ++j) length_[static_cast<std::size_t>(j)]++;
      n += static_cast<std::size_t>(count);
    }
    for (unsigned i = 0; i < 5; ++i) {
      numbers_.push_back(testing::draw({-3, 0.5, n}, i));
      tensors_.push_back(variable(tape_, numbers_.back()));
    }
    scalar_ = tape_.variable(Shape::scalar(), Numbers{-0.7});
    states_ = {{scalar_, tensors_[0]}, {tape_.constant(-1.2), tensors_[1]}, {{}, {}}};
    moves_ = {{2, 0, tensors_[2]}, {0, 0, tensors_[3]}, {1, 1, {}},     {0, 1, scalar_},
              {0, 2, tensors_[4]}, {1, 2, tensors_[4]}, {2, 2, scalar_}};
    model_ = {.states = states_, .moves = moves_};
  }

  double tolerance() const { return GetParam() == Precision::float32 ? 2e-6 : 1e-13; }
  std::size_t at(std::size_t list, std::size_t rank) const { return begin_[rank] + list; }

  double observed(std::size_t state, std::size_t element) const {
    return state == 2 ? 0 : numbers_[state][element];
  }
  /// Returns log p of a move after an element; -inf if there is none.
  double moving(std::size_t from, std::size_t to, std::size_t element) const {
    constexpr double never = -infinity;
    const double stay = numbers_[3][element], enter = numbers_[4][element],
                 leave = numbers_[2][element];
    const double table[state_count][state_count] = {
        {stay, -0.7, enter}, {never, 0, enter}, {leave, never, -0.7}};
    return table[from][to];
  }
  /// Returns Σ over all paths of `ranks` states through a list of their probabilities, of those
  /// paths that are in `state` at `rank`, if it is given.
  double sum_of_paths(std::size_t list, std::size_t ranks, std::size_t state = state_count,
                      std::size_t rank = 0) const {
    double sum = 0;
    std::size_t paths = 1;
    for (std::size_t k = 0; k < ranks; ++k) paths *= state_count;
    for (std::size_t path = 0; path < paths; ++path) {
      double log_p = 0;
      std::size_t before = 0;
      bool counts = state == state_count;
      for (std::size_t k = 0, rest = path; k < ranks; ++k, rest /= state_count) {
        const std::size_t here = rest % state_count;
        const double start[state_count] = {-0.7, -1.2, -infinity};
        log_p += k == 0 ? start[here] : moving(before, here, at(list, k - 1));
        log_p += observed(here, at(list, k));
        counts = counts || (k == rank && here == state);
        before = here;
      }
      if (counts) sum += std::exp(log_p);
    }
    return sum;
  }

  Tape tape_{GetParam()};
  RankedLists ranks_;
  std::vector<std::size_t> begin_;
  std::array<std::size_t, lists> length_{};
  std::vector<Numbers> numbers_;
  std::vector<Tensor> tensors_;
  Tensor scalar_;
  std::vector<HiddenState> states_;
  std::vector<HiddenMove> moves_;
  HiddenMarkovModel model_;
};

INSTANTIATE_TEST_SUITE_P(Precisions, ForwardAlgorithmTest,
                         ::testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) {
                           return test.param == Precision::float32 ? "float32" : "float64";
                         });

TEST_P(ForwardAlgorithmTest, SumsOverAllPaths) {
  const Numbers whole = log_likelihoods(model_, ranks_).values(),
                so_far = log_likelihoods_so_far(model_, ranks_).values();
  ASSERT_EQ(whole.size(), lists);
  ASSERT_EQ(so_far.size(), numbers_[0].size());
  for (std::size_t list = 0; list < lists; ++list) {
    const std::size_t length = length_[list];
    EXPECT_NEAR(whole[list], std::log(sum_of_paths(list, length)), tolerance()) << list;
    for (std::size_t ranks = 1; ranks <= length; ++ranks)
      EXPECT_NEAR(so_far[at(list, ranks - 1)], std::log(sum_of_paths(list, ranks)), tolerance());
  }
}

TEST_P(ForwardAlgorithmTest, GradientsArePosteriors) {
  tape_.backward(sum(log_likelihoods(model_, ranks_)));
  for (std::size_t state = 0; state < 2; ++state) {
    const Numbers gradient = tensors_[state].gradient();
    for (std::size_t list = 0; list < lists; ++list)
      for (std::size_t rank = 0; rank < length_[list]; ++rank) {
        const double posterior =
            sum_of_paths(list, length_[list], state, rank) / sum_of_paths(list, length_[list]);
        EXPECT_NEAR(gradient[at(list, rank)], posterior, tolerance()) << list << ", " << rank;
      }
  }
  // Moves of last elements are not made.
  for (std::size_t list = 0; list < lists; ++list)
    for (std::size_t move = 2; move < 5; ++move)
      EXPECT_EQ(tensors_[move].gradient()[at(list, length_[list] - 1)], 0);
}

TEST_P(ForwardAlgorithmTest, AListThatNoStateAllowsIsImpossible) {
  Numbers never = numbers_[0];
  never[at(1, 1)] = -infinity;
  tape_.assign(tensors_[0], never);
  const std::array states = {HiddenState{scalar_, tensors_[0]}};
  const std::array moves = {HiddenMove{0, 0, scalar_}};
  const Tensor likelihoods = log_likelihoods({.states = states, .moves = moves}, ranks_);
  const Numbers values = likelihoods.values();
  EXPECT_EQ(values[1], -infinity);
  EXPECT_TRUE(std::isfinite(values[0]) && std::isfinite(values[2]));
  tape_.backward(sum(likelihoods));
  for (std::size_t rank = 0; rank < length_[1]; ++rank)
    EXPECT_EQ(tensors_[0].gradient()[at(1, rank)], 0);
  EXPECT_EQ(tensors_[0].gradient()[at(0, 1)], 1);
}

/// An impossible observation is as if its element had been left out, but for its score.
TEST_P(ForwardAlgorithmTest, ImpossibleObservationsAreScored) {
  Tape tape(GetParam());
  const RankedLists two = testing::ranked_lists(tape, std::array<std::int64_t, 3>{2, 2, 1});
  const Tensor seen = variable(tape, {-1, -2, -infinity, -3, -4}),
               likewise = variable(tape, {-0.5, -0.25, -infinity, -infinity, -2}),
               moves = variable(tape, {-0.1, -0.2, -0.3, -0.4, -0.5});
  const std::array states = {HiddenState{tape.constant(0), seen}, HiddenState{{}, likewise}};
  const std::array hidden_moves = {HiddenMove{0, 0, moves}, HiddenMove{0, 1},
                                   HiddenMove{1, 1, moves}};
  const HiddenMarkovModel model{.states = states, .moves = hidden_moves, .log_impossible = -18};
  const Tensor likelihoods = log_likelihoods(model, two);
  const Numbers values = likelihoods.values();
  // List 0: the second element is impossible. States after it: 0 by two moves, 1 by either way.
  const double stays = -0.1 - 0.3 - 4, leaves = std::log(std::exp(-0.1) + std::exp(-0.3)) - 2;
  EXPECT_NEAR(values[0], -1 - 18 + std::log(std::exp(stays) + std::exp(leaves)), 1e-5);
  EXPECT_NEAR(values[1], -2 - 0.2 - 3, 1e-6);
  tape.backward(sum(likelihoods));
  const Numbers of_seen = seen.gradient(), of_likewise = likewise.gradient();
  EXPECT_EQ(of_seen[2], 0);
  EXPECT_EQ(of_likewise[2], 0);
  EXPECT_NEAR(of_seen[0], 1, 1e-6);
  EXPECT_NEAR(of_seen[4] + of_likewise[4], 1, 1e-6);
  EXPECT_NEAR(of_seen[3], 1, 1e-6);
  EXPECT_EQ(of_likewise[3], 0);
}

TEST(ForwardAlgorithmDemandTest, MovesOfLastElementsAreNotGathered) {
  Tape tape(Precision::float64);
  const RankedLists two = testing::ranked_lists(tape, std::array<std::int64_t, 2>{2, 1});
  const std::vector<double> table = {-1, -2, -3};
  const ParameterView view{table.data(), Precision::float64, 3};
  const std::vector<std::uint32_t> rows = {0, 1, 2};
  const Index index = tape.index(3);
  tape.bind(index, rows);
  const Tensor moves = gather(tape, view, index), constant = tape.constant(Shape::vector(3), table);
  const std::array states = {HiddenState{tape.constant(0), constant}};
  const std::array hidden_moves = {HiddenMove{0, 0, moves}};
  const Tensor loss = sum(log_likelihoods({.states = states, .moves = hidden_moves}, two));
  tape.require(std::array{loss});
  tape.replay();
  EXPECT_DOUBLE_EQ(loss.item(), -1 - 1 - 3 - 2);
  tape.backward(loss);
  ASSERT_EQ(tape.sparse_gradients().size(), 1u);
  EXPECT_THAT(tape.sparse_gradients()[0].rows, ElementsAre(0));
}

TEST(ForwardAlgorithmShapesTest, MisfitsAreErrors) {
  Tape tape(Precision::float64);
  const RankedLists two = testing::ranked_lists(tape, std::array<std::int64_t, 2>{2, 1});
  const Tensor three = variable(tape, {-1, -2, -3}), other = variable(tape, {-1, -2});
  const Tensor start = tape.constant(0);
  const auto error_of = [&](const HiddenState& state, std::span<const HiddenMove> moves = {}) {
    return testing::shape_error(
        [&] { log_likelihoods({.states = std::span(&state, 1), .moves = moves}, two); });
  };
  EXPECT_EQ(error_of({start, other}),
            "log_likelihoods: an operand is [2]; expected [3] or a scalar");
  EXPECT_EQ(error_of({three, three}), "log_likelihoods: an operand is [3]; expected a scalar");
  EXPECT_EQ(error_of({start, three}, std::array{HiddenMove{0, 0, other}}),
            "log_likelihoods: an operand is [2]; expected [3] or a scalar");
  EXPECT_EQ(error_of({start, three}, std::array{HiddenMove{0, 1}}),
            "log_likelihoods: a move from state 0 to 1; expected numbers below 1");
  RankedLists uneven = two;
  uneven.begin = uneven.begin.first(1);
  const HiddenState state{start, three};
  EXPECT_EQ(
      testing::shape_error([&] { log_likelihoods({.states = std::span(&state, 1)}, uneven); }),
      "log_likelihoods: 1 ranks begin, 2 have a number of lists; expected as many");
  Tape elsewhere(Precision::float64);
  EXPECT_EQ(error_of({start, variable(elsewhere, {-1, -2, -3})}),
            "log_likelihoods: the operands are on different tapes");
}

}  // namespace
}  // namespace ultr::forward_algorithm_test
