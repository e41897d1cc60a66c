#include "metrics/click_metrics.h"

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "testing/golden.h"
#include "testing/not_finite.h"

namespace ultr::click_metrics_test {
namespace {

using ::testing::HasSubstr;
using testing::infinity;
using ::testing::ThrowsMessage;

struct Prediction {
  std::size_t rank;
  bool clicked;
  double log_click, log_no_click;
};

Prediction predict(std::size_t rank, bool clicked, double p) {
  return {rank, clicked, std::log(p), std::log1p(-p)};
}

void add(ClickMetrics& metrics, const Prediction& p) {
  metrics.add(p.rank, p.clicked, p.log_click, p.log_no_click);
}

std::vector<Prediction> random_predictions(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> probability(0.01, 0.99);
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < count; ++i)
    predictions.push_back(predict(random() % 7, random() % 3 == 0, probability(random)));
  return predictions;
}

/// Returns every result, so that two objects can be compared bit for bit. None of the results is
/// NaN.
std::vector<double> all_results(const ClickMetrics& m) {
  std::vector<double> results = {static_cast<double>(m.documents()), m.log_likelihood(),
                                 m.perplexity(), m.perplexity_rank_mean()};
  for (const double value : m.perplexity_per_rank()) results.push_back(value);
  for (const double value : m.click_rate_per_rank()) results.push_back(value);
  return results;
}

void expect_close(double actual, double expected, const std::string& where) {
  EXPECT_NEAR(actual, expected, 1e-14 * std::max(1.0, std::abs(expected))) << where;
}

TEST(ClickMetricsGoldenTest, EveryClickPredictionCaseOfTheFileMatches) {
  ULTR_NEEDS_GOLDEN();
  const nlohmann::json file = testing::read_golden("metrics.json");
  std::size_t cases = 0;
  for (const auto& golden : file["cases"]) {
    if (golden["type"] != "click_prediction") continue;
    ++cases;
    const std::string name = golden["name"];
    ClickMetrics metrics;
    for (std::size_t session = 0; session < golden["mask"].size(); ++session) {
      for (std::size_t rank = 0; rank < golden["n_ranks"]; ++rank) {
        if (golden["mask"][session][rank] == 0) continue;
        metrics.add(rank, golden["clicks"][session][rank] == 1,
                    golden["log_p_click"][session][rank], golden["log_p_no_click"][session][rank]);
      }
    }
    expect_close(metrics.log_likelihood(), golden["log_likelihood_mean_per_position"], name);
    expect_close(metrics.log_likelihood() * static_cast<double>(metrics.documents()),
                 golden["log_likelihood_total"], name + " total");
    expect_close(metrics.perplexity(), golden["perplexity_global"], name + " pooled");
    expect_close(metrics.perplexity_rank_mean(), golden["perplexity_mean_over_ranks"],
                 name + " mean over ranks");
    const auto per_rank = metrics.perplexity_per_rank();
    ASSERT_EQ(per_rank.size(), golden["perplexity_per_rank"].size());
    for (std::size_t rank = 0; rank < per_rank.size(); ++rank)
      expect_close(per_rank[rank], golden["perplexity_per_rank"][rank], name + " per rank");
  }
  EXPECT_EQ(cases, 4u);
}

TEST(ClickMetricsTest, ReadsTheProbabilityOfTheObservedEvent) {
  ClickMetrics metrics;
  add(metrics, predict(0, true, 0.25));
  add(metrics, predict(0, false, 0.25));
  add(metrics, predict(2, false, 0.5));
  EXPECT_EQ(metrics.documents(), 3u);
  EXPECT_EQ(metrics.ranks(), 3u);
  EXPECT_DOUBLE_EQ(metrics.log_likelihood(), (std::log(0.25) + std::log(0.75) + std::log(0.5)) / 3);
  EXPECT_DOUBLE_EQ(metrics.perplexity(), std::pow(0.25 * 0.75 * 0.5, -1. / 3));
  EXPECT_DOUBLE_EQ(metrics.perplexity_rank_mean(), (1 / std::sqrt(0.25 * 0.75) + 1 / 0.5) / 2);
}

TEST(ClickMetricsTest, PerplexityIsTwoToTheNegativeMeanBinaryLogLikelihood) {
  ClickMetrics metrics;
  double sum = 0;
  const auto predictions = random_predictions(50, 1);
  for (const Prediction& p : predictions) {
    add(metrics, p);
    sum += std::log2(std::exp(p.clicked ? p.log_click : p.log_no_click));
  }
  EXPECT_NEAR(metrics.perplexity(), std::exp2(-sum / 50), 1e-14);
}

TEST(ClickMetricsTest, RanksThatDoNotOccurAreNaNAndLeftOutOfTheMean) {
  ClickMetrics metrics;
  add(metrics, predict(1, true, 0.5));
  add(metrics, predict(1, false, 0.5));
  add(metrics, predict(3, true, 0.25));
  const auto perplexities = metrics.perplexity_per_rank(), rates = metrics.click_rate_per_rank();
  ASSERT_EQ(perplexities.size(), 4u);
  ASSERT_EQ(rates.size(), 4u);
  for (const std::size_t rank : {0u, 2u}) {
    EXPECT_TRUE(std::isnan(perplexities[rank]));
    EXPECT_TRUE(std::isnan(rates[rank]));
  }
  EXPECT_DOUBLE_EQ(perplexities[1], 2);
  EXPECT_DOUBLE_EQ(perplexities[3], 4);
  EXPECT_DOUBLE_EQ(rates[1], 1. / 2);
  EXPECT_DOUBLE_EQ(rates[3], 1);
  EXPECT_DOUBLE_EQ(metrics.perplexity_rank_mean(), (2. + 4.) / 2);
}

TEST(ClickMetricsTest, WithoutDocumentsEveryResultIsNaN) {
  const ClickMetrics metrics;
  EXPECT_EQ(metrics.documents(), 0u);
  EXPECT_TRUE(std::isnan(metrics.log_likelihood()));
  EXPECT_TRUE(std::isnan(metrics.perplexity()));
  EXPECT_TRUE(std::isnan(metrics.perplexity_rank_mean()));
  EXPECT_TRUE(metrics.perplexity_per_rank().empty());
}

TEST(ClickMetricsTest, AnImpossibleEventIsInfiniteNotNaN) {
  ClickMetrics metrics;
  metrics.add(0, true, -infinity, 0);
  metrics.add(0, false, -infinity, 0);  // certain, and it happened
  metrics.add(0, false, 0, -infinity);
  metrics.add(1, true, 0, -infinity);
  EXPECT_EQ(metrics.log_likelihood(), -infinity);
  EXPECT_EQ(metrics.perplexity(), infinity);
  EXPECT_EQ(metrics.perplexity_rank_mean(), infinity);
  EXPECT_EQ(metrics.perplexity_per_rank()[0], infinity);
  EXPECT_EQ(metrics.perplexity_per_rank()[1], 1);
}

TEST(ClickMetricsTest, RefusesPositiveNumbersAndNaN) {
  ClickMetrics metrics;
  EXPECT_THAT([&] { metrics.add(0, true, std::nan(""), -1); },
              ThrowsMessage<Error>(HasSubstr("observed click is nan")));
  EXPECT_THAT([&] { metrics.add(0, false, -1, 0.25); },
              ThrowsMessage<Error>(HasSubstr("observed skip is 0.25")));
  EXPECT_EQ(metrics.documents(), 0u);
  metrics.add(0, false, std::nan(""), -1);  // the event that did not happen is not read
  metrics.add(0, true, 1e-6, -14);          // rounding of a probability near 1
  EXPECT_EQ(metrics.documents(), 2u);
}

TEST(ClickMetricsTest, ShardsMergedInOrderGiveTheSameBitsOnAnyNumberOfThreads) {
  const auto predictions = random_predictions(10'007, 2);
  constexpr std::size_t shard_size = 256;
  const std::size_t shard_count = (predictions.size() + shard_size - 1) / shard_size;
  const auto evaluate = [&](std::size_t thread_count) {
    std::vector<ClickMetrics> shards(shard_count);
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < thread_count; ++i)
      threads.emplace_back([&] {
        for (std::size_t shard = next++; shard < shard_count; shard = next++)
          for (std::size_t j = shard * shard_size;
               j < std::min((shard + 1) * shard_size, predictions.size()); ++j)
            add(shards[shard], predictions[j]);
      });
    threads.clear();  // joins
    ClickMetrics merged;
    for (const ClickMetrics& shard : shards) merged.add(shard);
    return all_results(merged);
  };
  const auto expected = evaluate(1);
  for (const std::size_t thread_count : {2u, 3u, 16u}) EXPECT_EQ(evaluate(thread_count), expected);
}

TEST(ClickMetricsTest, MergedPartsEqualOnePassBitForBitWhereSumsAreExact) {
  std::mt19937_64 random(3);
  ClickMetrics one_pass, merged, part;
  for (int i = 0; i < 1000; ++i) {
    const double log_probability = -static_cast<double>(1 + random() % 64) / 64;
    const std::size_t rank = random() % (i < 500 ? 3 : 9);  // later parts have more ranks
    one_pass.add(rank, i % 3 == 0, log_probability, log_probability);
    part.add(rank, i % 3 == 0, log_probability, log_probability);
    if (i % 37 == 0 || i == 999) {
      merged.add(part);
      part = ClickMetrics();
    }
  }
  EXPECT_EQ(all_results(merged), all_results(one_pass));
}

TEST(ClickMetricsTest, MergingNothingChangesNothing) {
  ClickMetrics metrics;
  for (const Prediction& p : random_predictions(100, 4)) add(metrics, p);
  const auto before = all_results(metrics);
  metrics.add(ClickMetrics());
  EXPECT_EQ(all_results(metrics), before);
  ClickMetrics empty;
  empty.add(metrics);
  EXPECT_EQ(all_results(empty), before);
}

TEST(CalibrationTest, EqualWidthBinsCountPredictionsAndClicks) {
  Calibration calibration(CalibrationOptions{.bins = 4});
  calibration.add(true, -infinity);  // p = 0
  calibration.add(false, std::log(0.125));
  calibration.add(true, std::log(0.5));  // an edge belongs to the bin above
  calibration.add(true, std::log(0.625));
  calibration.add(false, std::log(0.625));
  calibration.add(true, 0);  // p = 1
  const auto bins = calibration.bins();
  ASSERT_EQ(bins.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bins[i].lower, static_cast<double>(i) / 4);
    EXPECT_EQ(bins[i].upper, static_cast<double>(i + 1) / 4);
  }
  EXPECT_EQ(bins[0].documents, 2u);
  EXPECT_DOUBLE_EQ(bins[0].mean_prediction, (0 + 0.125) / 2);
  EXPECT_DOUBLE_EQ(bins[0].click_rate, 1. / 2);
  EXPECT_EQ(bins[1].documents, 0u);
  EXPECT_TRUE(std::isnan(bins[1].mean_prediction));
  EXPECT_TRUE(std::isnan(bins[1].click_rate));
  EXPECT_EQ(bins[2].documents, 3u);
  EXPECT_DOUBLE_EQ(bins[2].mean_prediction, (0.5 + 0.625 + 0.625) / 3);
  EXPECT_DOUBLE_EQ(bins[2].click_rate, 2. / 3);
  EXPECT_EQ(bins[3].documents, 1u);
  EXPECT_EQ(bins[3].mean_prediction, 1);
}

