#include "dsl/programs/sampler.h"

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/available_memory.h"
#include "base/error.h"
#include "base/random.h"
#include "models/model_fixture.h"
#include "models/story_models.h"

namespace ultr::sampler_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::probability_of;
using ::testing::ThrowsMessage;

constexpr std::uint8_t not_tossed = LatentVariable::not_tossed;
constexpr std::int64_t rows = 7, positions = 5;

/// Counts how often an event with known probability happened.
class Frequency {
 public:
  void add(double p, bool happened) {
    expected_ += p;
    variance_ += p * (1 - p);
    counted_ += happened ? 1 : 0;
    ++trials_;
  }
  /// Expects the frequency to be within 4.5 standard errors, in more than a thousand trials.
  void expect_as_expected(const std::string& what) const {
    EXPECT_GT(trials_, 1000) << what;
    EXPECT_NEAR(counted_, expected_, 4.5 * std::sqrt(variance_)) << what;
  }

 private:
  double expected_ = 0, variance_ = 0, counted_ = 0;
  int trials_ = 0;
};

/// A document of a sampled session, with the outcomes there and at the document above.
struct Sampled {
  const Shard& shard;
  const SampledClicks& result;
  std::size_t document, above, rank;  // `above` is undefined at rank 0

  std::uint32_t row() const { return shard.rows()[document]; }
  bool clicked() const { return result.clicks[document] != 0; }
  std::uint8_t value(const std::string& name) const {
    return result.variable(name).values[document];
  }
  std::uint8_t value_above(const std::string& name) const {
    return result.variable(name).values[above];
  }
};

class SamplerTest : public ::testing::Test {
 protected:
  static TrainableModel make(const ModelType& type) {
    TrainableModel model = testing::build_model(type, {.rows = rows, .positions = positions});
    testing::randomise(model, -1.2, 1.2, 9);
    return model;
  }
  template <class Model>
  static TrainableModel make() {
    return make(model_type<Model>("model", ""));
  }

  /// Calls `visit` for all documents of many sessions, with lists of several lengths.
  static void sample(const TrainableModel& model, const std::function<void(const Sampled&)>& visit,
                     std::uint64_t rounds = 40) {
    SessionLog log;
    const std::vector<std::uint32_t> list = {3, 1, 4, 1, 5};
    const std::vector<std::uint16_t> shown_at = {0, 1, 2, 3, 4};
    const std::vector<std::uint8_t> clicks(list.size());
    for (std::size_t i = 0; i < shard_sessions; ++i) {
      const std::size_t length = 1 + i % list.size();
      log.add({std::span(list).first(length), std::span(shown_at).first(length),
               std::span(clicks).first(length)});
    }
    const Shard shard = testing::pack_all(log);
    ClickSampler sampler(model);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<std::uint64_t> numbers(shard.sessions());
      std::iota(numbers.begin(), numbers.end(), round * shard_sessions);
      const SampledClicks result = sampler.sample(shard, 4, numbers);
      for (std::size_t k = 0; k < shard.longest(); ++k)
        for (std::size_t j = 0; j < shard.count(k); ++j)
          visit({shard, result, shard.begin(k) + j, k > 0 ? shard.begin(k - 1) + j : 0, k});
    }
  }
};

