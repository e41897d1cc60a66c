#include "studies/run_study.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/listening_fixture.h"
#include "testing/temporary_folder.h"

namespace ultr::run_study_test {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using testing::TemporaryFolder;

class RunStudyTest : public testing::ListeningFixture {
 protected:
  fs::path write(const std::string& rest) const {
    return folder_.write("tiny.yaml", R"(
study: tiny
paper: T fig. 0
experiment:
  data: {format: simulation, sessions: 300, valid_sessions: 50, test_sessions: 100, queries: 5,
         candidates: 6, positions: 4}
  train: {epochs: 2, batch_size: 100}
  threads: 1
grid: {sessions: {key: data.sessions, values: [100, 300]}, seed: 1..2}
variants: {pbm: {model: pbm}, gctr: {model: gctr}}
measures: {ppl: test.cond_ppl, examination: test.examination_per_rank, gone: test.gone}
)" + rest);
  }
  int run(const fs::path& study, std::vector<std::string> overrides = {},
          Action action = Action::run) {
    overrides.push_back("output=" + output_.string());
    return listen(
        [&](Registry& registry) { return run_experiment(study, overrides, action, registry); });
  }
  int resume() {
    return listen([&](Registry& registry) { return resume_experiment(output_, registry); });
  }
  nlohmann::json results() const {
    return nlohmann::json::parse(read_text(output_ / "results.json"));
  }

