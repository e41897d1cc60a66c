#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "dsl/learned_position_bias.h"
#include "dsl/programs/start.h"
#include "testing/small_log.h"
#include "training/fitters.h"
#include "training/intervals/likelihood_intervals.h"
#include "training/predictor.h"

/// 95% intervals contain the truth in about 95 of 100 logs that are simulated from the model. The
/// environment variable ULTR_COVERAGE_LOGS sets the number of logs per model (docs/uncertainty.md).
namespace ultr::interval_coverage_test {
namespace {

/// Share of intervals that contain the truth, and their mean width.
struct Coverage {
  double covered = 0, width = 0, count = 0;

  void add(const ConfidenceInterval& interval, double truth) {
    covered += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
    width += interval.upper - interval.lower;
    ++count;
  }
  double share() const { return covered / count; }
};

struct Case {
  std::string model;
  bool has_examination = false;  // relevance is known up to that of rank 1
  bool stops_at_click = false;   // documents below the first click are not examined
};

std::size_t count_logs() {
  const char* const given = std::getenv("ULTR_COVERAGE_LOGS");
  return given == nullptr ? 15 : static_cast<std::size_t>(std::atoi(given));
}

TrainableModel fit(const std::string& model, const Dataset& dataset) {
  constexpr int passes = 300;
  TrainableModel fitted =
      testing::build_model(model, {.rows = dataset.dictionary.rows(),
                                   .positions = static_cast<std::int64_t>(dataset.positions)});
  start_at_click_rate(fitted, dataset.train);
  const TrainOptions options;
  const Choice em(testing::registry().optimizers(), "em");
  const auto fitter =
      make_fitter(em.as<FitOptions>(),
                  {.model = fitted, .train = dataset.train, .options = options, .threads = 1});
  for (int pass = 1; pass <= passes; ++pass) fitter->pass(pass, {});
  return fitted;
}

/// Relevance of each row under a model.
std::vector<double> relevance(const TrainableModel& model, std::uint32_t rows) {
  SessionLog lists;
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  for (std::uint32_t row = 0; row < rows; ++row)
    lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
  std::vector<double> all = Predictor(model, 1).relevance(lists);
  for (double& x : all) x = 1 / (1 + std::exp(-x));
  return all;
}

/// Counts the sessions that show each row; if `stops_at_click`, not below their first click.
std::vector<std::uint64_t> count_impressions(const SessionLog& log, std::size_t rows,
                                             bool stops_at_click) {
  std::vector<std::uint64_t> impressions(rows);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      ++impressions[session.rows[k]];
      if (stops_at_click && session.clicks[k] != 0) break;
    }
  }
  return impressions;
}

class IntervalCoverageSlowTest : public ::testing::TestWithParam<Case> {};

TEST_P(IntervalCoverageSlowTest, IsAbout95Percent) {
  const auto& [model, has_examination, stops_at_click] = GetParam();
  constexpr std::array<std::uint64_t, 4> fewest = {1, 10, 100, ~std::uint64_t{0}};
  std::array<Coverage, 3> by_impressions;
  Coverage by_rank;
  const std::size_t logs = count_logs();
  for (std::size_t log = 1; log <= logs; ++log) {
    const ExperimentData data = testing::simulate(
        "{user: " + model +
            ", queries: 60, sessions: 3000, candidates: 8, positions: 6, zipf: 1, "
            "ranking_noise: 2}",
        {.seed = log, .threads = 1});
    const TrainableModel fitted = fit(model, data.dataset);
    const LikelihoodIntervals intervals = likelihood_intervals(fitted, data.dataset.train, 1);
    const auto rows = static_cast<std::uint32_t>(data.dataset.dictionary.rows());
    const std::vector<double> truth = relevance(*data.truth, rows),
                              estimate = relevance(fitted, rows);
    const std::vector<std::uint64_t> impressions =
        count_impressions(data.dataset.train, rows, stops_at_click);
    const double factor = has_examination
                              ? testing::probability_of(fitted, "examination", 0) /
                                    testing::probability_of(*data.truth, "examination", 0)
                              : 1;
    for (std::uint32_t row = 1; row < rows; ++row) {
      if (impressions[row] == 0) continue;
      std::size_t group = 0;
      while (impressions[row] >= fewest[group + 1]) ++group;
      const ConfidenceInterval interval = {
          std::min(intervals.relevance[row].lower, estimate[row]) * factor,
          std::max(intervals.relevance[row].upper, estimate[row]) * factor};
      by_impressions[group].add(interval, truth[row]);
    }
    if (intervals.position_bias.empty()) continue;
    const PositionBias bias = *learned_position_bias(*data.truth);
    for (std::size_t k = 1; k < bias.by_rank.size(); ++k)
      by_rank.add(intervals.position_bias[k], bias.by_rank[k]);
  }
  std::string line = fmt::format("| `{}` |", model);
  for (const Coverage& coverage : by_impressions)
    line +=
        fmt::format(" {:.1f}% ({:.2f}) |", 100 * coverage.share(), coverage.width / coverage.count);
  line += by_rank.count > 0 ? fmt::format(" {:.1f}% |", 100 * by_rank.share()) : " |";
  fmt::print("{} {} {} {}\n", line, by_impressions[0].count, by_impressions[1].count,
             by_impressions[2].count);
  for (const Coverage& coverage : by_impressions) {
    EXPECT_GT(coverage.share(), 0.93) << model;
    EXPECT_LT(coverage.share(), 0.97) << model;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, IntervalCoverageSlowTest,
                         ::testing::Values(Case{"dctr"}, Case{"pbm", true}, Case{"ubm", true},
                                           Case{"cm", false, true}, Case{"dcm"}, Case{"sdbn"},
                                           Case{"dbn"}, Case{"ccm"}),
                         [](const auto& each) { return each.param.model; });

}  // namespace
}  // namespace ultr::interval_coverage_test
