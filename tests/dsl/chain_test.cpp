#include "dsl/chain.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "models/story_models.h"

namespace ultr::chain_test {
namespace {

using testing::MoodModel;

/// The model of three moods, enumerated for one list: every coin is tossed both ways.
class Enumeration {
 public:
  Enumeration(const TrainableModel& model, const SessionView& list) : model_(model), list_(list) {
    examined_.resize(list.rows.size());
    walk(0, MoodModel::reading, 1, 0);
  }

  /// Returns P(clicks), where rank k is clicked if bit k of the vector is set.
  double joint(std::size_t vector) const {
    const auto found = joint_.find(vector);
    return found == joint_.end() ? 0 : found->second;
  }
  /// Returns P(the first `count` ranks are clicked as in the vector).
  double prefix(std::size_t vector, std::size_t count) const {
    const std::size_t bits = (std::size_t{1} << count) - 1;
    double sum = 0;
    for (const auto& [other, p] : joint_)
      if ((other & bits) == (vector & bits)) sum += p;
    return sum;
  }
  double click(std::size_t k) const {
    double sum = 0;
    for (const auto& [vector, p] : joint_) sum += (vector >> k & 1) != 0 ? p : 0;
    return sum;
  }
  double examined(std::size_t k) const { return examined_[k]; }

 private:
  double of_document(const std::string& name, std::size_t k) const {
    return testing::probability_of(model_, name, list_.rows[k]);
  }
  double of_rank(const std::string& name, std::size_t k) const {
    return testing::probability_of(model_, name, list_.positions[k]);
  }
  double of_all(const std::string& name) const { return testing::probability_of(model_, name, 0); }

  void walk(std::size_t k, std::size_t mood, double p, std::size_t vector) {
    if (k == list_.rows.size()) {
      joint_[vector] += p;
      return;
    }
    const double patient = of_all("patience"), hasty = of_all("haste");
    const double content = of_document("contentment", k);
    const double examines = mood == MoodModel::gone      ? 0
                            : mood == MoodModel::reading ? of_rank("examination", k)
                                                         : of_rank("examination", k) * (1 - hasty);
    const double attracted = of_document("attraction", k);
    examined_[k] += p * examines;
    const double clicks = p * examines * attracted, skips = p - clicks;
    const std::size_t clicked = vector | std::size_t{1} << k;
    switch (mood) {
      case MoodModel::reading:
        walk(k + 1, MoodModel::reading, clicks * (1 - content) * patient, clicked);
        walk(k + 1, MoodModel::skimming, clicks * (1 - content) * (1 - patient), clicked);
        walk(k + 1, MoodModel::gone, clicks * content, clicked);
        walk(k + 1, MoodModel::reading, skips * patient, vector);
        walk(k + 1, MoodModel::skimming, skips * (1 - patient), vector);
        break;
      case MoodModel::skimming:
        walk(k + 1, MoodModel::reading, clicks * patient, clicked);
        walk(k + 1, MoodModel::gone, clicks * (1 - patient), clicked);
        walk(k + 1, MoodModel::gone, skips * hasty, vector);
        walk(k + 1, MoodModel::skimming, skips * (1 - hasty), vector);
        break;
      default:
        walk(k + 1, MoodModel::gone, p, vector);
    }
  }

  const TrainableModel& model_;
  const SessionView list_;
  std::map<std::size_t, double> joint_;
  std::vector<double> examined_;
};

/// All click vectors over lists of four, two and one document, in one shard.
class ChainTest : public ::testing::Test {
 protected:
  ChainTest() {
    testing::randomise(model_, -1.5, 1.5, 5);
    const auto add = [&](const std::vector<std::uint32_t>& rows,
                         const std::vector<std::uint16_t>& positions) {
      for (std::size_t vector = 0; vector < std::size_t{1} << rows.size(); ++vector) {
        std::vector<std::uint8_t> clicks;
        for (std::size_t k = 0; k < rows.size(); ++k) clicks.push_back(vector >> k & 1);
        log_.add({rows, positions, clicks});
        vectors_.push_back(vector);
      }
    };
    add({2, 5}, {1, 4});
    add({3, 1, 3, 4}, {0, 1, 2, 3});
    add({6}, {0});
    shard_ = testing::pack_all(log_);
  }

