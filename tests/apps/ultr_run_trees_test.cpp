#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/tables/table_records.h"

/// Boosted trees through the whole program: every command that uses a run, and bad input.
namespace ultr::ultr_run_trees_test {
namespace {

using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;
using ::testing::SizeIs;

/// The cells of a CSV file by the names of their columns.
std::map<std::string, std::vector<std::string>> columns_of(const std::filesystem::path& file) {
  TableRecords records(file, ',');
  EXPECT_TRUE(records.next());
  const std::vector<std::string> header(records.fields().begin(), records.fields().end());
  std::map<std::string, std::vector<std::string>> columns;
  while (records.next())
    for (std::size_t i = 0; i < header.size(); ++i)
      columns[header[i]].emplace_back(records.fields()[i]);
  return columns;
}

std::vector<double> numbers(const std::vector<std::string>& cells) {
  std::vector<double> all;
  for (const std::string& cell : cells) all.push_back(std::stod(cell));
  return all;
}

/// A shop: products with a price, which some do not have, a brand, which is a category, and a
/// height on the page. Users click on good products, and on what is on top.
class UltrRunTreesTest : public testing::UltrRun {
 protected:
  UltrRunTreesTest() {
    std::string clicks = "session,query,document,position,click,price,brand,height\n";
    std::string full = clicks, judged = "query,document,label,price,brand,height\n";
    for (int session = 0; session < 300; ++session)
      for (int rank = 1; rank <= 5; ++rank) {
        const int product = (session * 7 + rank * 11) % 40, draw = (session * 31 + rank * 17) % 100;
        const bool click = draw < (10 + 20 * grade(product)) / rank;
        const std::string first =
            fmt::format("s{},q{},p{},{},{},", session, product % 4, product, rank, click ? 1 : 0);
        const std::string last = fmt::format(",{},{}\n", brand(product), rank % 3);
        clicks += first + (product % 5 == 0 ? "" : std::to_string(price(product))) + last;
        full += first + std::to_string(price(product)) + last;
      }
    for (int product = 0; product < 40; ++product)
      judged += fmt::format("q{},p{},{},{},{},0\n", product % 4, product, grade(product),
                            product % 5 == 0 ? "" : std::to_string(price(product)), brand(product));
    folder_.write("clicks.csv", clicks);
    folder_.write("full.csv", full);
    folder_.write("judged.csv", judged);
    write("shop.yaml", "clicks.csv", "dla", trees(", categorical: [2]"), judged_missing);
  }

  static constexpr const char* judged_missing = "  test: judged.csv\n  scaling: {missing: keep}\n";

  static int price(int product) { return product * 37 % 101; }
  static int brand(int product) { return product * 3 % 7; }
  static int grade(int product) {
    return (price(product) > 50 ? 1 : 0) + (brand(product) % 3 == 1 ? 2 : 0);
  }

  static std::string trees(const std::string& more) {
    return "{type: boosted_trees, rounds: 6, leaves: 8, min_child_weight: 0.1, learning_rate: 0.5" +
           more + "}";
  }

