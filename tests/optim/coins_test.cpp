#include "optim/coins.h"

#include <cmath>

#include <gtest/gtest.h>

#include "layers/layers.h"

namespace ultr::coins_test {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double logit(double p) { return std::log(p / (1 - p)); }

class CoinsTest : public ::testing::Test {
 protected:
  CoinsTest() {
    values_.assign(std::vector<float>{0, 1, -2, 0.5f});
    baseline_.fill(-1);
  }
  double probability(std::int64_t row, bool with_baseline = false) const {
    return sigmoid(static_cast<double>(values_.value(row)) +
                   (with_baseline ? static_cast<double>(baseline_.value(0)) : 0));
  }

  EmbeddingTable values_{"γ", 4, 1};
  DenseParameter baseline_{"γ.baseline", 1, 1};
  const std::vector<double> gradient_ = {1, -2, 0.5, 0}, tosses_ = {4, 10, 8, 0};
  const CoinEvidence evidence_{gradient_, tosses_};
};

TEST_F(CoinsTest, ProbabilitiesMoveByTheGradientPerToss) {
  maximise_coins({&values_, nullptr}, evidence_, {});
  EXPECT_NEAR(probability(0), 0.5 + 1 / 4., 1e-6);
  EXPECT_NEAR(probability(1), sigmoid(1) - 2 / 10., 1e-6);
  EXPECT_NEAR(probability(2), sigmoid(-2) + 0.5 / 8, 1e-6);
  EXPECT_EQ(values_.value(3), 0.5f) << "it was never tossed";
}

TEST_F(CoinsTest, PseudoTossesAreAddedToThoseOfTheLog) {
  maximise_coins({&values_, nullptr}, evidence_, {.count = 6, .mean = 0.25});
  EXPECT_NEAR(probability(0), (0.5 * 4 + 1 + 6 * 0.25) / (4 + 6), 1e-6);
  EXPECT_NEAR(probability(3), 0.25, 1e-6);
}

TEST_F(CoinsTest, WithoutAMeanPseudoTossesShowTheShareOfAllCoins) {
  const double heads = 0.5 * 4 + 1 + (sigmoid(1) * 10 - 2) + (sigmoid(-2) * 8 + 0.5);
  maximise_coins({&values_, nullptr}, evidence_, {.count = 6, .mean = {}});
  EXPECT_NEAR(probability(0), (0.5 * 4 + 1 + 6 * heads / 22) / (4 + 6), 1e-6);
}

TEST_F(CoinsTest, ABaselineBecomesTheShareOfAllCoins) {
  const double heads = sigmoid(-1) * 4 + 1 + (sigmoid(0) * 10 - 2) + (sigmoid(-3) * 8 + 0.5);
  maximise_coins({&values_, &baseline_}, evidence_, {});
  EXPECT_NEAR(static_cast<double>(baseline_.value(0)), logit(heads / 22), 1e-6);
  EXPECT_NEAR(probability(0, true), sigmoid(-1) + 1 / 4., 1e-6);
  EXPECT_EQ(values_.value(3), 0.0f) << "it was never tossed, so it predicts the baseline";
}

TEST_F(CoinsTest, ABaselineBecomesTheMeanOfPseudoTosses) {
  maximise_coins({&values_, &baseline_}, evidence_, {.count = 6, .mean = 0.25});
  EXPECT_NEAR(static_cast<double>(baseline_.value(0)), logit(0.25), 1e-6);
  EXPECT_NEAR(probability(0, true), (sigmoid(-1) * 4 + 1 + 6 * 0.25) / (4 + 6), 1e-6);
  EXPECT_NEAR(probability(3, true), 0.25, 1e-6);
}

TEST_F(CoinsTest, OtherEntriesTakePartInTheShareOfAllCoins) {
  // As if another process held the same entries once more.
  const auto twice = [](std::span<const double> own) {
    EntrySum sum;
    sum.add(own);
    sum.add(own);
    return sum.total();
  };
  EmbeddingTable all_values("γ", 8, 1);
  all_values.assign(std::vector<float>{0, 1, -2, 0.5f, 0, 1, -2, 0.5f});
  std::vector<double> gradient = gradient_, tosses = tosses_;
  gradient.insert(gradient.end(), gradient_.begin(), gradient_.end());
  tosses.insert(tosses.end(), tosses_.begin(), tosses_.end());
  DenseParameter baseline("γ.baseline", 1, 1);
  baseline.fill(-1);
  maximise_coins({&all_values, &baseline}, {gradient, tosses}, {.count = 6, .mean = {}});
  maximise_coins({&values_, &baseline_}, evidence_, {.count = 6, .mean = {}}, twice);
  EXPECT_EQ(baseline_.value(0), baseline.value(0));
  for (std::int64_t row = 0; row < 4; ++row) EXPECT_EQ(values_.value(row), all_values.value(row));
}

TEST_F(CoinsTest, SumsDoNotDependOnHowEntriesAreCut) {
  std::vector<double> numbers;
  for (int i = 0; i < 100; ++i) numbers.push_back(std::sin(i));
  EntrySum whole, cut;
  whole.add(numbers);
  for (std::size_t at = 0; at < 100; at += 7)
    cut.add(std::span(numbers).subspan(at, std::min<std::size_t>(7, 100 - at)));
  EXPECT_EQ(cut.total(), whole.total());
}

TEST_F(CoinsTest, CertainCoinsStayFinite) {
  const std::vector<double> all_or_nothing = {2, -10 * sigmoid(1), 0, 0}, tosses = {4, 10, 0, 0};
  maximise_coins({&values_, nullptr}, {all_or_nothing, tosses}, {});
  EXPECT_EQ(values_.value(0), 30.0f);
  EXPECT_NEAR(static_cast<double>(values_.value(1)), -30, 1e-5);
  EXPECT_EQ(values_.value(2), -2.0f);
}

TEST_F(CoinsTest, RoundingCannotLeaveTheUnitInterval) {
  const std::vector<double> beyond = {2.001, -10.0, 0, 0}, tosses = {4, 10, 0, 0};
  maximise_coins({&values_, nullptr}, {beyond, tosses}, {});
  EXPECT_EQ(values_.value(0), 30.0f);
  EXPECT_EQ(values_.value(1), -30.0f);
}

TEST_F(CoinsTest, SharesMoveByTheGradientPerChoice) {
  DenseParameter shares("prior", 3, 1);
  shares.assign(std::vector<float>{0, 1, -1});
  const double sum = std::exp(0.) + std::exp(1.) + std::exp(-1.);
  const std::vector<double> gradient = {3, -2, -1}, tosses = {20, 20, 20};
  maximise_shares(shares, {gradient, tosses});
  EXPECT_NEAR(std::exp(static_cast<double>(shares.value(0))), 1 / sum + 3 / 20., 1e-6);
  EXPECT_NEAR(std::exp(static_cast<double>(shares.value(1))), std::exp(1.) / sum - 2 / 20., 1e-6);
}

}  // namespace
}  // namespace ultr::coins_test
