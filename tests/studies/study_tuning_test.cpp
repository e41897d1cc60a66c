#include "studies/study_tuning.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "studies/small_study.h"
#include "testing/errors.h"

namespace ultr::study_tuning_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallStudy;

const char* const tuned_study = R"(
study: s
experiment: {}
grid: {size: {key: data.sessions, values: [10, 100]}, seed: 1..2}
tune:
  options: {optimizer.lr: [0.1, 0.01]}
  at: {size: 50}
  seeds: [101, 102]
variants:
  a: {model: a}
  b: {model: b, tune: {loss.clip: [1, 2, 3], optimizer.lr: }}
  c: {model: c, tune: none}
)";

std::vector<std::string> names(const std::vector<StudyPoint>& points) {
  std::vector<std::string> names;
  for (const StudyPoint& point : points) names.push_back(point.name);
  return names;
}

std::string message(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return config_message([&] { SmallStudy small(yaml, overrides); });
}

/// Returns the runs of a tuning with the given results by the names of their points.
std::vector<RunResults> results(const StudyTuning& tuning,
                                const std::function<double(const std::string& name)>& result) {
  std::vector<RunResults> runs;
  for (const StudyPoint& point : tuning.points) {
    RunResults& run = runs.emplace_back(RunResults{.folder = {}, .name = {}, .options = {}});
    if (const double value = result(point.name); value > 0) run.metrics[tuning.by] = value;
  }
  return runs;
}

TEST(StudyTuningTest, TriesEveryCombinationOfAVariantWithSeedsOfItsOwn) {
  const SmallStudy small(tuned_study);
  EXPECT_THAT(
      names(small.study.tuning->points),
      ElementsAre("a optimizer.lr=0.1 seed=101", "a optimizer.lr=0.1 seed=102",
                  "a optimizer.lr=0.01 seed=101", "a optimizer.lr=0.01 seed=102",
                  "b loss.clip=1 seed=101", "b loss.clip=1 seed=102", "b loss.clip=2 seed=101",
                  "b loss.clip=2 seed=102", "b loss.clip=3 seed=101", "b loss.clip=3 seed=102"));
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.tuning->points[3])),
            "{model: a, data: {sessions: 50}, optimizer: {lr: 0.01}, seed: 102}");
  EXPECT_THAT(names(SmallStudy(tuned_study, {"variant=a,c", "size=10"}).study.tuning->points),
              ::testing::SizeIs(4))
      << "overrides leave out variants, and what is tuned stays";
}

TEST(StudyTuningTest, TheBestMeanOverSeedsIsChosen) {
  SmallStudy small(tuned_study);
  const StudyTuning& tuning = *small.study.tuning;
  EXPECT_FALSE(tuning.highest) << "of a loss";
  const std::vector<TunedOptions> tuned =
      choose_options(tuning, results(tuning, [](const std::string& name) {
                       if (name == "a optimizer.lr=0.1 seed=101") return 1.;
                       if (name == "a optimizer.lr=0.1 seed=102") return 6.;
                       if (name == "b loss.clip=1 seed=101") return 0.;  // no result
                       if (name == "b loss.clip=1 seed=102") return 1.;
                       if (name.starts_with("b loss.clip=3")) return 2.;
                       return 3.;
                     }));
  ASSERT_EQ(tuned.size(), 2u);
  EXPECT_EQ(shown_scope(tuned[0].place), "variant=a");
  EXPECT_EQ(shown_scope(tuned[0].chosen().options), "optimizer.lr=0.01");
  EXPECT_EQ(tuned[0].candidates[0].result.mean, 3.5);
  EXPECT_EQ(shown_scope(tuned[1].chosen().options), "loss.clip=3");
  EXPECT_TRUE(std::isnan(tuned[1].candidates[0].result.mean));

  apply_tuning(tuned, small.study.points);
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[0])),
            "{model: a, data: {sessions: 10}, seed: 1, optimizer: {lr: 0.01}}");
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[7])),
            "{model: b, data: {sessions: 100}, seed: 2, loss: {clip: 3}}");
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[8])),
            "{model: c, data: {sessions: 10}, seed: 1}");
}