  void write(const std::string& file, const std::string& train, const std::string& loss,
             const std::string& relevance, const std::string& data = "") const {
    folder_.write(
        file,
        fmt::format("data:\n  format: feature_lists\n  reader: {{type: table, columns: {{features: "
                    "[price, brand], bias_features: [height]}}}}\n  train: {}\n  learn_from: "
                    "clicks\n{}loss: {{type: {}, relevance: {}}}\ntrain: {{epochs: 6, batch_size: "
                    "100}}\noptimizer: {{lr: 0.02}}\nthreads: 1\n",
                    train, data, loss, relevance));
  }
};

TEST_F(UltrRunTreesTest, ContributionsSumToRelevance) {
  run_well({"shop.yaml", "output=trees"});
  run_well({"predict", "trees", "--data", "judged.csv", "--output", "scores.csv", "--contributions",
            "why.csv"});
  EXPECT_THAT(read_text(path("why.csv")),
              ::testing::StartsWith(
                  "list,query,position,document,relevance,base_value,price,brand\n1,q0,1,"));
  auto scores = columns_of(path("scores.csv")), why = columns_of(path("why.csv"));
  for (const char* same : {"list", "query", "position", "document", "relevance"})
    EXPECT_EQ(why[same], scores[same]);
  const auto relevance = numbers(why["relevance"]), base = numbers(why["base_value"]),
             price = numbers(why["price"]), brand = numbers(why["brand"]);
  ASSERT_THAT(relevance, SizeIs(40));
  double largest = 0;
  for (std::size_t i = 0; i < relevance.size(); ++i) {
    EXPECT_NEAR(base[i] + price[i] + brand[i], relevance[i], 1e-5);
    EXPECT_EQ(base[i], base[0]) << "the mean is that of all documents";
    largest = std::max(largest, std::abs(brand[i]));
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_EQ(read_text(path("trees/model/feature_names.txt")), "price\nbrand\nheight\n");
}

TEST_F(UltrRunTreesTest, ContributionsNeedTreesAndAFileOfTheirOwn) {
  run_well({"shop.yaml", "output=trees", "report.enabled=false"});
  write("tower.yaml", "full.csv", "dla", "linear");
  run_well({"tower.yaml", "output=tower", "report.enabled=false"});
  expect_error(
      {"predict", "tower", "--data", "full.csv", "-o", "out.csv", "--contributions", "why.csv"}, 2,
      "--contributions: tower does not rank by boosted trees");
  expect_error(
      {"predict", "trees", "--data", "judged.csv", "-o", "out.csv", "--contributions", "out.csv"},
      2, "--output and --contributions are both 'out.csv'; expected two files");
  expect_error(
      {"predict", "trees", "--data", "judged.csv", "-o", "./out.csv", "--contributions", "out.csv"},
      2, "--output and --contributions are both './out.csv'; expected two files");
}

TEST_F(UltrRunTreesTest, ReportsTheImportanceOfFeatures) {
  run_well({"shop.yaml", "output=trees"});
  auto csv = columns_of(path("trees/importance.csv"));
  ASSERT_THAT(csv["feature"], SizeIs(2)) << "bias features are not of relevance";
  const auto shap = numbers(csv["mean_abs_shap"]);
  EXPECT_GE(shap[0], shap[1]);
  EXPECT_GT(shap[1], 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(csv["layer"][i], "relevance");
    EXPECT_EQ(csv["name"][i], csv["feature"][i] == "1" ? "price" : "brand");
    EXPECT_GT(std::stod(csv["gain"][i]), 0);
    EXPECT_GT(std::stoi(csv["weight"][i]), 0);
  }
  const std::string report = read_text(path("trees/report.html"));
  EXPECT_THAT(report, HasSubstr("What features add to relevance"));
  EXPECT_THAT(report, HasSubstr("mean |SHAP value|"));
}

TEST_F(UltrRunTreesTest, NamesOfFeaturesMustFitThem) {
  folder_.write("train.svm", "2 qid:1 1:3 2:1\n0 qid:1 2:2\n0 qid:1 1:9 3:7\n1 qid:2 1:1\n");
  folder_.write("train.yaml",
                "data: {format: feature_lists, train: train.svm, learn_from: labels,\n"
                "       feature_names: names.txt}\n"
                "loss: {type: naive, base: softmax, relevance: {type: boosted_trees, rounds: 2}}\n"
                "train: {epochs: 2}\n");
  folder_.write("names.txt", "price\nrating\n");
  expect_error({"train.yaml", "output=run"}, 3,
               "names.txt: 2 names; expected one line for each of the 3 features");
  folder_.write("names.txt", "price\nrating\nprice\n");
  expect_error({"train.yaml", "output=run"}, 3, "names.txt:3: the name 'price' again");
  expect_error({"shop.yaml", "data.feature_names=names.txt", "output=run"}, 2,
               "data.feature_names is given, but the table names its features");
  folder_.write("names.txt", "price\nrating\n\"age\", years\n");
  run_well({"train.yaml", "output=run"});
  EXPECT_EQ(columns_of(path("run/importance.csv"))["name"].size(), 3u);
  EXPECT_THAT(read_text(path("run/importance.csv")), HasSubstr("\"\"\"age\"\", years\""));
}

TEST_F(UltrRunTreesTest, MissingValuesAreRefusedUnlessTreesKeepThem) {
  const std::string keep = "data.scaling.missing=keep", refuse = "data.scaling.missing=refuse";
  expect_error({"shop.yaml", refuse, "output=run"}, 3,
               "clicks.csv:6: column 'price' is ''; expected a finite number (or "
               "data.scaling.missing: keep, for boosted_trees)");
  write("tower.yaml", "clicks.csv", "dla", "linear", judged_missing);
  expect_error({"tower.yaml", "output=run"}, 2,
               "relevance: 'linear' cannot read missing features, which data.scaling.missing: keep "
               "lets pass; expected refuse, or 'boosted_trees'");
  run_well({"shop.yaml", "output=trees"});
  expect_error({"predict", "trees", "on_error=fail", "--data", "nothing.csv"}, 3, "nothing.csv");
  folder_.write("holes.csv", "query,document,price,brand,height\nq,A,1,2,\n");
  expect_error({"shop.yaml", "data.test=holes.csv", "output=run"}, 3,
               "feature 3 of document 1, a bias feature, is missing");
  // Trees learned a way for missing prices.
  EXPECT_THAT(read_text(path("trees/model/relevance.xgboost.json")), HasSubstr("default_left"));
  run_well({"predict", "trees", "--data", "judged.csv", "--output", "scores.csv"});
  const auto scores = columns_of(path("scores.csv"));
  for (const std::string& cell : scores.at("relevance"))
    EXPECT_TRUE(std::isfinite(std::stod(cell)));
}

TEST_F(UltrRunTreesTest, CategoriesAreCheckedAndLeaveOutWhatHasNoForm) {
  const Finished trained = run({"shop.yaml", "output=trees"});
  EXPECT_EQ(trained.exit_code, 0) << trained.errors;
  EXPECT_THAT(trained.output + trained.errors,
              HasSubstr("no model/relevance.elasticsearch.json is written"));
  EXPECT_FALSE(std::filesystem::exists(path("trees/model/relevance.elasticsearch.json")));
  EXPECT_TRUE(std::filesystem::exists(path("trees/model/relevance.onnx")));
  run_well({"shop.yaml", "loss.relevance.categorical=[]", "output=plain"});
  EXPECT_TRUE(std::filesystem::exists(path("plain/model/relevance.elasticsearch.json")));

  expect_error({"shop.yaml", "loss.relevance.categories=5", "output=run"}, 3,
               "relevance: categorical feature 2 of pair");
  expect_error({"shop.yaml", "loss.relevance.categorical=[3]", "output=run"}, 2,
               "relevance: categorical names feature 3; expected 1 to 2");
  expect_error({"shop.yaml", "data.scaling.log1p=true", "output=run"}, 3,
               "expected a whole number from 0, without log1p and standardise of data.scaling");
  expect_error({"shop.yaml", "loss.relevance.monotone=[2]", "output=run"}, 2,
               "relevance: feature 2 is categorical and monotone");
  expect_error({"shop.yaml", "loss.relevance.monotone=[-3]", "output=run"}, 2,
               "relevance: monotone names feature -3; expected 1 to 2, or the negative of one");
}

TEST_F(UltrRunTreesTest, EvaluateCompareRelevanceAndLabelsReadTheRun) {
  run_well({"shop.yaml", "output=trees"});
  write("naive.yaml", "clicks.csv", "naive", trees(", categorical: [2]"), judged_missing);
  run_well({"naive.yaml", "output=naive"});
  const std::string evaluated =
      run_well({"evaluate", "trees", "--data", "judged.csv", "--output", "lists.csv"});
  const double ndcg = results("trees")["test"]["ranking"]["ndcg@10"];
  EXPECT_THAT(evaluated, HasSubstr(fmt::format("{:.5f}", ndcg)));
  EXPECT_GT(ndcg, 0.6);
  const std::string compared =
      run_well({"compare", "naive", "trees", "--metric", "test.ranking.ndcg@10"});
  EXPECT_THAT(compared, HasSubstr("\ndla "));

  run_well({"relevance", "trees", "--output", "pairs.csv"});
  const auto pairs = columns_of(path("pairs.csv"));
  EXPECT_THAT(pairs.at("document"), SizeIs(40));
  run_well({"labels", "trees", "--format", "csv", "--output", "labels"});
  const auto labels = columns_of(path("labels/labels.csv"));
  std::set<std::string> grades(labels.at("label").begin(), labels.at("label").end());
  EXPECT_GT(grades.size(), 1u);
}

TEST_F(UltrRunTreesTest, SweepsAndStudiesVaryItsOptions) {
  run_well({"shop.yaml", "loss.relevance.rounds=2,6", "output=sweep", "report.enabled=false"});
  EXPECT_NE(results("sweep/loss.relevance.rounds=2")["test"]["ranking"],
            results("sweep/loss.relevance.rounds=6")["test"]["ranking"]);
  folder_.write("study.yaml",
                "study: trees\ntitle: Trees\npaper: none\nexperiment:\n"
                "  data:\n    format: feature_lists\n    reader: {type: table, columns: {features: "
                "[price, brand]}}\n    train: full.csv\n    test: full.csv\n    learn_from: "
                "clicks\n  train: {epochs: 4}\n  threads: 1\n"
                "grid: {leaves: {key: loss.relevance.leaves, values: [2, 8]}}\n"
                "variants:\n"
                "  trees: {loss: {type: naive, relevance: {type: boosted_trees, rounds: 4}}}\n"
                "measures: {loss: test.loss}\n"
                "expect:\n  - that: trees.loss(leaves=8) < trees.loss(leaves=2)\n"
                "    why: larger trees fit more\n");
  const Finished study = run({"study.yaml", "output=study"});
  EXPECT_EQ(study.exit_code, 0) << study.output << study.errors;
}

TEST_F(UltrRunTreesTest, ClickModelsTakeThemAsAttraction) {
  for (const std::string model : {"pbm", "dbn"}) {
    folder_.write("model.yaml",
                  fmt::format("data:\n  format: feature_lists\n  reader: {{type: table, columns: "
                              "{{features: [price, brand]}}}}\n  train: full.csv\n  test: "
                              "full.csv\n  learn_from: clicks\n"
                              "model: {{type: {}, attraction: {{type: boosted_trees, rounds: 5, "
                              "min_child_weight: 0.1}}}}\n"
                              "train: {{epochs: 5}}\nthreads: 1\n",
                              model));
    run_well({"model.yaml", "output=" + model});
    EXPECT_EQ(columns_of(path(model + "/importance.csv"))["layer"][0], "attraction");
    EXPECT_TRUE(std::filesystem::exists(path(model + "/model/attraction.xgboost.json")));
    EXPECT_TRUE(std::filesystem::exists(path(model + "/model/attraction.elasticsearch.json")));
    run_well({"predict", model, "--data", "full.csv", "--output", model + ".csv"});
    EXPECT_THAT(columns_of(path(model + ".csv"))["click"], SizeIs(1500));
    run_well({"relevance", model, "--output", "pairs.csv"});
    EXPECT_GT(results(model)["test"]["ll"], -0.7);
  }
}

}  // namespace
}  // namespace ultr::ultr_run_trees_test