TEST_F(SamplerTest, LatentVariablesOfADynamicBayesianNetworkTellItsStory) {
  const TrainableModel model = make<DynamicBayesianNetworkModel>();
  const double goes_on = probability_of(model, "continuation", 0);
  Frequency attraction, satisfaction, continuation;
  sample(model, [&](const Sampled& d) {
    const bool examined = d.value("examined") == 1;
    ASSERT_NE(d.value("examined"), not_tossed);
    // A user who has left tosses nothing. One who examines a document is attracted or not, and
    // clicks accordingly.
    ASSERT_EQ(d.value("attraction") == not_tossed, !examined);
    ASSERT_EQ(d.clicked(), examined && d.value("attraction") == 1);
    ASSERT_EQ(d.value("continuation") == not_tossed, !examined);
    ASSERT_EQ(d.value("satisfaction") == not_tossed, !d.clicked());
    if (d.rank == 0) {
      ASSERT_TRUE(examined);
    } else {
      const bool stays = d.value_above("examined") == 1 && d.value_above("continuation") == 1 &&
                         d.value_above("satisfaction") != 1;
      ASSERT_EQ(examined, stays);
    }
    if (!examined) return;
    attraction.add(probability_of(model, "attraction", d.row()), d.value("attraction") == 1);
    continuation.add(goes_on, d.value("continuation") == 1);
    if (d.clicked())
      satisfaction.add(probability_of(model, "satisfaction", d.row()),
                       d.value("satisfaction") == 1);
  });
  attraction.expect_as_expected("attraction");
  satisfaction.expect_as_expected("satisfaction");
  continuation.expect_as_expected("continuation");
}

TEST_F(SamplerTest, ExaminationOfAPositionBasedModelIsItsCoin) {
  const TrainableModel model = make<PositionBasedModel>();
  Frequency examination, attraction;
  sample(model, [&](const Sampled& d) {
    ASSERT_EQ(d.value("examination"), d.value("examined"));
    ASSERT_EQ(d.clicked(), d.value("examined") == 1 && d.value("attraction") == 1);
    examination.add(probability_of(model, "examination", d.shard.positions()[d.document]),
                    d.value("examination") == 1);
    attraction.add(probability_of(model, "attraction", d.row()), d.value("attraction") == 1);
  });
  examination.expect_as_expected("examination");
  attraction.expect_as_expected("attraction");
}

TEST_F(SamplerTest, ExaminationOfAUserBrowsingModelDependsOnTheLastClick) {
  const TrainableModel model = make<UserBrowsingModel>();
  std::map<std::size_t, Frequency> by_pair;
  sample(
      model,
      [&](const Sampled& d) {
        std::size_t last = 0;
        const std::size_t session = d.document - d.shard.begin(d.rank);
        for (std::size_t k = 0; k < d.rank; ++k)
          if (d.result.clicks[d.shard.begin(k) + session] != 0) last = k + 1;
        const std::size_t entry = d.rank * (positions + 1) + last;
        by_pair[entry].add(probability_of(model, "examination", entry),
                           d.value("examination") == 1);
      },
      600);
  EXPECT_EQ(by_pair.size(), 1u + 2 + 3 + 4 + 5);
  for (const auto& [entry, frequency] : by_pair)
    frequency.expect_as_expected("pair " + std::to_string(entry));
}

TEST_F(SamplerTest, AParameterThatIsTossedTwiceHasTwoVariables) {
  const TrainableModel model = make<ClickChainModel>();
  Frequency looking, moving, relevant, irrelevant;
  sample(model, [&](const Sampled& d) {
    // After a click, the second toss decides which of two coins tells whether the user goes on.
    ASSERT_EQ(d.value("after.attraction") == not_tossed, !d.clicked());
    ASSERT_EQ(d.value("after_relevant") == not_tossed, d.value("after.attraction") != 1);
    ASSERT_EQ(d.value("after_irrelevant") == not_tossed, d.value("after.attraction") != 0);
    if (d.value("attraction") != not_tossed)
      looking.add(probability_of(model, "attraction", d.row()), d.value("attraction") == 1);
    if (d.clicked())
      moving.add(probability_of(model, "attraction", d.row()), d.value("after.attraction") == 1);
    for (auto& [name, frequency] : std::map<std::string, Frequency*>{
             {"after_relevant", &relevant}, {"after_irrelevant", &irrelevant}})
      if (d.value(name) != not_tossed)
        frequency->add(probability_of(model, name, 0), d.value(name) == 1);
  });
  looking.expect_as_expected("attraction");
  moving.expect_as_expected("after.attraction");
  relevant.expect_as_expected("after_relevant");
  irrelevant.expect_as_expected("after_irrelevant");
}

