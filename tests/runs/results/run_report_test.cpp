#include "runs/results/run_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/version.h"
#include "testing/small_log.h"
#include "testing/xml.h"

namespace ultr::run_report_test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using testing::XmlElement;

/// A run of two epochs on simulated data, evaluated on all splits. Conditional and unconditional
/// predictions of a dbn differ.
class RunReportTest : public ::testing::Test {
 protected:
  RunReportTest() {
    const Dataset& dataset = data_.dataset;
    result_.name = "small";
    result_.title = "A <small> run";
    result_.model_type = "dbn";
    result_.config = "seed: 5\n";
    result_.notes = {"log.txt: 1 of 4 lists were cut to 3 positions"};
    result_.seed = 5;
    result_.processes = 2;
    result_.cpu_seconds = 3.5;
    result_.peak_memory = 2000000;
    result_.train_sessions = dataset.train.sessions();
    result_.train_documents = dataset.train.documents();
    const TrainableModel model = testing::model_for("dbn", dataset);
    const auto evaluate = [&](const SessionLog& log) {
      return evaluate_clicks(model, log, LossMean::documents, 1);
    };
    result_.train = evaluate(dataset.train);
    result_.valid = evaluate(dataset.valid);
    result_.test = evaluate(dataset.test);
    result_.training.epochs = {
        {.epoch = 1, .train_loss = 0.7, .valid = ValidationScores(*result_.valid), .seconds = 2},
        {.epoch = 2, .train_loss = 0.6, .valid = ValidationScores(*result_.valid), .seconds = 1}};
    result_.training.best_epoch = 1;
    result_.training.seconds = 4;
    RankingMetrics ranking({.cutoffs = {1, 10}});
    ranking.add(std::array{2.0, 1.0}, std::array{0, 3});
    result_.ranking = ranking;
    result_.true_examination = {1, 0.5, 0.25, 0.2, 0.1};
  }

  XmlElement page() const { return testing::parse_xml(render_report(run_report(result_))); }

  ExperimentData data_ = testing::small_simulation();
  RunResult result_;
};

std::vector<std::string> texts(const std::vector<const XmlElement*>& elements) {
  std::vector<std::string> all;
  for (const XmlElement* element : elements) all.push_back(element->text);
  return all;
}

/// The labels of a chart's legend and axes, whatever its size.
bool shows(const XmlElement& figure, const std::string& label) {
  for (const XmlElement* text : figure.all("text"))
    if (text->text == label) return true;
  return false;
}

TEST_F(RunReportTest, ResultsDescribeTheRun) {
  const json results = json::parse(results_json(result_));
  EXPECT_EQ(results["name"], "small");
  EXPECT_EQ(results["model"], "dbn");
  EXPECT_EQ(results["version"], version());
  EXPECT_EQ(results["seed"], 5);
  EXPECT_EQ(results["processes"], 2);
  EXPECT_EQ(results["epochs"], 2);
  EXPECT_EQ(results["best_epoch"], 1);
  EXPECT_EQ(results["sessions"], 900);
  EXPECT_EQ(results["documents"], 900 * 5);
  EXPECT_EQ(results["cpu_seconds"], 3.5);
  EXPECT_EQ(results["peak_memory_megabytes"], 2);
  EXPECT_EQ(results["seconds"], 4);
  EXPECT_DOUBLE_EQ(results["sessions_per_second"], 900 * 2 / (2. + 1));
}

