#include "training/intervals/likelihood_intervals.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/parallel_shards.h"
#include "dsl/programs/click_program.h"
#include "dsl/programs/start.h"
#include "testing/small_log.h"
#include "training/fitters.h"
#include "training/intervals/coin_curve.h"
#include "training/predictor.h"

namespace ultr::likelihood_intervals_test {
namespace {

/// The probability below a 95% interval, and half its width in standard deviations.
constexpr double outside = 0.025, deviations = 1.959963984540054;

double logit(double p) { return std::log(p / (1 - p)); }

/// P(click | clicks above) of all documents of a log.
std::vector<double> click_probabilities(const TrainableModel& model, const SessionLog& log) {
  ClickPrograms programs(model, ProgramKind::conditional, Precision::float64);
  std::vector<double> all;
  for (std::size_t s = 0; s < count_shards(log); ++s) {
    Shard shard;
    pack_shard(log, s, shard);
    for (const double log_p : programs.run(shard).log_p()) all.push_back(std::exp(log_p));
  }
  return all;
}

/// The logit of relevance of each row.
std::vector<double> relevance(const TrainableModel& model) {
  SessionLog lists;
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  for (std::uint32_t row = 0; row < model.setting().rows; ++row)
    lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
  return Predictor(model, 1).relevance(lists);
}

/// Derivatives by central differences with respect to every value of every parameter table that
/// matters: one vector per value.
struct Slopes {
  std::vector<std::vector<double>> clicks, relevance;
  std::vector<std::string> names;  // "examination 0"
};

std::vector<double> quotient(std::vector<double> above, const std::vector<double>& below,
                             double width) {
  for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / width;
  return above;
}

Slopes slopes_of(const TrainableModel& model, const SessionLog& log) {
  Slopes slopes;
  for (const TrainableModel::Layer& layer : model.layers()) {
    Parameter& values = *layer.layer->entry_logits()->values;
    for (std::int64_t e = 0; e < values.rows(); ++e) {
      constexpr float step = 0.01f;
      const float at = values.value(e);
      values.value(e) = at + step;
      double width = static_cast<double>(values.value(e));
      const std::vector<double> more = click_probabilities(model, log), better = relevance(model);
      values.value(e) = at - step;
      width -= static_cast<double>(values.value(e));
      const std::vector<double> fewer = click_probabilities(model, log), worse = relevance(model);
      values.value(e) = at;
      if (more == fewer) continue;  // such as those of the unknown row
      slopes.clicks.push_back(quotient(more, fewer, width));
      slopes.relevance.push_back(quotient(better, worse, width));
      slopes.names.push_back(layer.name + " " + std::to_string(e));
    }
  }
  return slopes;
}

using Matrix = std::vector<std::vector<double>>;

/// Returns the inverse of a positive definite matrix, by Gauss-Jordan elimination.
Matrix inverse(Matrix matrix) {
  const std::size_t n = matrix.size();
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    const double by = 1 / matrix[pivot][pivot];
    matrix[pivot][pivot] = 1;
    for (double& x : matrix[pivot]) x *= by;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == pivot) continue;
      const double times = matrix[i][pivot];
      matrix[i][pivot] = 0;
      for (std::size_t j = 0; j < n; ++j) matrix[i][j] -= times * matrix[pivot][j];
    }
  }
  return matrix;
}

/// The standard deviation of the logit of relevance of each row if all parameters are estimated but
/// `held`.
std::vector<double> deviations_of_all(const TrainableModel& model, const SessionLog& log,
                                      const std::string& held) {
  const Slopes slopes = slopes_of(model, log);
  const std::vector<double> p = click_probabilities(model, log);
  const std::size_t n = slopes.names.size();
  Matrix information(n, std::vector<double>(n));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i] > 0)
          information[a][b] += slopes.clicks[a][i] * slopes.clicks[b][i] / (p[i] * (1 - p[i]));
  for (std::size_t a = 0; a < n; ++a)
    if (slopes.names[a] == held) information[a][a] *= 1e9;
  const Matrix covariance = inverse(information);
  std::vector<double> all;
  for (std::size_t row = 0; row < slopes.relevance[0].size(); ++row) {
    double variance = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        variance += slopes.relevance[a][row] * covariance[a][b] * slopes.relevance[b][row];
    all.push_back(std::sqrt(variance));
  }
  return all;
}

TrainableModel fit(const std::string& type, const Dataset& dataset) {
  TrainableModel model =
      testing::build_model(type, {.rows = dataset.dictionary.rows(),
                                  .positions = static_cast<std::int64_t>(dataset.positions)});
  start_at_click_rate(model, dataset.train);
  const TrainOptions options;
  const bool has_coins = type != "two_tower" && type != "dwell_dbn";
  const Choice optimizer(testing::registry().optimizers(), has_coins ? "em" : "adam");
  if (!has_coins) testing::configure(*optimizer.options, "{lr: 0.005}");
  const auto fitter =
      make_fitter(optimizer.as<FitOptions>(),
                  {.model = model, .train = dataset.train, .options = options, .threads = 2});
  for (int pass = 1; pass <= (has_coins ? 200 : 40); ++pass) fitter->pass(pass, {});
  return model;
}

