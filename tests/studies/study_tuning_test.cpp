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

/// Returns the runs of a stage with the given results by the names of their points.
std::vector<RunResults> results(const TuningStage& stage,
                                const std::function<double(const std::string& name)>& result) {
  std::vector<RunResults> runs;
  for (const StudyPoint& point : stage.points) {
    RunResults& run = runs.emplace_back(RunResults{.folder = {}, .name = {}, .options = {}});
    if (const double value = result(point.name); value > 0) run.metrics[stage.by] = value;
  }
  return runs;
}

TEST(StudyTuningTest, TriesEveryCombinationOfAVariantWithSeedsOfItsOwn) {
  const SmallStudy small(tuned_study);
  EXPECT_THAT(
      names(small.study.tuning.front().points),
      ElementsAre("a optimizer.lr=0.1 seed=101", "a optimizer.lr=0.1 seed=102",
                  "a optimizer.lr=0.01 seed=101", "a optimizer.lr=0.01 seed=102",
                  "b loss.clip=1 seed=101", "b loss.clip=1 seed=102", "b loss.clip=2 seed=101",
                  "b loss.clip=2 seed=102", "b loss.clip=3 seed=101", "b loss.clip=3 seed=102"));
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.tuning.front().points[3])),
            "{model: a, data: {sessions: 50}, optimizer: {lr: 0.01}, seed: 102}");
  EXPECT_THAT(
      names(SmallStudy(tuned_study, {"variant=a,c", "size=10"}).study.tuning.front().points),
      ::testing::SizeIs(4))
      << "overrides leave out variants, and what is tuned stays";
}

