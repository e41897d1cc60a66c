#include "studies/choice/choose_models.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "runs/results/run_results.h"
#include "studies/planned_runs.h"
#include "testing/listening_fixture.h"
#include "testing/run_folders.h"
#include "testing/xml.h"

namespace ultr::choose_models_test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

constexpr const char* gradients = "optimizer: {type: adamw, lr: 0.05}\n";

class ChooseModelsTest : public testing::ListeningFixture {
 protected:
  /// Writes a tiny experiment on sessions of a user, and returns its file.
  fs::path config(const std::string& user = "pbm", const std::string& more = "optimizer: em\n") {
    return folder_.write("tiny.yaml", fmt::format(R"(
name: tiny
data: {{format: simulation, user: {}, sessions: 2000, valid_sessions: 600, test_sessions: 300,
       queries: 25, candidates: 6, positions: 5}}
train: {{epochs: 10, batch_size: 200}}
threads: 2
{}
)",
                                                  user, more));
  }
  int choose(ChoiceRequest request) {
    if (request.config.empty()) request.config = config();
    request.overrides.push_back("output=" + output_.string());
    return listen([&](Registry& registry) { return choose_models(request, registry); });
  }
  int resume() {
    return listen([&](Registry& registry) { return resume_choice(output_, registry); });
  }
  nlohmann::json results() const {
    return nlohmann::json::parse(read_text(output_ / "results.json"));
  }
  std::vector<std::string> models_in(const nlohmann::json& list) const {
    std::vector<std::string> models;
    for (const auto& model : list) models.push_back(model["model"]);
    return models;
  }

  TemporaryFolder folder_;
  fs::path output_ = folder_.path() / "out";
};

TEST_F(ChooseModelsTest, FitsEveryModelAndWritesWhatItFound) {
  ASSERT_EQ(choose({}), 0) << warned_;
  const nlohmann::json json = results();
  std::vector<std::string> all = models_in(json["models"]);
  for (const std::string& model : models_in(json["not_fitted"])) all.push_back(model);
  for (const ModelType& type : model_types()) {
    EXPECT_THAT(all, Contains(type.name));
    EXPECT_THAT(said_, HasSubstr(type.name));
  }
  EXPECT_EQ(all.size(), model_types().size());
  EXPECT_THAT(models_in(json["not_fitted"]),
              ElementsAre("two_tower", "dwell_dbn", "cm", "viewed_pbm", "skipped_pbm"));
  EXPECT_THAT(json["not_fitted"][0]["reason"].get<std::string>(), HasSubstr("adds logits up"));
  EXPECT_THAT(json["not_fitted"][2]["reason"].get<std::string>(), HasSubstr("impossible"));
  for (const char* file : {"models.csv", "patterns.csv", "report.html", "sweep.txt", "choice.txt",
                           "dbn/results.json", "dbn/report.html", "cm/failed.txt"})
    EXPECT_TRUE(fs::exists(output_ / file)) << file;
  EXPECT_EQ(json["for_prediction"], json["models"][0]["model"]);
  EXPECT_EQ(json["models"][0]["verdict"], "best");
  EXPECT_EQ(json["pairs"], "queries");
  EXPECT_THAT(said_, HasSubstr("For prediction: " + json["for_prediction"].get<std::string>()));
  EXPECT_THAT(said_, HasSubstr("not fitted\n- two_tower: "));
  EXPECT_THAT(said_, EndsWith("report in " + (output_ / "report.html").string() + "\n"));
}