struct Case {
  std::string model;
  std::string held = {};  // a parameter that clicks determine only relative to the others
  std::string user = {};  // the model that is simulated, if another
};

class LikelihoodIntervalsTest : public ::testing::TestWithParam<Case> {};

/// With much evidence, likelihood intervals are those of the whole information matrix.
TEST_P(LikelihoodIntervalsTest, AreThoseOfTheInverseInformation) {
  const auto& [type, held, user] = GetParam();
  ExperimentData data = testing::simulate(
      "{user: " + (user.empty() ? type : user) +
      ", queries: 2, sessions: 20000, candidates: 5, positions: 4, zipf: 0, ranking_noise: 3, "
      "logit_mean: -0.5, logit_spread: 0.7}");
  data.dataset.train = with_made_up_signals(data.dataset.train);
  const SessionLog& log = data.dataset.train;
  const TrainableModel model = fit(type, data.dataset);
  const LikelihoodIntervals intervals = likelihood_intervals(model, log, 2);
  const std::vector<double> expected = deviations_of_all(model, log, held);
  EXPECT_EQ(intervals.relative_to_first_position, !held.empty());
  for (std::size_t row = 1; row < expected.size(); ++row) {
    const auto& [lower, upper] = intervals.relevance[row];
    const double actual = (logit(upper) - logit(lower)) / (2 * deviations);
    EXPECT_NEAR(actual / expected[row], 1, 0.05) << "row " << row << ": " << lower << ", " << upper;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LikelihoodIntervalsTest,
                         ::testing::Values(Case{"dctr"}, Case{"pbm", "examination 0"},
                                           Case{"ubm", "examination 0"},
                                           Case{"two_tower", "examination 0"}, Case{"cm"},
                                           Case{"dcm"}, Case{"ccm"}, Case{"sdbn"}, Case{"dbn"},
                                           Case{"viewed_pbm", "examination 0", "pbm"},
                                           Case{"skipped_pbm", "examination 0", "pbm"},
                                           Case{"dwell_dbn", "dwell 0", "dbn"}),
                         [](const auto& each) { return each.param.model; });

TEST(LikelihoodIntervalsTest, EveryRegisteredModelHasThemOrAReason) {
  const ExperimentData data = testing::small_simulation();
  const SessionLog& log = data.dataset.train;
  std::vector<std::string> reasons;
  for (const OptionType& type : testing::registry().models()) {
    SCOPED_TRACE(type.name);
    const TrainableModel model = testing::model_for(type.name, data.dataset);
    if (!why_no_intervals(model, log).empty()) {
      reasons.push_back(type.name);
      continue;
    }
    const LikelihoodIntervals intervals = likelihood_intervals(model, log, 2);
    ASSERT_EQ(intervals.relevance.size(), static_cast<std::size_t>(model.setting().rows));
    for (std::size_t row = 1; row < intervals.relevance.size(); ++row) {
      const auto& [lower, upper] = intervals.relevance[row];
      EXPECT_GE(lower, 0) << row;
      EXPECT_LT(lower, upper) << row;
      EXPECT_LE(upper, 1) << row;
    }
  }
  EXPECT_THAT(reasons, ::testing::ElementsAre("gctr", "rctr", "mixture"));
}

TEST(LikelihoodIntervalsTest, OfAClickRateAreBinomial) {
  const ExperimentData data = testing::small_simulation();
  const SessionLog& log = data.dataset.train;
  const TrainableModel model = testing::model_for("dctr", data.dataset);
  const LikelihoodIntervals intervals = likelihood_intervals(model, log, 1);
  const auto rows = static_cast<std::size_t>(data.dataset.dictionary.rows());
  std::vector<double> clicks(rows), skips(rows);
  for (std::size_t i = 0; i < log.documents(); ++i)
    (log.clicks()[i] != 0 ? clicks : skips)[log.rows()[i]] += 1;
  for (std::size_t row = 1; row < rows; ++row) {
    CoinCurve curve;
    curve.add_known(clicks[row], skips[row]);
    curve.finish();
    const CoinPosterior posterior = curve.posterior();
    EXPECT_NEAR(logit(intervals.relevance[row].lower), posterior.quantile(outside), 1e-3);
    EXPECT_NEAR(logit(intervals.relevance[row].upper), posterior.quantile(1 - outside), 1e-3);
  }
}

TEST(LikelihoodIntervalsTest, OfADocumentThatIsNeverExaminedReachTowards0And1) {
  // Under the cascade model, nobody examines what is below a click.
  SessionLog log;
  for (int i = 0; i < 300; ++i)
    log.add({.rows = std::array{1u, 2u},
             .positions = std::array<std::uint16_t, 2>{0, 1},
             .clicks = std::array<std::uint8_t, 2>{1, 0}});
  const TrainableModel model = testing::build_model("cm", {.rows = 3, .positions = 2});
  const LikelihoodIntervals intervals = likelihood_intervals(model, log, 1);
  EXPECT_GT(intervals.relevance[1].lower, 0.98);
  EXPECT_LT(intervals.relevance[2].lower, 0.01);
  EXPECT_GT(intervals.relevance[2].upper, 0.99);
}

/// Two groups of documents, each at its own ranks: nothing compares the ranks of one group with
/// those of the other.
TEST(LikelihoodIntervalsTest, OfRanksThatNothingConnectsAreUnbounded) {
  SessionLog log;
  RandomStream random(3, RandomPurpose::initialisation, 0, 0);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const std::uint32_t swap = i % 2, group = i / 2 % 2;
    const auto click = [&] { return static_cast<std::uint8_t>(random.uniform() < 0.4); };
    const auto at = static_cast<std::uint16_t>(2 * group);
    log.add({.rows = std::array{1 + 2 * group + swap, 2 + 2 * group - swap},
             .positions = std::array<std::uint16_t, 2>{at, static_cast<std::uint16_t>(at + 1)},
             .clicks = std::array<std::uint8_t, 2>{click(), click()},
             .query = group});
  }
  const TrainableModel model = testing::build_model("pbm", {.rows = 5, .positions = 4});
  const LikelihoodIntervals intervals = likelihood_intervals(model, log, 1);
  EXPECT_GT(intervals.relevance[1].lower, 0.1) << "relative to the first rank";
  EXPECT_LT(intervals.relevance[3].lower, 0.001);
  EXPECT_GT(intervals.relevance[3].upper, 0.999);
  EXPECT_LT(intervals.position_bias[1].upper, 2);
  EXPECT_GT(intervals.position_bias[2].upper, 1e3);
  EXPECT_GT(intervals.position_bias[3].upper, 1e3);
}