TEST(CalibrationTest, LogarithmicBinsGrowByAConstantFactorDownToTheSmallest) {
  Calibration calibration({.bins = 3, .spacing = BinSpacing::logarithmic, .smallest = 1e-3});
  for (const double p : {1e-9, 5e-3, 0.05, 0.06, 0.5, 1.0}) calibration.add(false, std::log(p));
  const auto bins = calibration.bins();
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_EQ(bins[0].lower, 0);
  EXPECT_DOUBLE_EQ(bins[0].upper, 1e-3 * 10);
  EXPECT_DOUBLE_EQ(bins[1].upper, 1e-3 * 10 * 10);
  EXPECT_EQ(bins[2].upper, 1);
  EXPECT_EQ(bins[0].documents, 2u);
  EXPECT_EQ(bins[1].documents, 2u);
  EXPECT_EQ(bins[2].documents, 2u);
}

TEST(CalibrationTest, EveryPredictionLiesInItsBin) {
  for (const BinSpacing spacing : {BinSpacing::equal_width, BinSpacing::logarithmic}) {
    const CalibrationOptions options{.spacing = spacing};
    std::vector<double> probabilities = {0, 1};
    for (const CalibrationBin& bin : Calibration(options).bins())
      probabilities.push_back(bin.upper);
    for (int i = 0; i < 100; ++i) probabilities.push_back(std::exp2(-i / 7.));
    probabilities.push_back(1e-300);
    for (const double p : probabilities) {
      Calibration calibration(options);
      calibration.add(true, std::log(p));
      const double predicted = std::exp(std::log(p));
      std::size_t documents = 0;
      for (const CalibrationBin& bin : calibration.bins()) {
        documents += bin.documents;
        if (bin.documents == 0) continue;
        constexpr double rounding = 1 + 3e-16;  // of the two exponentials, if p is an edge
        EXPECT_GE(predicted * rounding, bin.lower);
        EXPECT_TRUE(predicted < bin.upper * rounding || bin.upper == 1) << p;
      }
      EXPECT_EQ(documents, 1u) << p;
    }
  }
}