TEST_F(ChooseModelsTest, ModelsAreSortedAndTestedAgainstTheBest) {
  ASSERT_EQ(choose({.models = {"gctr", "rctr", "pbm", "ubm"}}), 0) << warned_;
  const auto models = results()["models"];
  double before = 0;
  for (std::size_t m = 0; m < models.size(); ++m) {
    EXPECT_GE(models[m]["cond_ppl"], before);
    before = models[m]["cond_ppl"];
    EXPECT_EQ(models[m]["test"].is_null(), m == 0);
    if (m == 0) continue;
    const double p = models[m]["test"]["p"], corrected = models[m]["test"]["corrected_p"];
    EXPECT_DOUBLE_EQ(corrected, std::min(1.0, 3 * p)) << "three tests";
    EXPECT_GT(models[m]["test"]["pairs"].get<int>(), 20);
    EXPECT_LE(models[m]["test"]["pairs"].get<int>(), 25);
    EXPECT_EQ(models[m]["verdict"], corrected < 0.05 ? "worse" : "as good");
  }
  EXPECT_EQ(models.back()["model"], "gctr");
  EXPECT_EQ(models.back()["verdict"], "worse");
}

TEST_F(ChooseModelsTest, TheReportLinksToTheRunsAndItsTablesScroll) {
  ASSERT_EQ(choose({.models = {"gctr", "pbm", "ubm"}}), 0) << warned_;
  const auto html = testing::parse_xml(read_text(output_ / "report.html"));
  std::vector<std::string> links;
  for (const auto* link : html.first("table").all("a")) links.push_back(link->attribute("href"));
  EXPECT_THAT(links,
              UnorderedElementsAre("gctr/report.html", "pbm/report.html", "ubm/report.html"));
  for (const std::string& link : links) EXPECT_TRUE(fs::exists(output_ / link)) << link;
  for (const std::string& link : links)
    EXPECT_EQ(std::ranges::count_if(html.all("a"),
                                    [&](const auto* a) { return a->attribute("href") == link; }),
              2)
        << link << ", beside the results and the assumptions";
  EXPECT_EQ(html.all("div", "scroll").size(), html.all("table").size());
  EXPECT_EQ(html.all("details", "numbers").size(), 3u) << "the numbers of each pattern";
  EXPECT_EQ(html.first("table").all("svg", "icon chosen").size(), 1u);
  EXPECT_EQ(html.first("table").all("tr").back()->all("svg", "icon bad").size(), 1u) << "gctr";
}

TEST_F(ChooseModelsTest, CountsInTheReportHaveSeparatorsOfThousands) {
  ASSERT_EQ(choose({.overrides = {"data.valid_sessions=1200"}, .models = {"gctr", "pbm"}}), 0)
      << warned_;
  const std::string text = read_text(output_ / "report.html");
  EXPECT_THAT(text, HasSubstr("2 models on 2,000 training and 1,200 validation sessions."));
  EXPECT_THAT(text, HasSubstr("the perplexity of the 1,200 validation sessions"));
  EXPECT_THAT(text, HasSubstr("1,200</td>")) << "documents at each rank";
  EXPECT_THAT(text, Not(HasSubstr("1200")));
}

TEST_F(ChooseModelsTest, PerplexitiesAreThoseOfTheRuns) {
  ASSERT_EQ(choose({.models = {"pbm", "dbn"}}), 0) << warned_;
  for (const nlohmann::json all = results(); const auto& model : all["models"]) {
    const std::vector<fs::path> run = {output_ / model["model"].get<std::string>()};
    const RunResults measured = read_runs(run).front();
    EXPECT_EQ(model["cond_ppl"].get<double>(), measured.metrics.at("valid.cond_ppl"));
    EXPECT_EQ(model["ppl"].get<double>(), measured.metrics.at("valid.ppl"));
    EXPECT_EQ(model["test_cond_ppl"].get<double>(), measured.metrics.at("test.cond_ppl"));
  }
}