  TemporaryFolder folder_;
  fs::path output_ = folder_.path() / "out";
};

TEST_F(RunStudyTest, RunsEveryPointAndReportsVerdicts) {
  ASSERT_EQ(run(write(R"(
expect: [{that: ppl > 1 for all variant sessions, why: it cannot be less}]
)")),
            2)
      << "a comma is missing";
  EXPECT_THAT(warned_, HasSubstr("tiny.yaml:13:10: found 'sessions'"));
  ASSERT_EQ(run(write(R"(
expect: ["{that: 1}"]
)")),
            2);
  const std::string rest = R"(
expect:
  - {that: "ppl > 1 for all variant, sessions", why: it cannot be less}
  - pbm.examination[1] > 0 at sessions=300
figures:
  - {name: perplexity, x: sessions, y: ppl, lines: variant}
)";
  ASSERT_EQ(run(write(rest)), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("run 8 of 8: "));
  EXPECT_THAT(said_, HasSubstr("expectations: 2 held\nresults in "));
  const nlohmann::json found = results();
  EXPECT_EQ(found["study"], "tiny");
  ASSERT_EQ(found["points"].size(), 4u);
  const nlohmann::json& point = found["points"][1];
  EXPECT_EQ(point["variant"], "pbm");
  EXPECT_EQ(point["axes"]["sessions"], "300");
  EXPECT_EQ(point["runs"][1]["folder"], "pbm,sessions=300,seed=2");
  const nlohmann::json run_results =
      nlohmann::json::parse(read_text(output_ / "pbm,sessions=300,seed=2" / "results.json"));
  EXPECT_EQ(point["measures"]["ppl"]["by_seed"]["2"], run_results["test"]["cond_ppl"]);
  EXPECT_EQ(point["measures"]["examination"]["by_seed"]["2"],
            run_results["test"]["examination_per_rank"]);
  EXPECT_DOUBLE_EQ(point["measures"]["ppl"]["mean"].get<double>(),
                   (point["measures"]["ppl"]["by_seed"]["1"].get<double>() +
                    point["measures"]["ppl"]["by_seed"]["2"].get<double>()) /
                       2);
  EXPECT_EQ(point["measures"]["ppl"]["interval"].size(), 2u);
  EXPECT_TRUE(point["measures"]["gone"]["mean"].is_null());
  EXPECT_EQ(found["expectations"][0]["verdict"], "held");
  EXPECT_EQ(found["expectations"][0]["comparisons"].size(), 4u);
  EXPECT_EQ(found["expectations"][0]["comparisons"][0]["values"][1], 1);
  EXPECT_THAT(read_text(output_ / "figures" / "perplexity.svg"), HasSubstr("<svg"));
  EXPECT_THAT(read_text(output_ / "report.html"), HasSubstr("it cannot be less"));
  EXPECT_THAT(read_text(output_ / "expectations.md"),
              HasSubstr("| `tiny` | T fig. 0 | `pbm.examination[1] > 0 at sessions=300` | held |"));
}

TEST_F(RunStudyTest, ExitsWith4IfAnExpectationFails) {
  EXPECT_EQ(run(write("expect: [pbm.ppl > 1 at sessions=100, pbm.ppl < 1 at sessions=100]\n")),
            expectation_failed);
  EXPECT_THAT(said_, HasSubstr("expectations: 1 held, 1 failed\n"));
  EXPECT_EQ(results()["expectations"][1]["verdict"], "failed");
}

TEST_F(RunStudyTest, AMissingNumberFailsAnExpectation) {
  EXPECT_EQ(run(write("expect: [pbm.gone > 1 at sessions=100]\n"), {"seed=1"}), 4);
  EXPECT_EQ(results()["expectations"][0]["verdict"], "unknown");
  EXPECT_THAT(said_, HasSubstr("pbm.gone is not in the results (test.gone at sessions=100)"));
}

TEST_F(RunStudyTest, ExitsWith1IfARunFails) {
  EXPECT_EQ(run(write("expect: [pbm.ppl > 5 at sessions=100]\n"),
                {"optimizer={type: sgd, lr: 1e300}", "seed=1"}),
            1);
  EXPECT_THAT(warned_, HasSubstr("of 4 runs failed\n"));
  EXPECT_EQ(results()["expectations"][0]["verdict"], "unknown");
}

TEST_F(RunStudyTest, OverridesNarrowTheGrid) {
  EXPECT_EQ(run(write("expect: [pbm.ppl > 9 at sessions=300, gctr.ppl > 1 at sessions=150]\n"),
                {"sessions=150", "seed=1", "variant=gctr"}),
            0);
  EXPECT_THAT(said_, HasSubstr("expectations: 1 held, 1 not run\n"));
}

TEST_F(RunStudyTest, NothingIsCreatedAfterAnError) {
  EXPECT_EQ(run(write("expect: [pbm.ppl > 1 at sessions=200]\n")), 2);
  EXPECT_THAT(warned_, HasSubstr("tiny.yaml:12:10: no sessions is = '200'"));
  EXPECT_EQ(run(write(""), {"train.epochs=0"}), 2);
  EXPECT_THAT(warned_, HasSubstr("(run pbm sessions=100 seed=1)"));
  EXPECT_EQ(run(write("figures: [{x: sessions, y: ppl}]\n")), 2);
  EXPECT_EQ(run(write(""), {}, Action::check_gradients), 2);
  EXPECT_EQ(run(write("expect: [pbm.ppl > 1 at sessions=100]\n"), {}, Action::dry_run), 0);
  EXPECT_THAT(said_, HasSubstr("# tiny: 8 points, 8 runs; 1 expectations\n# expects pbm.ppl > 1"));
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(RunStudyTest, EqualPointsShareARun) {
  const fs::path study = folder_.write("shared.yaml", R"(
study: shared
experiment:
  data: {format: simulation, sessions: 200, valid_sessions: 0, test_sessions: 50, queries: 5,
         candidates: 6, positions: 4}
  model: {type: pbm, attraction: {type: embedding}}
  train: {epochs: 1}
  threads: 1
grid:
  method: {values: {hash: {model.attraction.compression: hash},
                    qr: {model.attraction.compression: quotient_remainder}}}
  ratio: {values: {1: {model.attraction: {type: embedding}}, 2: {model.attraction.ratio: 2}}}
measures: {ppl: test.ppl}
expect: ["ppl(method=hash) = ppl(method=qr) at ratio=1", ppl > 1 at ratio=2 for all method]
)");
  EXPECT_EQ(run(study), 0) << warned_ << said_;
  EXPECT_THAT(said_, HasSubstr("run 3 of 3: "));
  EXPECT_EQ(results()["points"][2]["runs"][0]["folder"], "method=hash,ratio=1");
  EXPECT_EQ(resume(), 0) << warned_;
}

TEST_F(RunStudyTest, TunesOptionsBeforeTheRunsOfThePoints) {
  const fs::path study = write(R"(
tune: {options: {optimizer.lr: [1e300, 0.1, 1e-9]}, at: {sessions: 100}}
expect: ["pbm.ppl < gctr.ppl + 9 for all sessions"]
)");
  ASSERT_EQ(run(study, {"seed=1", "optimizer.type=sgd"}), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("tuning: 6 runs\n"));
  EXPECT_THAT(said_, HasSubstr("valid.loss"));
  nlohmann::json found = results();
  ASSERT_EQ(found["tuning"]["places"].size(), 2u);
  const nlohmann::json pbm = found["tuning"]["places"][0];
  EXPECT_EQ(pbm["place"]["variant"], "pbm");
  EXPECT_EQ(pbm["chosen"]["optimizer.lr"], "0.1");
  EXPECT_TRUE(pbm["candidates"][0]["mean"].is_null()) << "training with it failed";
  EXPECT_GT(pbm["candidates"][2]["mean"], pbm["candidates"][1]["mean"]);
  EXPECT_THAT(read_text(output_ / "pbm,sessions=300,seed=1" / "config.yaml"),
              HasSubstr("  lr: 0.1\n"));
  EXPECT_THAT(read_text(output_ / "report.html"), HasSubstr("Tuning"));
  EXPECT_THAT(read_text(output_ / "tuning.md"),
              HasSubstr("| `tiny` | variant=pbm | optimizer.lr=0.1 | "));

  // A study that is stopped after tuning tunes nothing again.
  for (const char* file : {"results.json", "sweep.txt", "points.txt"}) fs::remove(output_ / file);
  for (const char* folder : {"pbm,sessions=100,seed=1", "pbm,sessions=300,seed=1",
                             "gctr,sessions=100,seed=1", "gctr,sessions=300,seed=1"})
    fs::remove_all(output_ / folder);
  said_.clear();
  ASSERT_EQ(resume(), 0) << warned_;
  EXPECT_THAT(said_, Not(HasSubstr("run 1 of 6")));
  EXPECT_THAT(said_, HasSubstr("run 4 of 4"));
  found["seconds"] = 0;
  nlohmann::json again = results();
  again["seconds"] = 0;
  EXPECT_EQ(again, found);
}

TEST_F(RunStudyTest, StagesOfTuningFollowEachOther) {
  const fs::path study = write(R"(
tune:
  - {of: gctr, options: {optimizer.type: [adam, sgd], optimizer.lr: [1e-9, 0.1]}, at: {sessions: 100}}
  - {options: {optimizer.lr: [1e-9, 0.01]}, at: {sessions: 100}}
expect: ["pbm.ppl < gctr.ppl + 9 for all sessions"]
)");
  EXPECT_EQ(run(study, {"seed=1"}, Action::dry_run), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("# tiny: 4 points, 4 runs; 8 runs of tuning; 1 expectations\n"));
  said_.clear();
  ASSERT_EQ(run(study, {"seed=1"}), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("tuning, stage 1 of 2: 4 runs\n"));
  EXPECT_THAT(said_, HasSubstr("tuning, stage 2 of 2: 4 runs\n"));
  EXPECT_THAT(said_, HasSubstr("gctr for all  "));
  nlohmann::json found = results();
  ASSERT_EQ(found["tuning"].size(), 2u);
  EXPECT_EQ(found["tuning"][0]["of"], "gctr");
  EXPECT_EQ(found["tuning"][0]["adopted_by"], nlohmann::json({"pbm", "gctr"}));
  const std::string type = found["tuning"][0]["places"][0]["chosen"]["optimizer.type"];
  EXPECT_EQ(found["tuning"][1]["places"][0]["chosen"]["optimizer.lr"], "0.01");
  for (const char* of_pbm : {"tuning/2/pbm,optimizer.lr=1e-9,seed=101", "pbm,sessions=300,seed=1"})
    EXPECT_THAT(read_text(output_ / of_pbm / "config.yaml"), HasSubstr("type: " + type + "\n"));
  EXPECT_THAT(read_text(output_ / "pbm,sessions=300,seed=1" / "config.yaml"),
              HasSubstr("  lr: 0.01\n"));
  const std::string report = read_text(output_ / "report.html");
  EXPECT_THAT(report, HasSubstr("Tuning, stage 1 of 2"));
  EXPECT_THAT(report, HasSubstr("Those of gctr hold for all variants"));
  EXPECT_THAT(read_text(output_ / "tuning.md"),
              HasSubstr("| `tiny` | stage=2, variant=pbm | optimizer.lr=0.01 | "));

  // A study that is stopped in the second stage repeats nothing of the first.
  for (const char* file : {"results.json", "sweep.txt", "points.txt"}) fs::remove(output_ / file);
  fs::remove(output_ / "tuning/2/pbm,optimizer.lr=0.01,seed=101/results.json");
  said_.clear();
  ASSERT_EQ(resume(), 0) << warned_;
  EXPECT_THAT(said_, Not(HasSubstr("run 1 of 4: gctr")));
  EXPECT_THAT(said_, HasSubstr("stage 2 of 2: 4 runs\n\nrun 1 of 1: pbm,optimizer.lr=0.01"));
  nlohmann::json again = results();
  again["seconds"] = found["seconds"] = 0;
  EXPECT_EQ(again, found);
}

TEST_F(RunStudyTest, RunsOfTuningStayIfNoneOfThemCanBeChosen) {
  const fs::path study = write(R"(
tune: [{of: gctr, options: {optimizer.lr: [1e300]}, at: {sessions: 100}},
       {options: {optimizer.lr: [0.1]}, at: {sessions: 100}}]
)");
  EXPECT_EQ(run(study, {"seed=1", "optimizer.type=sgd"}), 3);
  EXPECT_THAT(warned_, HasSubstr("tuning of variant=gctr: no candidate has valid.loss"));
  EXPECT_TRUE(fs::exists(output_ / "tuning/1/gctr,seed=101/failed.txt")) << said_;
}

TEST_F(RunStudyTest, UsersAreFittedBeforeTheRunsThatNeedThem) {
  const fs::path study = folder_.write("users.yaml", R"(
study: users
first:
  fitted:
    data: {format: simulation, user: dbn, sessions: 300, valid_sessions: 0, test_sessions: 0, queries: 3}
    model: ubm
    train: {epochs: 1}
experiment:
  data: {format: feature_lists, reader: {type: synthetic, train_queries: 5, valid_queries: 2, test_queries: 2},
         scaling: {log1p: true, standardise: true},
         learn_from: {type: simulated_clicks, sessions: 50, aggregate: false,
                      user: {type: fitted_click_model, run: first/fitted}}}
  loss: {type: naive, relevance: linear}
  train: {epochs: 1}
  threads: 1
measures: {loss: test.loss}
expect: [loss > 0]
)");
  ASSERT_EQ(run(study, {"threads=1"}), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("first: 1 run\n"));
  EXPECT_THAT(read_text(output_ / "run" / "config.yaml"),
              HasSubstr("run: " + (output_ / "first" / "fitted").string()));
  fs::remove(output_ / "run" / "results.json");
  ASSERT_EQ(resume(), 0) << warned_;

  output_ = folder_.path() / "dry";
  EXPECT_EQ(run(study, {}, Action::dry_run), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("# users: 1 points, 1 runs; 1 first; 1 expectations\n"));
  EXPECT_EQ(run(study, {"data.learn_from.user.run=first/other"}), 3);
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(RunStudyTest, AFreshRunRaisesEverySeed) {
  const fs::path study = folder_.write("fresh.yaml", R"(
study: fresh
experiment:
  data: {format: feature_lists, reader: {type: synthetic, train_queries: 5, valid_queries: 2, test_queries: 2},
         learn_from: {type: simulated_clicks, sessions: 50}}
  loss: {type: naive, relevance: linear}
  train: {epochs: 1}
  threads: 1
grid: {seed: 1..2}
measures: {loss: test.loss}
expect: [loss > 0]
)");
  ASSERT_EQ(run(study, {"fresh=3"}), 0) << warned_;
  const std::string config = read_text(output_ / "seed=2" / "config.yaml");
  EXPECT_THAT(config, HasSubstr("\nseed: 3002\n"));
  EXPECT_THAT(config, HasSubstr("seed: 3001\n")) << "made-up lists have the default seed 1";
  EXPECT_THAT(read_text(output_ / "report.html"), HasSubstr("Fresh run 3."));
  const double loss = results()["points"][0]["measures"]["loss"]["mean"];

  fs::remove(output_ / "seed=2" / "results.json");
  ASSERT_EQ(resume(), 0) << warned_;
  EXPECT_EQ(results()["points"][0]["measures"]["loss"]["mean"], loss);

  output_ = folder_.path() / "first";
  ASSERT_EQ(run(study, {"fresh=0"}), 0) << warned_;
  EXPECT_NE(results()["points"][0]["measures"]["loss"]["mean"], loss);
  EXPECT_EQ(run(study, {"fresh=1.5"}), 2);
  EXPECT_THAT(warned_, HasSubstr("fresh is '1.5'; expected a whole number from 0"));
}

TEST_F(RunStudyTest, ResumeRunsTheRemainingPoints) {
  ASSERT_EQ(run(write("expect: [pbm.ppl < 1 at sessions=100]\n"), {"seed=1"}), 4) << warned_;
  const std::string before =
      read_text(output_ / "pbm,sessions=100,seed=1" / "model" / "attraction.npy");
  for (const char* name : {"results.json", "report.html"})
    fs::remove(output_ / "pbm,sessions=100,seed=1" / name);
  fs::remove(output_ / "results.json");
  EXPECT_EQ(resume(), 4) << warned_;
  EXPECT_THAT(said_, HasSubstr("run 1 of 1: pbm,sessions=100,seed=1\n"));
  EXPECT_EQ(read_text(output_ / "pbm,sessions=100,seed=1" / "model" / "attraction.npy"), before);

  // What is expected may be corrected, what is run may not.
  std::string text = read_text(output_ / "study.yaml");
  text.replace(text.find("ppl < 1"), 7, "ppl > 1");
  folder_.write("out/study.yaml", text);
  EXPECT_EQ(resume(), 0) << warned_;
  EXPECT_THAT(said_, Not(HasSubstr("run 1 of")));
  text.replace(text.find("[100, 300]"), 10, "[100, 400]");
  folder_.write("out/study.yaml", text);
  EXPECT_EQ(resume(), 2);
  EXPECT_THAT(warned_, HasSubstr("run pbm sessions=400 seed=1 is not one of those"));
}

}  // namespace
}  // namespace ultr::run_study_test
