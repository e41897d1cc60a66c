#include "sources/click_model_user.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "data/click_rates.h"
#include "experiment/run_directory.h"
#include "testing/errors.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"

namespace ultr::click_model_user_test {
namespace {

using testing::config_message;

constexpr int draws = 20000;

std::unique_ptr<Options> user(const OptionType& type, const std::string& config) {
  auto made = type.make();
  testing::configure(*made, config);
  return made;
}

std::vector<double> rates_of(const Options& user, const std::vector<double>& relevance) {
  return testing::click_rates(dynamic_cast<const SimulatedUserOptions&>(user), relevance, draws);
}

const std::vector<double> relevance = {1, 4, 0, 2.5};

TEST(ClickModelUserTest, PbmUsersClickAsTheClosedForm) {
  std::vector<double> expected;
  for (std::size_t k = 0; k < relevance.size(); ++k)
    expected.push_back(position_bias(k, 0.5) * attractiveness(relevance[k], 0.2));
  const auto pbm =
      user(click_model_user(testing::registry().models()), "{model: pbm, eta: 0.5, noise: 0.2}");
  testing::expect_rates(rates_of(*pbm, relevance), expected, draws);
  const auto ranked =
      user(click_model_user(testing::registry().models()), "{model: drctr, eta: 0.5, noise: 0.2}");
  testing::expect_rates(rates_of(*ranked, relevance), expected, draws);
}

TEST(ClickModelUserTest, CascadeUsersClickAsTheClosedForm) {
  std::vector<double> expected;
  double examined = 1;
  for (const double s : relevance) {
    expected.push_back(examined * attractiveness(s, 0.1));
    examined *= 1 - attractiveness(s, 0.1);
  }
  const auto cascade = user(click_model_user(testing::registry().models()), "{model: cm}");
  const std::vector<double> rates = rates_of(*cascade, relevance);
  // Probabilities of 1 are kept just below 1, so a last document is seen once in a million.
  EXPECT_LT(rates[2] + rates[3], 1e-3);
  testing::expect_rates({rates[0], rates[1]}, {expected[0], expected[1]}, draws);
}

TEST(ClickModelUserTest, AnyClickModelIsAUser) {
  for (const ModelType& type : testing::types_without_signals()) {
    if (type.name == "mixture") continue;  // see the next test
    const auto any =
        user(click_model_user(testing::registry().models()), "{model: " + type.name + "}");
    const auto& options = dynamic_cast<const SimulatedUserOptions&>(*any);
    const std::vector<double> rates = testing::click_rates(options, relevance, 600);
    EXPECT_GT(rates[0], 0) << type.name;
    EXPECT_EQ(rates, testing::click_rates(options, relevance, 600)) << type.name;
    EXPECT_FALSE(options.position_bias(4).has_value()) << type.name;
  }
}

TEST(ClickModelUserTest, ClicksDependOnlyOnTheSessionsNumber) {
  const auto any = user(click_model_user(testing::registry().models()), "{model: dbn}");
  const std::vector<double> by_row = {0, 3, 2, 1};
  const SimulatedUser clicks = dynamic_cast<const SimulatedUserOptions&>(*any).users(
      {.relevance = by_row, .positions = 3, .seed = 2})();
  const auto log_from = [&](std::size_t first) {
    SessionLog log;
    for (std::size_t s = first; s < 700; ++s) {  // lists of one to three documents
      const std::vector<std::uint32_t> rows = {1, 2, 3};
      const std::vector<std::uint16_t> positions = {0, 1, 2};
      const std::size_t length = 1 + s % 3;
      log.add({.rows = std::span(rows).first(length),
               .positions = std::span(positions).first(length),
               .clicks = std::vector<std::uint8_t>(length)});
    }
    clicks(log, first);
    return testing::sessions_of(log);
  };
  const auto all = log_from(0), end = log_from(300);
  EXPECT_EQ(std::vector(all.begin() + 300, all.end()), end);
}

class FittedClickModelUserTest : public ::testing::Test {
 protected:
  /// Writes the run folder of an untrained model and returns its path.
  std::string save(const std::string& type, const TrainableModel& model) const {
    RunDirectory folder((parent_.path() / type).string(), type);
    folder.create();
    folder.write("config.yaml", "model: " + type + "\n");
    folder.write_model(model, data_.dataset.dictionary);
    return folder.path().string();
  }
  std::unique_ptr<Options> fitted(const std::string& run) const {
    return user(fitted_click_model_user(testing::registry().models(), built_in_registry),
                "{run: '" + run + "', noise: 0.2}");
  }

  const testing::TemporaryFolder parent_;
  const ExperimentData data_ = testing::small_simulation();  // five positions
};

TEST_F(FittedClickModelUserTest, ExaminesLikeTheModelOfTheRun) {
  const TrainableModel model = testing::model_for("pbm", data_.dataset);
  std::vector<double> expected;
  for (std::size_t k = 0; k < relevance.size(); ++k)
    expected.push_back(testing::probability_of(model, "examination", k) *
                       attractiveness(relevance[k], 0.2));
  testing::expect_rates(rates_of(*fitted(save("pbm", model)), relevance), expected, draws);
}

TEST_F(FittedClickModelUserTest, EveryClickModelIsAUser) {
  for (const ModelType& type : testing::types_without_signals()) {
    if (type.name == "mixture") continue;
    const auto any = fitted(save(type.name, testing::model_for(type.name, data_.dataset)));
    EXPECT_GT(rates_of(*any, relevance)[0], 0) << type.name;
  }
}

TEST_F(FittedClickModelUserTest, RejectsARunThatKnowsTooFewPositions) {
  const std::string run = save("pbm", testing::model_for("pbm", data_.dataset));
  EXPECT_EQ(config_message([&] { rates_of(*fitted(run), std::vector<double>(6, 1)); }),
            "data.learn_from.user.run: " + run +
                " knows 5 positions; expected at least 6, as many as sessions show");
  EXPECT_THROW(rates_of(*fitted("nowhere"), relevance), Error);
}

}  // namespace
}  // namespace ultr::click_model_user_test