/// Sessions that a model samples show its assumptions.
TEST_F(ChooseModelsTest, PatternsAreThoseOfTheModels) {
  ASSERT_EQ(choose({.config = config("pbm", gradients), .models = {"cm", "gctr", "pbm"}}), 0)
      << warned_;
  const auto patterns = results()["patterns"];
  for (const double rate : patterns["click_rate_after_click"]["models"]["cm"]) EXPECT_EQ(rate, 0);
  const auto by_clicks = patterns["sessions_by_clicks"]["models"]["cm"];
  EXPECT_NEAR(by_clicks[0].get<double>() + by_clicks[1].get<double>(), 1, 1e-12);
  const auto gctr = patterns["click_rate_by_rank"]["models"]["gctr"],
             observed = patterns["click_rate_by_rank"]["observed"];
  EXPECT_NEAR(gctr[0].get<double>(), gctr[4].get<double>(), 0.02);
  EXPECT_GT(observed[0].get<double>(), 2 * observed[4].get<double>());
  EXPECT_THAT(said_, HasSubstr("They refute models under which some clicks are impossible: cm ("));
}

TEST_F(ChooseModelsTest, RelevanceNeedsAModelThatTellsItFromRank) {
  ASSERT_EQ(choose({.models = {"gctr", "rctr", "dctr", "drctr"}}), 0) << warned_;
  EXPECT_TRUE(results()["for_relevance"].is_null());
  for (const nlohmann::json all = results(); const auto& model : all["models"])
    EXPECT_FALSE(model["separates_relevance"].get<bool>()) << model["model"];
  fs::remove_all(output_);
  ASSERT_EQ(choose({.config = config("pbm", gradients),
                    .models = {"pbm", "two_tower", "cm", "dbn", "ubm", "mixture"}}),
            0)
      << warned_;
  for (const nlohmann::json all = results(); const auto& model : all["models"])
    EXPECT_TRUE(model["separates_relevance"].get<bool>()) << model["model"];
}

TEST_F(ChooseModelsTest, UsersWhoStopAfterAClickAreDescribed) {
  ASSERT_EQ(choose({.config = config("cm"), .models = {"pbm", "cm", "dbn"}}), 0) << warned_;
  EXPECT_THAT(said_, HasSubstr("A click makes further clicks less likely: below a click, 0.00% of "
                               "the documents are clicked, where pbm, which ignores clicks above, "
                               "expects "));
  EXPECT_THAT(said_, HasSubstr("0.00% of the sessions with a click have several."));
}

TEST_F(ChooseModelsTest, IndependentClicksAreDescribed) {
  ASSERT_EQ(choose({.config = config("pbm"),
                    .overrides = {"data.sessions=8000", "data.valid_sessions=4000"},
                    .models = {"pbm", "dbn"}}),
            0)
      << warned_;
  EXPECT_THAT(said_, HasSubstr("A click makes little difference to those that follow"));
  EXPECT_THAT(said_, HasSubstr("users look less at lower ranks"));
}

TEST_F(ChooseModelsTest, FewQueriesArePairedBySession) {
  ASSERT_EQ(choose({.overrides = {"data.queries=3"}, .models = {"gctr", "pbm"}}), 0) << warned_;
  EXPECT_EQ(results()["pairs"], "sessions");
  EXPECT_EQ(results()["models"][1]["test"]["pairs"].get<int>(), 600);
  EXPECT_THAT(said_, HasSubstr("fewer than 20 queries"));
}

/// Writes an experiment on 2000 sessions that show four documents at positions 3 to 6.
fs::path without_first_ranks(const TemporaryFolder& folder) {
  std::string csv = "session,query,document,position,click\n";
  std::uint64_t state = 1;
  const auto percent = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % 100;
  };
  for (std::uint64_t i = 0; i < 2000; ++i)
    for (std::uint64_t k = 0; k < 4; ++k) {
      const std::uint64_t document = (k + i / 25) % 4;
      csv += fmt::format("s{},q{},d{},{},{}\n", i, i % 25, document, k + 3,
                         percent() < (20 + 20 * document) / (k + 1) ? 1 : 0);
    }
  folder.write("clicks.csv", csv);
  return folder.write("late.yaml",
                      "data: {format: table, train: clicks.csv, first_position: 1, split: {valid: "
                      "0.2}}\ntrain: {epochs: 10, batch_size: 200}\nthreads: 2\noptimizer: em\n");
}

