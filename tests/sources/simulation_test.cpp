#include "sources/simulation.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "layers/layers.h"
#include "options/config_tree.h"
#include "testing/errors.h"
#include "testing/small_log.h"

namespace ultr::simulation_test {
namespace {

using testing::probability_of;
using testing::sessions_of;
using testing::simulate;

/// The deviation of a count of independent events from its expectation, in standard deviations.
class CountedEvents {
 public:
  void add(bool happened, double probability) {
    count_ += happened ? 1 : 0;
    expected_ += probability;
    variance_ += probability * (1 - probability);
  }
  double deviations() const { return std::abs(count_ - expected_) / std::sqrt(variance_); }

 private:
  double count_ = 0, expected_ = 0, variance_ = 0;
};

TEST(SimulationTest, PbmClicksAtTheRateOfItsFormula) {
  const ExperimentData data =
      simulate("{user: pbm, sessions: 20000, queries: 5, candidates: 6, positions: 4, eta: 0.7}");
  std::vector<CountedEvents> ranks(4);
  for (const testing::LoggedSession& session : sessions_of(data.dataset.train))
    for (std::size_t k = 0; k < 4; ++k)
      ranks[k].add(session.clicks[k] != 0,
                   std::pow(1 / (static_cast<double>(k) + 1), 0.7) *
                       probability_of(*data.truth, "attraction", session.rows[k]));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_LT(ranks[k].deviations(), 4) << "rank " << k + 1;
}

TEST(SimulationTest, QueriesFollowZipfsLaw) {
  const auto rate_of_first_query = [](const std::string& zipf, double probability) {
    const ExperimentData data =
        simulate("{sessions: 40000, queries: 3, candidates: 1, positions: 1, zipf: " + zipf + "}");
    CountedEvents first;
    for (const testing::LoggedSession& session : sessions_of(data.dataset.train))
      first.add(session.rows[0] == 1, probability);
    return first.deviations();
  };
  EXPECT_LT(rate_of_first_query("1", 1 / (1 + 1 / 2. + 1 / 3.)), 4);
  EXPECT_LT(rate_of_first_query("2", 1 / (1 + 1 / 4. + 1 / 9.)), 4);
  EXPECT_LT(rate_of_first_query("0", 1 / 3.), 4);
}

TEST(SimulationTest, ListsAreRankedByAttractionAndNoise) {
  const auto inversions = [](const std::string& noise) {
    const ExperimentData data = simulate(
        "{sessions: 500, queries: 3, candidates: 8, positions: 5, ranking_noise: " + noise + "}");
    int count = 0;
    for (const testing::LoggedSession& session : sessions_of(data.dataset.train))
      for (std::size_t k = 1; k < 5; ++k)
        count += probability_of(*data.truth, "attraction", session.rows[k - 1]) <
                         probability_of(*data.truth, "attraction", session.rows[k])
                     ? 1
                     : 0;
    return count;
  };
  EXPECT_EQ(inversions("0"), 0);
  EXPECT_GT(inversions("1"), 0);
  EXPECT_GT(inversions("100"), inversions("0.3"));
}

TEST(SimulationTest, DictionaryHasAllDocumentsOfAllQueries) {
  const ExperimentData data = simulate(
      "{sessions: 50, queries: 4, candidates: 3, positions: 5, valid_sessions: 7, test_sessions: "
      "9}");
  const Dataset& dataset = data.dataset;
  ASSERT_EQ(dataset.dictionary.rows(), 4 * 3 + 1);
  EXPECT_THAT(dataset.dictionary.queries(),
              ::testing::ElementsAre(0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4));
  EXPECT_THAT(dataset.dictionary.documents(),
              ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(dataset.positions, 5u);
  EXPECT_EQ(dataset.train.sessions(), 50u);
  EXPECT_EQ(dataset.valid.sessions(), 7u);
  EXPECT_EQ(dataset.test.sessions(), 9u);
  for (const testing::LoggedSession& session : sessions_of(dataset.train)) {
    EXPECT_EQ(session.rows.size(), 3u) << "no more than there are candidates";
    for (const std::uint32_t row : session.rows)
      EXPECT_EQ((row - 1) / 3, (session.rows[0] - 1) / 3) << "documents of one query";
  }
}

TEST(SimulationTest, IsBitIdenticalForAnyNumberOfThreads) {
  const auto make = [](int threads) {
    return simulate("{sessions: 1000, valid_sessions: 300, test_sessions: 300, queries: 9}",
                    {.threads = threads});
  };
  const ExperimentData one = make(1);
  for (const int threads : {2, 3}) {
    const ExperimentData more = make(threads);
    EXPECT_EQ(sessions_of(more.dataset.train), sessions_of(one.dataset.train)) << threads;
    EXPECT_EQ(sessions_of(more.dataset.valid), sessions_of(one.dataset.valid)) << threads;
    EXPECT_EQ(sessions_of(more.dataset.test), sessions_of(one.dataset.test)) << threads;
  }
}

TEST(SimulationTest, SessionsAreAFunctionOfSeedAndNumber) {
  const auto make = [](int sessions, std::uint64_t seed) {
    return sessions_of(
        simulate("{queries: 9, sessions: " + std::to_string(sessions) + "}", {.seed = seed})
            .dataset.train);
  };
  const auto few = make(300, 1);
  auto many = make(700, 1);
  EXPECT_NE(many, make(700, 2));
  many.resize(300);
  EXPECT_EQ(many, few) << "more sessions leave the first ones as they are";
}

TEST(SimulationTest, PartsShareNeitherListsNorClicks) {
  // In the second case all lists are the same, so only clicks can differ.
  for (const char* lists : {"queries: 9", "queries: 1, candidates: 1, positions: 1"}) {
    const Dataset dataset = simulate("{sessions: 300, valid_sessions: 300, test_sessions: 300, " +
                                     std::string(lists) + "}")
                                .dataset;
    EXPECT_NE(sessions_of(dataset.train), sessions_of(dataset.valid));
    EXPECT_NE(sessions_of(dataset.train), sessions_of(dataset.test));
    EXPECT_NE(sessions_of(dataset.valid), sessions_of(dataset.test));
  }
}

TEST(SimulationTest, EveryModelCanBeTheUser) {
  for (const ModelType& type : testing::types_without_signals()) {
    const ExperimentData data = simulate("{sessions: 300, user: " + type.name + "}");
    EXPECT_EQ(data.truth->type(), type.name);
    EXPECT_GT(data.dataset.train.clicked(), 0u) << type.name;
    EXPECT_LT(data.dataset.train.clicked(), data.dataset.train.documents()) << type.name;
  }
}

TEST(SimulationTest, UsersDoNotReadSignals) {
  EXPECT_EQ(
      testing::config_message([] { simulate("{user: viewed_pbm}"); }),
      "data.user is viewed_pbm, which reads views, and simulated sessions have none; expected "
      "another model");
}

TEST(SimulationTest, CascadeUsersClickOnceAtMost) {
  const ExperimentData data = simulate("{user: cm, sessions: 1000}");
  for (const testing::LoggedSession& session : sessions_of(data.dataset.train))
    EXPECT_LE(std::count(session.clicks.begin(), session.clicks.end(), 1), 1);
}

TEST(SimulationTest, ParametersOfRankPairsFallWithTheDistanceToTheLastClick) {
  const ExperimentData data = simulate("{user: ubm, sessions: 1, positions: 4, eta: 2}");
  const auto examination = [&](std::size_t rank, std::size_t last_click) {
    return probability_of(*data.truth, "examination", (rank - 1) * (4 + 1) + last_click);
  };
  EXPECT_NEAR(examination(1, 0), 1, 2e-6);
  EXPECT_NEAR(examination(4, 0), 1 / 16., 1e-6);
  EXPECT_NEAR(examination(4, 2), 1 / 4., 1e-6);
  EXPECT_NEAR(examination(4, 3), 1, 2e-6);
}

TEST(SimulationTest, SetsGlobalParameters) {
  const ExperimentData data = simulate("{user: dbn, sessions: 1, global: 0.8}");
  EXPECT_NEAR(probability_of(*data.truth, "continuation", 0), 0.8, 1e-6);
}

TEST(SimulationTest, DocumentsHaveNormalLogits) {
  const ExperimentData data =
      simulate("{sessions: 1, queries: 100, candidates: 20, logit_mean: -2, logit_spread: 0.5}");
  const std::vector<float> logits = testing::parameter_called(*data.truth, "attraction").values();
  const double n = 100 * 20;
  double sum = 0, squares = 0;
  for (std::size_t row = 1; row < logits.size(); ++row) {
    const double z = (static_cast<double>(logits[row]) - -2) / 0.5;
    sum += z;
    squares += z * z;
  }
  EXPECT_LT(std::abs(sum / n), 4 / std::sqrt(n));
  EXPECT_LT(std::abs(squares / n - 1), 4 * std::sqrt(2 / n));
}

TEST(SimulationTest, RejectsTooManyPairs) {
  SimulationOptions options(testing::registry().models());
  testing::configure(options, "{queries: 1000000, candidates: 1000, positions: 10}");
  EXPECT_THAT([&] { options.check(); },
              ::testing::ThrowsMessage<ConfigError>(
                  "data.queries x data.candidates x data.positions is 1e+10; expected at most "
                  "4.29e+09"));
}

TEST(SimulationTest, KeepsGivenStartsOfParameters) {
  const auto user = [](const std::string& model) {
    return simulate("{user: " + model + ", sessions: 1, queries: 2, candidates: 3, positions: 3}")
        .truth;
  };
  const auto plain = user("dbn"), given = user("{type: dbn, continuation: {start: 0.3}}");
  EXPECT_NEAR(probability_of(*plain, "continuation", 0), 0.9, 1e-6);
  EXPECT_NEAR(probability_of(*given, "continuation", 0), 0.3, 1e-6);
  for (std::size_t row = 1; row < 7; ++row)
    EXPECT_EQ(probability_of(*given, "attraction", row), probability_of(*plain, "attraction", row));
  const auto pbm = user("{type: pbm, examination: {start: 0.25}}");
  for (std::size_t rank = 0; rank < 3; ++rank)
    EXPECT_NEAR(probability_of(*pbm, "examination", rank), 0.25, 1e-6);
}

/// A layer with a single number, whatever its domain.
struct OneNumberOptions final : LayerOptions {
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override {
    LayerSetting one = setting;
    one.entries = 1;
    return std::make_unique<LogitTable>(one);
  }
};

TEST(SimulationTest, RejectsLayersWithoutANumberForEachEntry) {
  Registry registry = built_in_registry();
  registry.add_layer<OneNumberOptions>("one_number", "One number.");
  SimulationOptions options(registry.models());
  testing::configure(options, "{user: {type: pbm, attraction: one_number}}");
  EXPECT_THAT([&] { options.load({}); },
              ::testing::ThrowsMessage<ConfigError>(
                  "data.user.attraction: the layer does not have one logit per document; expected "
                  "embedding or table"));
}

}  // namespace
}  // namespace ultr::simulation_test