TEST_F(RunReportTest, PositionBiasStandsBesideTheTruth) {
  EXPECT_FALSE(json::parse(results_json(result_)).contains("position_bias"));
  result_.position_bias = PositionBias{.additive = true, .by_rank = {0, -1, -3}};
  json section = json::parse(results_json(result_))["position_bias"];
  EXPECT_EQ(section, (json{{"scale", "logit"}, {"estimated", {0., -1., -3.}}}));
  result_.true_position_bias = PositionBias{.additive = false, .by_rank = {1, 0.5, 0.25}};
  EXPECT_EQ(json::parse(results_json(result_))["position_bias"], section) << "another scale";
  result_.true_position_bias = PositionBias{.additive = true, .by_rank = {0, -1, -2}};
  section = json::parse(results_json(result_))["position_bias"];
  EXPECT_EQ(section["true"], (json{0., -1., -2.}));
  EXPECT_DOUBLE_EQ(section["error"], 1 / 3.);
  const XmlElement root = page();
  const XmlElement* figure = nullptr;
  for (const XmlElement* svg : root.all("svg"))
    if (shows(*svg, "logit, 0 at rank 1")) figure = svg;
  ASSERT_NE(figure, nullptr);
  EXPECT_TRUE(shows(*figure, "learned"));
  EXPECT_TRUE(shows(*figure, "true"));
}

TEST_F(RunReportTest, ResultsHaveEveryNumberOfEverySplit) {
  const json results = json::parse(results_json(result_));
  const std::map<std::string, const ClickEvaluation*> splits = {
      {"train", &*result_.train}, {"valid", &*result_.valid}, {"test", &*result_.test}};
  for (const auto& [name, e] : splits) {
    const json& split = results[name];
    EXPECT_EQ(split["loss"], e->loss);
    EXPECT_EQ(split["ll"], e->conditional.log_likelihood());
    EXPECT_EQ(split["ppl"], e->unconditional.perplexity());
    EXPECT_EQ(split["cond_ppl"], e->conditional.perplexity());
    EXPECT_EQ(split["ppl_rank_mean"], e->unconditional.perplexity_rank_mean());
    EXPECT_EQ(split["cond_ppl_rank_mean"], e->conditional.perplexity_rank_mean());
    EXPECT_EQ(split["ppl_per_rank"], json(e->unconditional.perplexity_per_rank()));
    EXPECT_EQ(split["cond_ppl_per_rank"], json(e->conditional.perplexity_per_rank()));
    EXPECT_EQ(split["click_rate_per_rank"], json(e->conditional.click_rate_per_rank()));
    EXPECT_EQ(split["examination_per_rank"], json(e->examination));
    EXPECT_EQ(split["examination_per_rank"].size(), 5u);
    EXPECT_EQ(split["sessions"], e->sessions);
    EXPECT_EQ(split["documents"], e->conditional.documents());
    EXPECT_EQ(split["impossible_clicks"], 0);
    EXPECT_EQ(split.contains("ranking"), name == "test");
  }
  EXPECT_EQ(results["truth"]["examination_per_rank"], json(result_.true_examination));
}

TEST_F(RunReportTest, ResultsHaveEveryRankingMetric) {
  const json ranking = json::parse(results_json(result_))["test"]["ranking"];
  for (const MetricValue& metric : result_.ranking->values())
    EXPECT_EQ(ranking[metric.name], metric.value) << metric.name;
  EXPECT_NEAR(ranking["ndcg@10"], (7 / std::log2(3.)) / (7 / std::log2(2.)), 1e-12);
  EXPECT_EQ(ranking["lists"], 1);
  EXPECT_EQ(ranking["lists_without_relevant"], 0);
  EXPECT_EQ(ranking["lists_without_judged"], 0);
}

TEST_F(RunReportTest, ResultsOmitMissingParts) {
  result_.valid.reset();
  result_.test.reset();
  result_.ranking.reset();
  result_.true_examination.clear();
  const json results = json::parse(results_json(result_));
  for (const char* key : {"valid", "test", "truth"}) EXPECT_FALSE(results.contains(key)) << key;
}

TEST_F(RunReportTest, LastSplitIsTheOneThatWasNotTrainedOn) {
  EXPECT_EQ(&result_.last_split(), &*result_.test);
  EXPECT_EQ(result_.last_split_name(), "test");
  result_.test.reset();
  EXPECT_EQ(&result_.last_split(), &*result_.valid);
  EXPECT_EQ(result_.last_split_name(), "validation");
  result_.valid.reset();
  EXPECT_EQ(&result_.last_split(), &*result_.train);
  EXPECT_EQ(result_.last_split_name(), "training");
}