TEST_F(ChooseModelsTest, RanksAreRelativeToTheFirstThatIsShown) {
  ASSERT_EQ(choose({.config = without_first_ranks(folder_), .models = {"pbm", "dbn"}}), 0)
      << warned_;
  for (const nlohmann::json all = results(); const auto& model : all["models"])
    EXPECT_TRUE(model["separates_relevance"].get<bool>()) << model["model"];
  EXPECT_THAT(said_, AllOf(HasSubstr("% of the documents at rank 3 and "), Not(HasSubstr("nan%"))));
  const std::string text = read_text(output_ / "report.html");
  EXPECT_THAT(text, AllOf(HasSubstr("Examination by rank, relative to rank 3"),
                          Not(HasSubstr("relative to rank 1")), Not(HasSubstr("no data"))));
}

TEST_F(ChooseModelsTest, OneSessionDoesNotAllowTests) {
  ASSERT_EQ(choose({.overrides = {"data.valid_sessions=1"}, .models = {"gctr", "pbm"}}), 0)
      << warned_;
  EXPECT_EQ(results()["models"][1]["verdict"], "not tested");
  EXPECT_THAT(said_, HasSubstr("One validation session does not allow tests of the others."));
  EXPECT_THAT(said_, AllOf(Not(HasSubstr("Within noise")), Not(HasSubstr("more than noise")),
                           Not(HasSubstr("tests pair sessions"))));
}

/// Results are those of runs one after the other.
TEST_F(ChooseModelsTest, ModelsFittedAtTheSameTimeHaveTheSameResults) {
  const std::vector<std::string> models = {"pbm", "dbn", "ubm", "dctr"};
  ASSERT_EQ(choose({.models = models, .at_once = 1}), 0) << warned_;
  const auto one_by_one = results();
  const std::string attraction = read_text(output_ / "dbn/model/attraction.npy");
  fs::remove_all(output_);
  ASSERT_EQ(choose({.models = models, .at_once = 4}), 0) << warned_;
  EXPECT_EQ(read_text(output_ / "dbn/model/attraction.npy"), attraction);
  EXPECT_EQ(results()["patterns"], one_by_one["patterns"]);
  EXPECT_EQ(results()["choice"], one_by_one["choice"]);
}

TEST_F(ChooseModelsTest, TheConfiguredModelKeepsItsOptions) {
  const fs::path file =
      config("pbm", "optimizer: em\nmodel: {type: dbn, continuation: {start: 0.7}}");
  ASSERT_EQ(choose({.config = file, .models = {"pbm", "dbn"}}), 0) << warned_;
  EXPECT_THAT(read_text(output_ / "dbn/config.yaml"), HasSubstr("start: 0.7"));
  EXPECT_THAT(read_text(output_ / "pbm/config.yaml"), Not(HasSubstr("continuation")));
}

/// Two components that start the same stay the same.
TEST_F(ChooseModelsTest, WarningsOfRunsAreInEveryOutput) {
  const fs::path file = config("pbm", R"(optimizer: em
model:
  type: mixture
  components: [{type: rctr, examination: {start: 0.2}}, {type: rctr, examination: {start: 0.2}}]
)");
  ASSERT_EQ(choose({.config = file, .models = {"mixture", "gctr"}}), 0) << warned_;
  const std::string warning = "mixture: components rctr and rctr_2 ended the same";
  EXPECT_THAT(said_, HasSubstr("warnings\n- " + warning));
  EXPECT_THAT(warned_, HasSubstr(warning));
  EXPECT_THAT(results()["warnings"].dump(), HasSubstr(warning));
  EXPECT_THAT(read_text(output_ / "report.html"), HasSubstr(warning));
  EXPECT_THAT(read_text(output_ / "mixture/results.json"), HasSubstr(warning));
  EXPECT_THAT(read_text(output_ / "mixture/report.html"), HasSubstr(warning));
}

