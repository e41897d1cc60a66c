#include "studies/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::study_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StudyTest : public ::testing::Test {
 protected:
  Study read(const std::string& yaml, const std::vector<std::string>& overrides = {}) const {
    return read_study(folder_.write("s.yaml", yaml), overrides);
  }
  std::string message(const std::string& yaml,
                      const std::vector<std::string>& overrides = {}) const {
    return config_message([&] { read(yaml, overrides); });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(StudyTest, IsReadFromItsFile) {
  const Study study = read(R"(
study: bias
title: A title
paper: T fig. 4.2
experiment: {model: pbm}
measures: {ppl: test.ppl, ndcg@10: {path: test.ranking.ndcg@10, label: nDCG}}
expect:
  - ppl < 2
  - {that: ppl > 1, why: it is at least 1}
figures:
  - {x: rank, y: ppl}
)");
  EXPECT_EQ(study.name, "bias");
  EXPECT_EQ(study.title, "A title");
  EXPECT_EQ(study.paper, "T fig. 4.2");
  EXPECT_EQ(study.find_measure("ndcg@10")->path, "test.ranking.ndcg@10");
  EXPECT_EQ(study.find_measure("ndcg@10")->label, "nDCG");
  EXPECT_EQ(study.find_measure("ndcg"), nullptr);
  ASSERT_EQ(study.expectations.size(), 2u);
  EXPECT_EQ(study.expectations[1].claim.text, "ppl > 1");
  EXPECT_EQ(study.expectations[1].why, "it is at least 1");
  EXPECT_FALSE(study.narrowed);
}

TEST_F(StudyTest, AConfigurationHasAllSettingsOfItsPoint) {
  const Study study = read(R"(
study: s
experiment: {model: {type: pbm}, train: {epochs: 3}}
grid: {lr: {key: optimizer.lr, values: [0.1]}, seed: [7]}
variants: {dbn: {model: {type: dbn, attraction: table}, train.epochs: 5}}
)");
  const ConfigNode config = study.configuration(study.grid.points().front());
  EXPECT_EQ(one_line_yaml(config),
            "{model: {type: dbn, attraction: table}, train: {epochs: 5}, optimizer: {lr: 0.1}, "
            "seed: 7}");
  EXPECT_THAT(config.find("model")->where, HasSubstr("s.yaml:5:25"));
}

TEST_F(StudyTest, AnAnalysisTakesThePlaceOfTheSectionsThatItReplaces) {
  const Study study = read(R"(
study: s
experiment: {data: {format: simulation}, loss: naive, train: {epochs: 3}, threads: 1}
grid: {seed: [7]}
variants: {naive: {}, trees: {analysis: {type: lambdamart}}, lists: {analysis.lists: 5}}
)");
  const auto config = [&](std::size_t point) {
    return one_line_yaml(study.configuration(study.grid.points().at(point)));
  };
  const std::string all =
      "data: {format: simulation}, loss: naive, train: {epochs: 3}, threads: 1, ";
  EXPECT_EQ(config(0), "{" + all + "seed: 7}");
  EXPECT_EQ(config(1), "{threads: 1, analysis: {type: lambdamart}, seed: 7}");
  EXPECT_EQ(config(2), "{" + all + "analysis: {lists: 5}, seed: 7}") << "an option of an analysis";
}

TEST_F(StudyTest, OverridesSetAxesTheOutputAndOptions) {
  const std::string yaml =
      "{study: s, experiment: {train: {epochs: 3}}, grid: {lr: {key: optimizer.lr, values: [1]}, "
      "seed: [1]}}";
  const Study study = read(yaml, {"lr=0.1,0.2", "train.epochs=9", "output=/tmp/x", "threads=1"});
  EXPECT_EQ(study.output, "/tmp/x");
  EXPECT_EQ(one_line_yaml(study.configuration(study.grid.points().front())),
            "{train: {epochs: 9}, optimizer: {lr: 0.1}, seed: 1, threads: 1}");
  EXPECT_THAT(study.grid.values_of("lr"), ElementsAre("0.1", "0.2"));
  EXPECT_TRUE(study.narrowed);
  EXPECT_FALSE(read(yaml, {"threads=1"}).narrowed);
  EXPECT_THAT(message(yaml, {"train.epochs=1,2"}),
              HasSubstr("'train.epochs' is no axis of the study; expected one value, or values of "
                        "lr, seed or variant"));
  EXPECT_THAT(message(yaml, {"optimizer.lr=1"}), HasSubstr("'optimizer.lr' is set by an axis"));
  EXPECT_THAT(message(yaml, {"lr"}), HasSubstr("option 'lr': expected key=value"));
}

TEST_F(StudyTest, OverridesReplaceSettingsOfVariants) {
  const Study study =
      read("{study: s, experiment: {}, variants: {a: {train.epochs: 3}, b: {train: {epochs: 4}}}}",
           {"train.epochs=9"});
  for (const StudyPoint& point : study.grid.points())
    EXPECT_EQ(one_line_yaml(study.configuration(point)), "{train: {epochs: 9}}");
}

TEST_F(StudyTest, ErrorsNameTheirLocation) {
  EXPECT_THAT(message("{study: s, experiment: {}, expct: []}"),
              HasSubstr("s.yaml:1:28: unknown key 'expct' of a study; did you mean 'expect'?"));
  EXPECT_THAT(message("study: s"), HasSubstr("experiment is missing; expected a configuration"));
  EXPECT_THAT(message("{study: s, experiment: 3}"),
              HasSubstr("s.yaml:1:24: experiment is no section"));
  EXPECT_THAT(message("{study: a/b, experiment: {}}"),
              HasSubstr("study is 'a/b'; expected a name"));
  EXPECT_THAT(message("{study: [1], experiment: {}}"), HasSubstr("study is no text"));
  EXPECT_THAT(message("{study: s, experiment: {}, expect: a > 1}"), HasSubstr("expect is no list"));
  EXPECT_THAT(message("{study: s, experiment: {}, expect: [a >]}"),
              HasSubstr("s.yaml:1:37: found the end"));
  EXPECT_THAT(message("{study: s, experiment: {}, expect: [{why: x}]}"),
              HasSubstr("that is missing"));
  EXPECT_THAT(message("{study: s, experiment: {}, measures: {a b: x}}"), HasSubstr("'b' in 'a b'"));
  EXPECT_THAT(message("{study: s, experiment: {}, measures: {a: }}"), HasSubstr("a has no path"));
  EXPECT_THAT(message("{study: s, experiment: {}, measures: {a: x}, variants: {a: {}}}"),
              HasSubstr("measure a has the name of a variant"));
}

TEST(IsStudyTest, TellsStudiesFromExperiments) {
  EXPECT_TRUE(is_study(parse_config("study: s", "f")));
  EXPECT_FALSE(is_study(parse_config("name: s", "f")));
}

}  // namespace
}  // namespace ultr::study_test