TEST(StudyTuningTest, OptionsAreChosenSeparatelyAlongAxes) {
  SmallStudy small(R"(
study: s
experiment: {}
grid: {size: {key: data.sessions, values: [10, 100]}, seed: {key: [seed, data.reader.seed], values: 1..2}}
tune: {options: {optimizer.lr: [0.1, 0.01]}, per: size, by: test.ranking.ndcg@10}
)");
  const StudyTuning& tuning = *small.study.tuning;
  EXPECT_TRUE(tuning.highest) << "of nDCG";
  EXPECT_THAT(
      names(tuning.points),
      ElementsAre("size=10 optimizer.lr=0.1 seed=101", "size=10 optimizer.lr=0.01 seed=101",
                  "size=100 optimizer.lr=0.1 seed=101", "size=100 optimizer.lr=0.01 seed=101"));
  const std::vector<TunedOptions> tuned =
      choose_options(tuning, results(tuning, [](const std::string& name) {
                       return name.starts_with("size=10 ") == (name.find("0.01") < 99) ? 2. : 1.;
                     }));
  apply_tuning(tuned, small.study.points);
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[0])),
            "{data: {sessions: 10, reader: {seed: 1}}, seed: 1, optimizer: {lr: 0.01}}");
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[2])),
            "{data: {sessions: 100, reader: {seed: 1}}, seed: 1, optimizer: {lr: 0.1}}");
}

TEST(StudyTuningTest, ACandidateNeedsResults) {
  const SmallStudy small(tuned_study);
  EXPECT_EQ(testing::data_message([&] {
              choose_options(*small.study.tuning,
                             results(*small.study.tuning, [](const std::string& name) {
                               return name.starts_with("a") ? 1. : 0.;
                             }));
            }),
            "tuning of variant=b: no candidate has valid.loss with all seeds; expected one");
}

TEST(StudyTuningTest, ErrorsNameTheirLocation) {
  const std::string head =
      "{study: s, experiment: {}, grid: {size: {key: x.y, values: [1, 2]}, seed: 1..3}, ";
  EXPECT_THAT(message(head + "tune: {options: {a.b: [1]}}}"),
              HasSubstr("small.yaml:1:88: tune leaves size open; expected it in per, or one of"));
  EXPECT_THAT(message(head + "tune: {options: {a.b: [1]}, per: sizes}}"),
              HasSubstr("unknown axis 'sizes'; did you mean 'size'?"));
  EXPECT_THAT(message(head + "tune: {options: {a.b: [1]}, per: size, seeds: [3]}}"),
              HasSubstr("tune.seeds has 3, a seed of the study; expected others"));
  EXPECT_THAT(message(head + "tune: {options: {size: [1]}, per: size}}"),
              HasSubstr("tune has the option size, which is an axis of the study"));
  EXPECT_THAT(message(head + "tune: {per: size}}"), HasSubstr("tune has no options"));
  EXPECT_THAT(message(head + "tune: {option: {a.b: [1]}}}"),
              HasSubstr("unknown key 'option' of tune; did you mean 'options'?"));
  EXPECT_THAT(message(head + "tune: {options: {a.b: [1]}, per: size, by: test.loss}}"),
              HasSubstr("tune.by is 'test.loss'; expected a measure of validation sessions"));
  EXPECT_THAT(message(head + "tune: {options: {a.b: [1]}, per: size, by: valid.mine}}"),
              HasSubstr("tune.by is 'valid.mine', which has no direction"));
  EXPECT_THAT(message(head + "tune: {options: {a.b: [1]}, per: size, best: 3}}"),
              HasSubstr("tune.best is '3'; expected lowest or highest"));
  EXPECT_THAT(message(tuned_study, {"optimizer.lr=1"}),
              HasSubstr("'optimizer.lr' is tuned by the study; expected another option"));
}

}  // namespace
}  // namespace ultr::study_tuning_test