  Enumeration enumerated(std::size_t session) const { return {model_, log_[session]}; }

  /// Calls check(document of the shard, session of the log, rank) for each document.
  template <class Check>
  void for_each_document(Check check) const {
    for (std::size_t k = 0; k < shard_.longest(); ++k)
      for (std::size_t j = 0; j < shard_.count(k); ++j)
        check(shard_.begin(k) + j, shard_.order()[j], k);
  }

  std::vector<double> run(ProgramKind kind, bool complement = false) const {
    ClickProgram program(model_, kind, shard_.longest(), Precision::float64);
    program.run(shard_);
    return complement ? program.log_complement() : program.log_p();
  }

  const ModelType type_ = model_type<MoodModel>("mood", "");
  const TrainableModel model_ = testing::build_model(type_, {.rows = 7, .positions = 5});
  SessionLog log_;
  std::vector<std::size_t> vectors_;  // click vectors by session
  Shard shard_;
};

TEST_F(ChainTest, LikelihoodsEqualEnumeration) {
  Tape tape(Precision::float64);
  ShardInputs inputs(tape, shard_.longest(), 5);
  ProbGraph probabilities(tape);
  const Session session(inputs, probabilities);
  const Tensor log_likelihood =
      chain_log_likelihood(model_.story().chain(session), session, Impossible::exact);
  inputs.bind(shard_);
  const auto actual = log_likelihood.values();
  ASSERT_EQ(actual.size(), shard_.sessions());
  for (std::size_t j = 0; j < actual.size(); ++j) {
    const std::size_t i = shard_.order()[j];
    EXPECT_NEAR(actual[j], std::log(enumerated(i).joint(vectors_[i])), 1e-12) << "session " << i;
  }
}

TEST_F(ChainTest, ConditionalsEqualEnumeration) {
  const auto click = run(ProgramKind::conditional), skip = run(ProgramKind::conditional, true);
  for_each_document([&](std::size_t at, std::size_t i, std::size_t k) {
    const Enumeration all = enumerated(i);
    const std::size_t clicked = vectors_[i] | std::size_t{1} << k;
    const double expected = all.prefix(clicked, k + 1) / all.prefix(vectors_[i], k);
    EXPECT_NEAR(std::exp(click[at]), expected, 1e-12) << "session " << i << ", rank " << k;
    EXPECT_NEAR(std::exp(skip[at]), 1 - expected, 1e-12) << "session " << i << ", rank " << k;
  });
}

TEST_F(ChainTest, UnconditionalsEqualEnumeration) {
  const auto click = run(ProgramKind::unconditional);
  for_each_document([&](std::size_t at, std::size_t i, std::size_t k) {
    EXPECT_NEAR(std::exp(click[at]), enumerated(i).click(k), 1e-12) << "rank " << k;
  });
}

TEST_F(ChainTest, ExaminationsEqualEnumeration) {
  const auto examined = run(ProgramKind::examination);
  for_each_document([&](std::size_t at, std::size_t i, std::size_t k) {
    EXPECT_NEAR(std::exp(examined[at]), enumerated(i).examined(k), 1e-12) << "rank " << k;
  });
}

TEST_F(ChainTest, SumsOverRanksAreSumsOfEachSession) {
  Tape tape(Precision::float64);
  ShardInputs inputs(tape, shard_.longest(), 5);
  ProbGraph probabilities(tape);
  const Session session(inputs, probabilities);
  inputs.bind(shard_);
  std::vector<double> numbers(shard_.documents());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  const Tensor documents = tape.input(Shape::vector(inputs.documents()));
  tape.bind(documents, numbers);
  const auto sums = sum_over_ranks(documents, session).values();
  const auto lengths = sum_over_ranks(tape.constant(1), session).values();
  std::vector<double> expected(shard_.sessions());
  for (std::size_t k = 0; k < shard_.longest(); ++k)
    for (std::size_t j = 0; j < shard_.count(k); ++j) expected[j] += numbers[shard_.begin(k) + j];
  ASSERT_EQ(sums.size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(sums[j], expected[j], 1e-14) << "session " << j;
    EXPECT_EQ(lengths[j], static_cast<double>(log_.length(shard_.order()[j])));
  }
}

}  // namespace
}  // namespace ultr::chain_test