TEST(CalibrationTest, RoundingAboveCertaintyIsCertainty) {
  Calibration calibration;
  calibration.add(true, 1e-6);
  EXPECT_EQ(calibration.bins().back().documents, 1u);
  EXPECT_EQ(calibration.bins().back().mean_prediction, 1);
}

TEST(CalibrationTest, DefaultsToTwentyEqualBins) {
  const auto bins = Calibration().bins();
  ASSERT_EQ(bins.size(), 20u);
  for (const CalibrationBin& bin : bins) EXPECT_NEAR(bin.upper - bin.lower, 1. / 20, 1e-15);
}

TEST(CalibrationTest, MergedPartsEqualOnePass) {
  std::mt19937_64 random(5);
  Calibration one_pass, merged, part;
  for (int i = 0; i < 200; ++i) {
    const bool clicked = random() % 3 == 0;
    const double log_click = -std::ldexp(static_cast<double>(random() % 1000), -8);
    one_pass.add(clicked, log_click);
    part.add(clicked, log_click);
    if (i % 17 == 0 || i == 199) {
      merged.add(part);
      part = Calibration();
    }
  }
  const auto expected = one_pass.bins(), actual = merged.bins();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i].documents, expected[i].documents);
    if (expected[i].documents == 0) continue;
    EXPECT_EQ(actual[i].click_rate, expected[i].click_rate);
    EXPECT_DOUBLE_EQ(actual[i].mean_prediction, expected[i].mean_prediction);
  }
}