TEST(StudyTuningTest, TheBestMeanOverSeedsIsChosen) {
  SmallStudy small(tuned_study);
  const TuningStage& stage = small.study.tuning.front();
  EXPECT_FALSE(stage.highest) << "of a loss";
  const std::vector<TunedOptions> tuned =
      choose_options(stage, results(stage, [](const std::string& name) {
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
  const TuningStage& stage = small.study.tuning.front();
  EXPECT_TRUE(stage.highest) << "of nDCG";
  EXPECT_THAT(
      names(stage.points),
      ElementsAre("size=10 optimizer.lr=0.1 seed=101", "size=10 optimizer.lr=0.01 seed=101",
                  "size=100 optimizer.lr=0.1 seed=101", "size=100 optimizer.lr=0.01 seed=101"));
  const std::vector<TunedOptions> tuned =
      choose_options(stage, results(stage, [](const std::string& name) {
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
              choose_options(small.study.tuning.front(),
                             results(small.study.tuning.front(), [](const std::string& name) {
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
  EXPECT_THAT(message(head + "variants: {a: {tune: {a.b: [1]}}}}"),
              HasSubstr("small.yaml:1:103: variant a has a section tune and the study none; "
                        "expected one of the study, too"));
  EXPECT_THAT(message(tuned_study, {"optimizer.lr=1"}),
              HasSubstr("'optimizer.lr' is tuned by the study; expected another option"));
}

const char* const staged_study = R"(
study: s
experiment: {optimizer: {lr: 5}}
grid: {size: {key: data.sessions, values: [10, 100]}, seed: 1..2}
tune:
  - of: a
    options: {layers: [1, 2], optimizer.lr: [0.1, 0.01]}
    at: {size: 50}
  - options: {optimizer.lr: [0.3, 0.03]}
    per: size
    seeds: 102
variants:
  a: {model: a}
  b: {model: b, tune: {loss.clip: [1]}}
  c: {model: c, tune: {optimizer.lr: }}
  d: {model: d, tune: none}
)";

TEST(StudyTuningTest, AStageTunesOneVariantForAllAndALaterOneEach) {
  SmallStudy small(staged_study);
  std::vector<TuningStage>& stages = small.study.tuning;
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_THAT(
      names(stages[0].points),
      ElementsAre("a layers=1 optimizer.lr=0.1 seed=101", "a layers=1 optimizer.lr=0.01 seed=101",
                  "a layers=2 optimizer.lr=0.1 seed=101", "a layers=2 optimizer.lr=0.01 seed=101"));
  EXPECT_THAT(
      names(stages[1].points),
      ElementsAre("a size=10 optimizer.lr=0.3 seed=102", "a size=10 optimizer.lr=0.03 seed=102",
                  "a size=100 optimizer.lr=0.3 seed=102", "a size=100 optimizer.lr=0.03 seed=102",
                  "b size=10 optimizer.lr=0.3 seed=102", "b size=10 optimizer.lr=0.03 seed=102",
                  "b size=100 optimizer.lr=0.3 seed=102", "b size=100 optimizer.lr=0.03 seed=102"))
      << "own options, such as none for c, are those of the last stage";

  const std::vector<TunedOptions> first =
      choose_options(stages[0], results(stages[0], [](const std::string& name) {
                       return name == "a layers=2 optimizer.lr=0.01 seed=101" ? 1. : 2.;
                     }));
  ASSERT_EQ(first.size(), 1u);
  apply_tuning(first, stages[1]);
  EXPECT_EQ(one_line_yaml(small.study.configuration(stages[1].points[5])),
            "{optimizer: {lr: 0.03}, model: b, data: {sessions: 10}, loss: {clip: 1}, seed: 102, "
            "layers: 2}")
      << "its own candidate holds over what the first stage chose";

  apply_tuning(first, small.study.points);
  apply_tuning(choose_options(stages[1], results(stages[1],
                                                 [](const std::string& name) {
                                                   return name.find("0.03") < 99 ? 1. : 2.;
                                                 })),
               small.study.points);
  const auto configuration = [&](std::size_t point) {
    return one_line_yaml(small.study.configuration(small.study.points[point]));
  };
  EXPECT_EQ(configuration(0),
            "{optimizer: {lr: 0.03}, model: a, data: {sessions: 10}, seed: 1, layers: 2}");
  EXPECT_EQ(configuration(7),
            "{optimizer: {lr: 0.03}, model: b, data: {sessions: 100}, seed: 2, "
            "layers: 2, loss: {clip: 1}}");
  EXPECT_EQ(configuration(8),
            "{optimizer: {lr: 0.01}, model: c, data: {sessions: 10}, seed: 1, layers: 2}")
      << "a rate that no later stage tunes is adopted";
  EXPECT_EQ(configuration(12), "{optimizer: {lr: 5}, model: d, data: {sessions: 10}, seed: 1}");
}

TEST(StudyTuningTest, OptionsAreAdoptedWhereTheyWereChosen) {
  SmallStudy small(R"(
study: s
experiment: {}
grid: {size: {key: data.sessions, values: [10, 100]}}
tune: {of: a, options: {layers: [1, 2]}, per: size}
variants: {a: , b: {model: b}}
)");
  const TuningStage& stage = small.study.tuning.front();
  const std::vector<TunedOptions> tuned =
      choose_options(stage, results(stage, [](const std::string& name) {
                       return name == "a size=100 layers=2 seed=101" ? 1. : 2.;
                     }));
  ASSERT_EQ(tuned.size(), 2u);
  EXPECT_EQ(find_options(tuned, small.study.points[2]), &tuned[0]);
  apply_tuning(tuned, small.study.points);
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[2])),
            "{model: b, data: {sessions: 10}, layers: 1}");
  EXPECT_EQ(one_line_yaml(small.study.configuration(small.study.points[3])),
            "{model: b, data: {sessions: 100}, layers: 2}");
}

TEST(StudyTuningTest, AVariantThatOthersAdoptFromIsTunedIfItIsLeftOut) {
  const SmallStudy small(staged_study, {"variant=b", "size=10"});
  const std::vector<TuningStage>& stages = small.study.tuning;
  EXPECT_THAT(names(stages[0].points), ::testing::Each(::testing::StartsWith("a layers=")));
  EXPECT_THAT(names(stages[1].points),
              ElementsAre("b optimizer.lr=0.3 seed=102", "b optimizer.lr=0.03 seed=102"));
  EXPECT_THAT(names(small.study.points), ElementsAre("b seed=1", "b seed=2"));
}

TEST(StudyTuningTest, ErrorsOfStagesNameTheirLocation) {
  const std::string head =
      "{study: s, experiment: {}, grid: {size: {key: x.y, values: [1, 2]}}, "
      "variants: {a: , b: {grid: {size: 1}}, c: {grid: {size: [1]}}, d: {tune: none}}, tune: ";
  EXPECT_THAT(message(head + "[]}"), HasSubstr("small.yaml:1:156: tune has no stages"));
  EXPECT_THAT(message(head + "[3]}"), HasSubstr("small.yaml:1:157: tune is no section"));
  EXPECT_THAT(message(head + "[{options: {o: 1}, per: size}, {}]}"),
              HasSubstr("small.yaml:1:187: tune has no options for any variant"));
  EXPECT_THAT(message(head + "{of: aa, options: {o: 1}}}"),
              HasSubstr("small.yaml:1:161: unknown variant 'aa'; did you mean 'a'?"));
  EXPECT_THAT(message(head + "{of: d, options: {o: 1}}}"),
              HasSubstr("small.yaml:1:161: tune.of is d, which has tune: none"));
  EXPECT_THAT(message(head + "[{of: a, options: {o: 1}}, {options: {o: 1}, per: size}]}"),
              HasSubstr("small.yaml:1:157: tune leaves size open"));
  EXPECT_THAT(message(head + "[{options: {o: 1}, per: size}, {of: b, options: {o: 2}}]}"),
              HasSubstr("small.yaml:1:187: tune has the option o of b for all variants, which an "
                        "earlier stage tunes for each"));
  EXPECT_THAT(message(head + "{of: a, options: {o: 1}, per: size}}"),
              HasSubstr("small.yaml:1:156: tune has options per size, but none for variant=b;"));
  EXPECT_THAT(
      message(head + "{of: c, options: {o: 1}, per: size}}"),
      HasSubstr("tune has options per size, but none for variant=a, size=2; expected values"));
  EXPECT_THAT(message("{study: s, experiment: {}, grid: {size: {key: x.y, values: [1, 2]}}, tune: "
                      "[{options: {o: 1}, per: size}, {options: {p: 1}, at: {size: 3}}]}"),
              HasSubstr("tune has options per size, but none for size=3"));
  EXPECT_THAT(message("{study: s, experiment: {}, variants: {a: , b: {tune: {o: 1}}}, "
                      "tune: {of: a, options: {o: 2}}}"),
              HasSubstr("small.yaml:1:54: variant b has options of its own to tune, but the last "
                        "stage of tune is of a for all"));
  EXPECT_THAT(message("{study: s, experiment: {}, tune: {of: a, options: {o: 2}}}"),
              HasSubstr("unknown variant 'a'; there is none"));
  EXPECT_THAT(message(staged_study, {"layers=1"}),
              HasSubstr("'layers' is tuned by the study; expected another option"));
}

TEST(StudyTuningTest, NamedSetsOfOptionsAreTunedToo) {
  EXPECT_THAT(message("{study: s, experiment: {}, "
                      "tune: {options: {tower: {values: {small: {loss.widths: [1]}}}}}}",
                      {"loss.widths=[2]"}),
              HasSubstr("'loss.widths' is tuned by the study; expected another option"));
}

}  // namespace
}  // namespace ultr::study_tuning_test