TEST_F(SamplerTest, MoreThanTwoWaysToGoAreDrawnByTheirProbabilities) {
  // The model suite tests that click rates fit. This test checks that no coin is tossed needlessly.
  const TrainableModel model = make<testing::MoodModel>();
  sample(
      model,
      [&](const Sampled& d) {
        ASSERT_THROW(d.value("contentment"), Error) << "only the drawing of three ways uses it";
        if (d.value("examined") == 1 && d.rank == 0) {
          ASSERT_NE(d.value("attraction"), not_tossed);
        }
      },
      1);
}

TEST_F(SamplerTest, ModelsWithoutExaminationAlwaysExamine) {
  const TrainableModel model = make<GlobalCtrModel>();
  sample(
      model, [&](const Sampled& d) { ASSERT_EQ(d.value("examined"), 1); }, 1);
}

TEST_F(SamplerTest, DrawsDependOnTheSeedAndTheNumbersOnly) {
  const TrainableModel model = make<DynamicBayesianNetworkModel>();
  SessionLog log;
  for (int i = 0; i < 50; ++i)
    log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2},
             std::vector<std::uint8_t>{1, 1, 1}});  // the shard's clicks are ignored
  const Shard shard = testing::pack_all(log);
  std::vector<std::uint64_t> numbers(50), others(50);
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::iota(others.begin(), others.end(), 50u);
  ClickSampler sampler(model), another(model);
  const auto clicks = sampler.sample(shard, 1, numbers).clicks;
  EXPECT_EQ(sampler.sample(shard, 1, numbers).clicks, clicks);
  EXPECT_EQ(another.sample(shard, 1, numbers).clicks, clicks);
  EXPECT_NE(sampler.sample(shard, 2, numbers).clicks, clicks);
  EXPECT_NE(sampler.sample(shard, 1, others).clicks, clicks);
}

TEST_F(SamplerTest, ClicksAloneAreThoseWithLatentVariables) {
  SessionLog log;
  for (std::size_t i = 0; i < shard_sessions - 3; ++i) {
    std::vector<std::uint32_t> list;
    std::vector<std::uint16_t> shown_at;
    for (std::size_t k = 0; k <= i % 7; ++k) {
      list.push_back(static_cast<std::uint32_t>((5 * i + 3 * k) % 9));
      shown_at.push_back(static_cast<std::uint16_t>(k));
    }
    log.add({list, shown_at, std::vector<std::uint8_t>(list.size())});
  }
  const Shard shard = testing::pack_all(with_made_up_signals(log));
  std::vector<std::uint64_t> numbers(shard.sessions());
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1} << 40);
  for (const ModelType& type : model_types()) {
    const TrainableModel model = testing::build_model(type, {.rows = 9, .positions = 7});
    testing::randomise(model, -1.5, 1.5, 2);
    ClickSampler sampler(model);
    std::vector<std::uint8_t> clicks;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      sampler.sample_clicks(shard, seed, numbers, clicks);
      EXPECT_EQ(clicks, sampler.sample(shard, seed, numbers).clicks) << type.name;
    }
  }
}

TEST_F(SamplerTest, CoinsAreExactWhereTheyNearlyMissed) {
  // Each session has a document of its own, with a probability as near to the session's first draw
  // as float32 allows: above it or below.
  constexpr std::uint64_t seed = 4, first_number = 100;
  const TrainableModel model = testing::build_model("dctr", {.rows = 250, .positions = 2});
  SessionLog log;
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint8_t> expected;
  for (std::uint32_t row = 1; row < 250; ++row) {
    log.add({std::vector<std::uint32_t>{row}, std::vector<std::uint16_t>{0},
             std::vector<std::uint8_t>{0}});
    const std::uint64_t number = numbers.emplace_back(first_number + row);
    const double u = RandomStream(seed, RandomPurpose::clicks, 0, number).uniform();
    const auto logit = static_cast<float>(std::log(u / (1 - u)));
    testing::parameter_called(model, "attraction").value(row) = logit;
    expected.push_back(u < 1 / (1 + std::exp(-double{logit})) ? 1 : 0);
  }
  EXPECT_GT(std::accumulate(expected.begin(), expected.end(), 0), 80);
  EXPECT_LT(std::accumulate(expected.begin(), expected.end(), 0), 170);
  const Shard shard = testing::pack_all(log);
  ClickSampler sampler(model);
  std::vector<std::uint8_t> clicks;
  sampler.sample_clicks(shard, seed, numbers, clicks);
  EXPECT_EQ(clicks, expected) << "a register of sessions at a time";
  EXPECT_EQ(sampler.sample(shard, seed, numbers).clicks, expected) << "one by one";
}