TEST(LikelihoodIntervalsTest, DoNotDependOnThreads) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for("dbn", data.dataset);
  const LikelihoodIntervals one = likelihood_intervals(model, data.dataset.train, 1),
                            three = likelihood_intervals(model, data.dataset.train, 3);
  for (std::size_t row = 0; row < one.relevance.size(); ++row) {
    EXPECT_EQ(one.relevance[row].lower, three.relevance[row].lower);
    EXPECT_EQ(one.relevance[row].upper, three.relevance[row].upper);
  }
}

TEST(LikelihoodIntervalsTest, AreMissingForAReason) {
  const SessionLog none;
  const ModelSetting setting{.rows = 3, .positions = 2};
  const auto reason = [&](const std::string& model, const std::string& options) {
    return why_no_intervals(testing::build_model(model, setting, options), none);
  };
  EXPECT_EQ(reason("pbm", "{}"), "");
  EXPECT_EQ(reason("dbn", "{}"), "");
  EXPECT_THAT(reason("pbm", "{attraction: {type: embedding, dimension: 4}}"),
              ::testing::HasSubstr("'attraction'"));
  EXPECT_THAT(reason("mixture", "{}"), ::testing::HasSubstr("'prior'"));
  EXPECT_THAT(reason("rctr", "{}"), ::testing::HasSubstr("no product"));
  // One parameter per position and position of the last click or none.
  EXPECT_EQ(why_no_intervals(testing::build_model("ubm", {.rows = 3, .positions = 44}), none), "");
  EXPECT_THAT(why_no_intervals(testing::build_model("ubm", {.rows = 3, .positions = 45}), none),
              ::testing::HasSubstr("all sessions share 2070 parameters"));
}

/// Information is summed query by query.
TEST(LikelihoodIntervalsTest, AreMissingIfQueriesShareRows) {
  const TrainableModel model = testing::build_model("pbm", {.rows = 3, .positions = 2});
  const std::vector<std::uint32_t> rows = {1, 2};
  const std::vector<std::uint16_t> positions = {0, 1};
  const std::vector<std::uint8_t> clicks = {0, 1};
  SessionLog log;
  for (int i = 0; i < 2; ++i) log.add({rows, positions, clicks, 7});
  EXPECT_EQ(why_no_intervals(model, log), "");
  log.add({rows, positions, clicks, 9});
  EXPECT_THAT(why_no_intervals(model, log), ::testing::HasSubstr("queries share the parameters"));
}

}  // namespace
}  // namespace ultr::likelihood_intervals_test