TEST(CalibrationTest, RefusesMeaninglessInput) {
  EXPECT_THROW(Calibration(CalibrationOptions{.bins = 0}), Error);
  EXPECT_THROW(Calibration(CalibrationOptions{.smallest = 0}), Error);
  EXPECT_THROW(Calibration(CalibrationOptions{.smallest = 1}), Error);
  Calibration calibration;
  EXPECT_THROW(calibration.add(true, std::nan("")), Error);
  EXPECT_THROW(calibration.add(true, 0.5), Error);
  EXPECT_THROW(calibration.add(Calibration(CalibrationOptions{.bins = 7})), Error);
}

TEST(ClickMetricsTest, DocumentsTogetherAreDocumentsOneAfterTheOther) {
  const std::vector<std::uint32_t> ranks = {0, 2, 0, 1, 2};
  const std::vector<std::uint8_t> clicked = {1, 0, 0, 1, 1};
  const std::vector<double> observed = {0.6, 0.95, 0.88, 0.78, 0.37}, twice(5, 2.0);
  std::vector<double> logs;
  ClickMetrics alone;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    logs.push_back(std::log(observed[i]));
    alone.add(ranks[i], clicked[i] != 0, logs[i], logs[i]);
  }
  EXPECT_NEAR(alone.log_likelihood(), std::log(0.6 * 0.95 * 0.88 * 0.78 * 0.37) / 5, 1e-15);
  for (const Likelihoods& likelihoods : {Likelihoods{observed, false}, Likelihoods{logs, true}}) {
    ClickMetrics together, weighted;
    together.add(ranks, clicked, likelihoods);
    weighted.add(ranks, clicked, likelihoods, twice);
    EXPECT_EQ(together.documents(), 5u);
    EXPECT_EQ(weighted.documents(), 10u);
    for (const ClickMetrics* all : {&together, &weighted}) {
      EXPECT_NEAR(all->log_likelihood(), alone.log_likelihood(), 1e-15);
      EXPECT_EQ(all->click_rate_per_rank(), alone.click_rate_per_rank());
      for (std::size_t rank = 0; rank < 3; ++rank)
        EXPECT_NEAR(all->perplexity_per_rank()[rank], alone.perplexity_per_rank()[rank], 1e-15);
    }
  }
}