TEST_F(ChooseModelsTest, ResumeFitsTheRemainingModels) {
  ASSERT_EQ(choose({.models = {"gctr", "pbm", "dbn"}}), 0) << warned_;
  const auto before = results();
  for (const char* file : {"results.json", "report.html", "models.csv", "dbn/results.json"})
    fs::remove(output_ / file);
  fs::remove_all(output_ / "dbn/model");
  ASSERT_EQ(resume(), 0) << warned_;
  EXPECT_THAT(said_, AllOf(HasSubstr("dbn "), Not(HasSubstr("/3 pbm"))));
  EXPECT_EQ(results()["choice"], before["choice"]);
  EXPECT_EQ(results()["patterns"], before["patterns"]);
}

TEST_F(ChooseModelsTest, TheCommandResumesAChoice) {
  ASSERT_EQ(choose({.models = {"gctr", "pbm"}}), 0) << warned_;
  fs::remove(output_ / "report.html");
  EXPECT_EQ(listen([&](Registry& registry) { return resume_experiment(output_, registry); }), 0)
      << warned_;
  EXPECT_TRUE(fs::exists(output_ / "report.html"));
}

TEST_F(ChooseModelsTest, IfNoModelCanBeFittedTheExitCodeSaysSo) {
  EXPECT_EQ(choose({.models = {"cm"}}), 1);
  EXPECT_THAT(said_, HasSubstr("No model could be fitted; the reasons are below."));
  EXPECT_THAT(warned_, EndsWith("error: no model could be fitted\n"));
  EXPECT_TRUE(results()["for_prediction"].is_null());
  EXPECT_TRUE(fs::exists(output_ / "report.html"));
}

TEST_F(ChooseModelsTest, WhatIsWrongIsSaidBeforeAnythingIsCreated) {
  const auto expect = [&](const ChoiceRequest& request, int code, const std::string& message) {
    EXPECT_EQ(choose(request), code) << message;
    EXPECT_THAT(warned_, HasSubstr(message));
    EXPECT_FALSE(fs::exists(output_));
  };
  expect({.models = {"pmb"}}, 2, "there is no model 'pmb'; did you mean 'pbm'?");
  expect({.models = {"pbm", "pbm"}}, 2, "model 'pbm' is given twice");
  expect({.models = {"two_tower"}}, 2, "no model can be fitted: two_tower: optimizer: 'em' cannot");
  expect({.overrides = {"seed=1,2"}}, 2, "the overrides make a sweep of 2 runs");
  expect({.overrides = {"train.epochs=0"}}, 2, "train.epochs is '0'");
  expect({.overrides = {"data.valid_sessions=0"}}, 3, "tiny: there are no validation sessions");
  expect({.config = folder_.path() / "none.yaml"}, 2, "none.yaml");
  expect({.config = folder_.write("study.yaml", "study: {}\n")}, 2, "is a study; expected");
  expect({.config = folder_.write("loss.yaml", "data: {format: simulation}\nloss: naive\n")}, 2,
         "loss.type is 'naive', which replaces the click model");
}

TEST_F(ChooseModelsTest, ADryRunPrintsTheConfigurations) {
  EXPECT_EQ(listen([&](Registry& registry) {
              print_choice({.config = config("pbm", gradients), .output = output_.string()},
                           registry);
              return 0;
            }),
            0)
      << warned_;
  for (const ModelType& type : model_types())
    EXPECT_THAT(said_, AllOf(HasSubstr("---\n# " + type.name + "\n"),
                             HasSubstr("model:\n  type: " + type.name + "\n")));
  EXPECT_FALSE(fs::exists(output_));
}

/// A dry run refuses the models that a run refuses.
TEST_F(ChooseModelsTest, ADryRunNamesTheModelsThatItRefuses) {
  EXPECT_EQ(listen([&](Registry& registry) {
              print_choice({.config = config(), .output = output_.string()}, registry);
              return 0;
            }),
            0)
      << warned_;
  EXPECT_THAT(said_, HasSubstr("---\n# two_tower cannot be fitted: optimizer: 'em' cannot fit"));
}