TEST_F(RunReportTest, PageHasItsSections) {
  const XmlElement html = page();
  EXPECT_THAT(texts(html.all("h1")), ElementsAre("A <small> run"));
  EXPECT_THAT(texts(html.all("h2")),
              ElementsAre("Results", "Examination", "Calibration", "Ranking", "Configuration"));
  EXPECT_EQ(html.first("p", "summary").text,
            "dbn: 900 sessions, 4,500 documents; 2 epochs in 4.0 s, the best is number 1. Seed 5, "
            "ultr " +
                version() + ".");
  EXPECT_EQ(html.first("pre").text, "\nseed: 5\n");
  EXPECT_EQ(html.all("section")[4]->first("p").text, result_.notes[0]);
}

TEST_F(RunReportTest, ResultsTableHasTheNamesOfTheJson) {
  const XmlElement html = page();
  const XmlElement& table = html.first("table");
  EXPECT_THAT(texts(table.all("th")),
              ElementsAre("split", "sessions", "loss", "ll", "ppl", "cond_ppl", "ppl_rank_mean",
                          "cond_ppl_rank_mean"));
  const std::vector<const XmlElement*> rows = table.all("tr");
  ASSERT_EQ(rows.size(), 1u + 3u);
  const std::vector<std::string> test = texts(rows[3]->all("td"));
  EXPECT_EQ(test[0], "test");
  EXPECT_EQ(test[1], "300");
  const auto shown = [](double value) { return fmt::format("{:.4f}", value); };
  EXPECT_EQ(test[2], shown(result_.test->loss));
  EXPECT_EQ(test[3], shown(result_.test->conditional.log_likelihood()));
  EXPECT_EQ(test[4], shown(result_.test->unconditional.perplexity()));
  EXPECT_EQ(test[5], shown(result_.test->conditional.perplexity()));
  EXPECT_EQ(test[6], shown(result_.test->unconditional.perplexity_rank_mean()));
  EXPECT_EQ(test[7], shown(result_.test->conditional.perplexity_rank_mean()));
  EXPECT_EQ(texts(rows[1]->all("td"))[0], "training");
  EXPECT_EQ(texts(rows[2]->all("td"))[0], "validation");
}

TEST_F(RunReportTest, ChartsShowTheirCurves) {
  const Report report = run_report(result_);
  const auto chart = [&](std::size_t section, std::size_t block) {
    return std::get<ReportFigure>(report.sections[section].blocks[block]).charts.at(0);
  };
  const Chart learning = chart(0, 1);
  ASSERT_EQ(learning.series.size(), 2u);
  EXPECT_THAT(learning.series[0].y, ElementsAre(0.7, 0.6));
  EXPECT_THAT(learning.series[1].y, ElementsAre(result_.valid->loss, result_.valid->loss));
  EXPECT_THAT(learning.series[1].x, ElementsAre(1, 2));

  const Chart examination = chart(1, 0);
  ASSERT_EQ(examination.series.size(), 3u);
  const ClickEvaluation& test = *result_.test;
  const std::vector<double> rates = test.conditional.click_rate_per_rank();
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(examination.series[0].x[k], static_cast<double>(k + 1));
    EXPECT_DOUBLE_EQ(examination.series[0].y[k], test.examination[k] / test.examination[0]);
    EXPECT_DOUBLE_EQ(examination.series[1].y[k], result_.true_examination[k] / 1);
    EXPECT_DOUBLE_EQ(examination.series[2].y[k], rates[k] / rates[0]);
  }

  const Chart calibration = chart(2, 0);
  EXPECT_TRUE(calibration.identity_line);
  std::size_t filled = 0;
  for (const CalibrationBin& bin : test.calibration.bins()) {
    if (bin.documents == 0) continue;
    EXPECT_EQ(calibration.series[0].x[filled], bin.mean_prediction);
    EXPECT_EQ(calibration.series[0].y[filled], bin.click_rate);
    EXPECT_LE(calibration.series[0].low[filled], bin.click_rate);
    EXPECT_GE(calibration.series[0].high[filled], bin.click_rate);
    ++filled;
  }
  EXPECT_GT(filled, 3u);
  EXPECT_EQ(calibration.series[0].x.size(), filled);
}