TEST_F(SamplerTest, CoinsOfPairsOfPositionsKnowWhereTheLastClickWasDisplayed) {
  // Users click what they examine, and examine a pair of positions always or never.
  const TrainableModel model = testing::build_model("ubm", {.rows = 2, .positions = 6});
  testing::parameter_called(model, "attraction").fill(100);
  Parameter& examination = testing::parameter_called(model, "examination");
  examination.fill(-100);
  const auto examine = [&](std::int64_t position, std::int64_t last) {  // counted from 1; 0: none
    examination.value((position - 1) * (6 + 1) + last) = 100;
  };
  examine(2, 0);
  examine(6, 2);
  examine(4, 3);  // void: nothing is clicked at position 3
  SessionLog log;
  for (int i = 0; i < 3; ++i)
    log.add({std::vector<std::uint32_t>(4, 1), std::vector<std::uint16_t>{1, 2, 3, 5},
             std::vector<std::uint8_t>(4)});
  const Shard shard = testing::pack_all(log);
  std::vector<std::uint8_t> clicks;
  ClickSampler sampler(model);
  sampler.sample_clicks(shard, 1, std::array<std::uint64_t, 3>{1, 2, 3}, clicks);
  EXPECT_THAT(clicks, ElementsAre(1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1));
}

TEST_F(SamplerTest, ReadsParametersAsTheyAreNow) {
  const TrainableModel model = make<GlobalCtrModel>();
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2},
           std::vector<std::uint8_t>{0, 0, 0}});
  const Shard shard = testing::pack_all(log);
  ClickSampler sampler(model);
  for (const float logit : {-100.0f, 100.0f}) {
    testing::parameter_called(model, "click").fill(logit);
    EXPECT_THAT(sampler.sample(shard, 1, std::array{std::uint64_t{7}}).clicks,
                Each(logit > 0 ? 1 : 0));
  }
}

TEST(SampledClicksTest, RefusesUnknownVariables) {
  const SampledClicks sampled{.clicks = {}, .latent = {{"examined", {}}}};
  EXPECT_EQ(sampled.variable("examined").name, "examined");
  EXPECT_THAT([&] { sampled.variable("mood"); },
              ThrowsMessage<Error>(HasSubstr("no latent variable 'mood'")));
}

TEST(ClickSamplerMemorySlowTest, MoreThanTheSystemHasIsRefusedBeforeItIsTaken) {
  const auto available = available_memory();
  if (!available) GTEST_SKIP() << "the system does not tell how much memory it has";
  constexpr std::size_t least_bytes = 64;  // of a document of UBM
  const std::size_t longest = *available / (least_bytes * shard_sessions) + 1;
  SessionLog log;
  log.add({std::vector<std::uint32_t>(longest, 1), std::vector<std::uint16_t>(longest),
           std::vector<std::uint8_t>(longest)});
  const TrainableModel ubm = testing::build_model("ubm", {.rows = rows, .positions = positions});
  ClickSampler sampler(ubm);
  const std::vector<std::uint64_t> numbers = {0};
  EXPECT_THAT([&] { sampler.sample(testing::pack_all(log), 1, numbers); },
              ThrowsMessage<Error>(::testing::MatchesRegex(
                  "sampling ubm, lists of [0-9]+ documents: needs .* GB of memory; expected at "
                  "most the .* GB available")));
}

}  // namespace
}  // namespace ultr::sampler_test