class ChooseModelsSlowTest : public ChooseModelsTest {};

/// EM on a log of rare pairs predicts best long before the examination of low ranks has settled.
TEST_F(ChooseModelsSlowTest, EarlyStoppingThatLeavesExaminationWrongIsWarnedOf) {
  const std::string file = folder_.write("rare.yaml", R"(
name: rare
data: {format: simulation, user: pbm, sessions: 60000, valid_sessions: 7000, test_sessions: 0,
       queries: 2000, candidates: 40, positions: 20}
train: {epochs: 300}
threads: 2
)");
  const auto train = [&](const std::string& optimizer) {
    fs::remove_all(output_);
    return listen([&](Registry& registry) {
      return run_experiment(file, {"optimizer=" + optimizer, "output=" + output_.string()},
                            Action::run, registry);
    });
  };
  ASSERT_EQ(train("em"), 0) << warned_;
  EXPECT_THAT(warned_, HasSubstr("pbm: learned examination of rank "));
  ASSERT_EQ(train("{type: em, tolerance: 0.001, pseudo_count: 1}"), 0) << warned_;
  EXPECT_THAT(warned_, Not(HasSubstr("learned examination")));
}

/// On the log of each model's users, that model is chosen, or one that predicts as well. Models are
/// fitted until they have converged: gradients near the end of training leave differences that are
/// tiny but the same in every query, so that a test finds them.
class ChooseEveryModelSlowTest : public ChooseModelsTest,
                                 public ::testing::WithParamInterface<ModelType> {
 protected:
  static std::string converging_optimizer(const std::string& user) {
    return user == "two_tower" ? "{type: adamw, lr: 0.03}" : "em";  // EM cannot fit it
  }

  /// Prints the row of a table (docs/choose.md).
  static void print_row(const nlohmann::json& choice, const nlohmann::json& own) {
    std::vector<std::string> as_good;
    for (const auto& model : choice["models"])
      if (model["verdict"] == "as good")
        as_good.push_back(fmt::format("`{}`", model["model"].get<std::string>()));
    const auto name = [](const nlohmann::json& model) {
      return model.is_null() ? "-" : fmt::format("`{}`", model.get<std::string>());
    };
    fmt::print("| {} | {} | {} | {:.5f} | {:.5f} | {} |\n", name(own["model"]),
               name(choice["for_prediction"]), fmt::join(as_good, " "),
               choice["models"][0]["cond_ppl"].get<double>(), own["cond_ppl"].get<double>(),
               name(choice["for_relevance"]));
  }
};

TEST_P(ChooseEveryModelSlowTest, NamesTheModelOfTheUsersOrOneAsGood) {
  const std::string& user = GetParam().name;
  const std::string file =
      folder_.write("users.yaml", fmt::format(R"(
name: users
data: {{format: simulation, user: {}, sessions: 30000, valid_sessions: 6000, test_sessions: 0,
       queries: 40, candidates: 8, positions: 6, ranking_noise: 2, zipf: 0.5}}
optimizer: {}
train: {{epochs: 40, early_stopping: 3}}
threads: 2
)",
                                              user, converging_optimizer(user)));
  ASSERT_EQ(choose({.config = file}), 0) << warned_;
  for (const nlohmann::json all = results(); const auto& model : all["models"]) {
    if (model["model"] != user) continue;
    print_row(all, model);
    EXPECT_THAT(model["verdict"].get<std::string>(), AnyOf("best", "as good")) << said_;
  }
  EXPECT_THAT(models_in(results()["models"]), Contains(user)) << said_;
}

INSTANTIATE_TEST_SUITE_P(Models, ChooseEveryModelSlowTest,
                         ::testing::ValuesIn(testing::types_without_signals()),
                         [](const auto& type) { return type.param.name; });

}  // namespace
}  // namespace ultr::choose_models_test