TEST_F(RunReportTest, APositionBiasThatIsTheExaminationHasNoChartOfItsOwn) {
  std::vector<double> bias = result_.test->examination;
  for (double& value : bias) value /= result_.test->examination[0];
  result_.position_bias = PositionBias{.additive = false, .by_rank = bias};
  result_.position_bias_intervals.assign(bias.size(), {0.25, 0.75});
  result_.examination_check.emplace();
  result_.examination_check->estimated = {1, 0.5};
  result_.examination_check->intervals = {std::nullopt, ConfidenceInterval{0.25, 0.75}};
  EXPECT_THAT(texts(page().all("h2")), Not(Contains("Position bias")));
  const Report merged = run_report(result_);
  const auto& figure = std::get<ReportFigure>(merged.sections[1].blocks[0]);
  const Chart& chart = figure.charts.at(0);
  ASSERT_EQ(chart.series.size(), 4u);
  EXPECT_EQ(chart.series[0].low[1], 0.25);
  EXPECT_EQ(chart.series[3].high[1], 0.75);
  EXPECT_NE(chart.series[3].color, chart.series[2].color) << "the click rate";
  EXPECT_THAT(figure.caption, ::testing::HasSubstr("95% intervals from the likelihood"));

  result_.position_bias->by_rank.back() *= 2;
  EXPECT_THAT(texts(page().all("h2")), Contains("Position bias")) << "it is another fact";
}

TEST_F(RunReportTest, EveryTableScrollsAndCountsHaveSeparators) {
  result_.train_ll_interval.emplace();
  result_.train_sessions = 1234567;
  const XmlElement html = page();
  for (const XmlElement* container : html.all("div", "scroll"))
    EXPECT_EQ(container->all("table").size(), 1u);
  EXPECT_EQ(html.all("div", "scroll").size(), html.all("table").size());
  EXPECT_EQ(html.all("td")[1]->text, "900 of 1,234,567");
}

TEST_F(RunReportTest, WarningsHaveAnIcon) {
  result_.warnings = {"One.", "Two."};
  EXPECT_EQ(page().all("svg", "icon warning").size(), 2u);
}

TEST_F(RunReportTest, PageDrawsTheCharts) {
  const XmlElement html = page();
  const std::vector<const XmlElement*> figures = html.all("figure");
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_TRUE(shows(*figures[0], "validation"));
  EXPECT_TRUE(shows(*figures[1], "learned examination"));
  EXPECT_TRUE(shows(*figures[1], "true examination"));
  EXPECT_TRUE(shows(*figures[1], "click rate"));
  EXPECT_TRUE(shows(*figures[2], "predicted click probability"));
  for (const XmlElement* figure : figures) EXPECT_GE(figure->all("svg").size(), 1u);
}

TEST_F(RunReportTest, PageNeedsNothingElse) {
  const std::string text = render_report(run_report(result_));
  const XmlElement html = testing::parse_xml(text);
  for (const char* name : {"script", "link", "img", "iframe", "object", "embed", "image", "base"})
    EXPECT_TRUE(html.all(name).empty()) << name;
  for (const char* fetch : {"src=", "href=", "@import", "url("})
    EXPECT_EQ(text.find(fetch), std::string::npos) << fetch;
}

TEST_F(RunReportTest, ARunOfTrainingAloneHasAPage) {
  result_.valid.reset();
  result_.test.reset();
  result_.ranking.reset();
  result_.notes.clear();
  for (EpochResult& epoch : result_.training.epochs) epoch.valid.reset();
  const XmlElement html = page();
  EXPECT_THAT(texts(html.all("h2")),
              ElementsAre("Results", "Examination", "Calibration", "Configuration"));
  EXPECT_EQ(html.first("table").all("tr").size(), 1u + 1u);
  EXPECT_FALSE(shows(*html.all("figure")[0], "validation"));
}

}  // namespace
}  // namespace ultr::run_report_test
