#include "losses/propensity_weights.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/not_finite.h"

namespace ultr::propensity_weights_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using ::testing::ThrowsMessage;
using Numbers = std::vector<double>;

using testing::infinity;
constexpr double blank = std::numeric_limits<double>::quiet_NaN();

TEST(PropensityWeightsTest, DefaultsAreATenthAndRelative) {
  const Numbers propensities = {0.8, 0.05};
  EXPECT_EQ(inverse_propensity_weights(propensities, 2, {}),
            inverse_propensity_weights(propensities, 2, {.clip = 0.1, .normalise = true}));
}

TEST(PropensityWeightsTest, AreRelativeToTheFirstPositionAndClipped) {
  const Numbers propensities = {0.8, 0.4, 0.05};
  EXPECT_EQ(inverse_propensity_weights(propensities, 3, {.clip = 0.1, .normalise = true}),
            (Numbers{0.8 / 0.8, 0.8 / 0.4, 0.8 / 0.1}));
  EXPECT_EQ(inverse_propensity_weights(propensities, 3, {.clip = 0, .normalise = true}),
            (Numbers{0.8 / 0.8, 0.8 / 0.4, 0.8 / 0.05}));
  EXPECT_EQ(inverse_propensity_weights(propensities, 3, {.clip = 0.1, .normalise = false}),
            (Numbers{1 / 0.8, 1 / 0.4, 1 / 0.1}));
  // The first position's propensity is clipped too.
  EXPECT_EQ(inverse_propensity_weights(Numbers{0.1, 0.5}, 2, {.clip = 0.2, .normalise = true}),
            (Numbers{0.2 / 0.2, 0.2 / 0.5}));
}

TEST(PropensityWeightsTest, UnknownPropensitiesAreClippedOrHaveNoWeight) {
  const Numbers propensities = {1, blank, 0};
  EXPECT_EQ(inverse_propensity_weights(propensities, 4, {.clip = 0.25}),
            (Numbers{1, 1 / 0.25, 1 / 0.25, 1 / 0.25}));
  EXPECT_THAT(inverse_propensity_weights(propensities, 4, {.clip = 0}),
              ElementsAre(1, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(inverse_propensity_weights(Numbers{blank, 0.5}, 2, {.clip = 0}),
              ElementsAre(IsNan(), IsNan()));
}

TEST(PropensityWeightsTest, ProbabilitiesHaveLogits) {
  EXPECT_THAT(
      examination_logits(Numbers{1, 0.25, 0, blank, 1.5}, 6),
      ElementsAre(infinity, std::log(0.25) - std::log(0.75), IsNan(), IsNan(), IsNan(), IsNan()));
}

TEST(PropensityWeightsTest, AreRefusedOnlyForPositionsThatTheDataShow) {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2}, std::vector<std::uint16_t>{0, 2},
           std::vector<std::uint8_t>{0, 1}});
  EXPECT_NO_THROW(check_known(Numbers{1, blank, 0.5, blank}, log, "bias.csv", "one above 0"));
  for (const Numbers& lacking : {Numbers{1, 0.5, blank}, Numbers{1, 0.5}})
    EXPECT_THAT([&] { check_known(lacking, log, "bias.csv", "one above 0"); },
                ThrowsMessage<DataError>(
                    HasSubstr("bias.csv: no usable propensity for position 3, which the data show; "
                              "expected one above 0")));
}

/// Sessions of two documents, of which the first is always clicked.
SessionLog first_clicked(int sessions) {
  SessionLog log;
  for (int i = 0; i < sessions; ++i)
    log.add({std::vector<std::uint32_t>{1, 2}, std::vector<std::uint16_t>{0, 1},
             std::vector<std::uint8_t>{1, 0}});
  return log;
}

TEST(PropensityWeightsTest, DenyThatNobodyClicksWhatManyUsersSee) {
  // A third of the clicks would be expected at position 2: 99.7 of 299, 100.3 of 301.
  EXPECT_NO_THROW(expect_clicks(Numbers{1, 0.5}, first_clicked(299), "bias.csv"));
  EXPECT_NO_THROW(expect_clicks(Numbers{1, 0}, first_clicked(301), "bias.csv"));
  EXPECT_NO_THROW(expect_clicks(Numbers{1, blank}, first_clicked(301), "bias.csv"));
  EXPECT_NO_THROW(expect_clicks(Numbers{1}, first_clicked(301), "bias.csv"));
  EXPECT_NO_THROW(expect_clicks(Numbers{0, 0}, first_clicked(301), "bias.csv"));
  EXPECT_THAT(
      [] {
        expect_clicks(Numbers{1, 0.5}, first_clicked(301), "bias.csv");
      },
      ThrowsMessage<DataError>(HasSubstr(
          "bias.csv: has the propensity 0.5 for position 2, where the data have no click "
          "and about 100 would be expected; expected 0 where users do not see documents")));
  SessionLog one_more = first_clicked(301);
  one_more.add({std::vector<std::uint32_t>{1, 2}, std::vector<std::uint16_t>{0, 1},
                std::vector<std::uint8_t>{0, 1}});
  EXPECT_NO_THROW(expect_clicks(Numbers{1, 0.5}, one_more, "bias.csv"));
}

}  // namespace
}  // namespace ultr::propensity_weights_test