/// Runs of every length around that of a vector register.
TEST(ClickMetricsTest, RunsOfAnyLengthAreSummedWhole) {
  for (std::uint32_t length = 1; length < 40; ++length) {
    const std::vector<std::uint32_t> ranks(length, 3);
    std::vector<std::uint8_t> clicked(length);
    std::vector<double> observed(length), logs(length);
    for (std::uint32_t i = 0; i < length; ++i) {
      clicked[i] = i % 3 == 0 ? 1 : 0;
      logs[i] = -static_cast<double>(i + 1);
      observed[i] = std::exp(logs[i]);
    }
    for (const Likelihoods& likelihoods : {Likelihoods{observed, false}, Likelihoods{logs, true}}) {
      ClickMetrics metrics;
      metrics.add(ranks, clicked, likelihoods);
      EXPECT_EQ(metrics.documents(), length);
      EXPECT_EQ(metrics.sums()[3 * 3 + 1], (length + 2) / 3);
      EXPECT_NEAR(metrics.sums()[3 * 3 + 2], -(length * (length + 1.0)) / 2, 1e-12);
    }
  }
}

TEST(ClickMetricsTest, RefusesTheFirstOfSeveralThatIsNoLikelihood) {
  const std::vector<std::uint32_t> ranks(20, 0);
  const std::vector<std::uint8_t> clicked(20, 0);
  const auto expect_refused = [&](double usual, double wrong, bool are_logarithms,
                                  const std::string& message) {
    ClickMetrics metrics;
    std::vector<double> observed(20, usual);
    observed[17] = wrong;
    EXPECT_THAT(
        [&] {
          metrics.add(ranks, clicked, Likelihoods{observed, are_logarithms});
        },
        ThrowsMessage<Error>(HasSubstr(message)));
    EXPECT_EQ(metrics.documents(), 0u);
  };
  expect_refused(-1, std::nan(""), true, "observed skip is nan");
  expect_refused(-1, 0.5, true, "observed skip is 0.5");
  expect_refused(0.5, std::nan(""), false, "what was observed is nan; expected 0 to 1");
  expect_refused(0.5, -0.5, false, "what was observed is -0.5");
  expect_refused(0.5, 1.5, false, "what was observed is 1.5");
}

TEST(CalibrationTest, DocumentsTogetherAreDocumentsOneAfterTheOther) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> exponent(-12, 0);
  for (const BinSpacing spacing : {BinSpacing::equal_width, BinSpacing::logarithmic}) {
    std::vector<std::uint8_t> clicked;
    std::vector<double> p;
    Calibration together(CalibrationOptions{.spacing = spacing});
    Calibration alone = together;
    for (int i = 0; i < 203; ++i) {
      const double log_click = exponent(random);
      clicked.push_back(random() % 3 == 0 ? 1 : 0);
      p.push_back(std::exp(log_click));
      alone.add(clicked.back() != 0, log_click);
    }
    together.add(clicked, p);
    const auto expected = alone.bins(), actual = together.bins();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(actual[i].documents, expected[i].documents);
      if (expected[i].documents == 0) continue;
      EXPECT_EQ(actual[i].click_rate, expected[i].click_rate);
      EXPECT_NEAR(actual[i].mean_prediction, expected[i].mean_prediction, 1e-15);
    }
    p[100] = 1.5;
    EXPECT_THROW(together.add(clicked, p), Error);
    p[100] = std::nan("");
    EXPECT_THROW(together.add(clicked, p), Error);
    const std::vector<double> weights(p.size(), 0);
    EXPECT_THROW(together.add(clicked, p, weights), Error);  // though no document counts
  }
}

TEST(ClickMetricsTest, SumsMakeTheSameMetricsAgain) {
  ClickMetrics metrics;
  Calibration calibration;
  for (const Prediction& prediction : random_predictions(200, 5)) {
    add(metrics, prediction);
    calibration.add(prediction.clicked, prediction.log_click);
  }
  const ClickMetrics again = ClickMetrics::of_sums(metrics.sums());
  EXPECT_EQ(again.documents(), 200u);
  EXPECT_EQ(again.sums(), metrics.sums());
  EXPECT_EQ(again.perplexity_per_rank(), metrics.perplexity_per_rank());
  EXPECT_EQ(again.click_rate_per_rank(), metrics.click_rate_per_rank());
  Calibration same;
  same.set_sums(calibration.sums());
  EXPECT_EQ(same.sums(), calibration.sums());
  EXPECT_EQ(same.bins().front().documents, calibration.bins().front().documents);

  EXPECT_THROW(ClickMetrics::of_sums(std::array{1.0, 2.0}), Error);
  EXPECT_THROW(Calibration({.bins = 2}).set_sums(calibration.sums()), Error);
}

}  // namespace
}  // namespace ultr::click_metrics_test
