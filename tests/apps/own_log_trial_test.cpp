#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "base/random.h"
#include "base/sigmoid.h"
#include "data/tables/table_records.h"
#include "data/text/csv_text.h"
#include "metrics/ranking_metrics.h"

/// A shop's click log as shops have them, from CSV to relevance by name, labels and a trained
/// ranker by the commands of own_log_trial.sh, compared with the truth that made the log.
namespace ultr::own_log_trial_test {
namespace {

using testing::Finished;
using ::testing::HasSubstr;
using testing::read_text;

constexpr int logged_queries = 60, judged_queries = 40, products_per_query = 12, shown = 8;
constexpr int sessions = 20000;

struct Product {
  std::string name;
  double rating = 0, price = 0, stock = 0;
  double known = 0;       // the part of its logit that follows from these
  double attraction = 0;  // probability of a click if examined
};

struct Query {
  std::string name;
  std::vector<Product> products;
};

std::vector<Query> make_shop() {
  RandomStream random(1, RandomPurpose::testing, 1, 0);
  std::vector<Query> queries;
  for (int q = 0; q < logged_queries + judged_queries; ++q) {
    const std::string kinds[] = {"rote Schuhe, Damen", "帽子", "Ünterwäsche \"M\"", "socks"};
    Query query{.name = fmt::format("{} {}", kinds[q % 4], q), .products = {}};
    for (int p = 0; p < products_per_query; ++p) {
      Product product{.name = fmt::format("Artikel {}-{}, \"{}\"", q, p, p % 2 ? "größer" : "靴")};
      product.rating = random.normal();
      product.price = std::exp(3 + random.normal());
      product.stock = std::floor(100 * random.uniform());
      product.known = 1.2 * product.rating - 0.8 * (std::log(product.price) - 3) - 1;
      product.attraction = sigmoid(product.known + 0.5 * random.normal());
      query.products.push_back(product);
    }
    queries.push_back(query);
  }
  return queries;
}

/// The rows of a log, with some that no reader can take.
struct Log {
  std::string text = "\xef\xbb\xbfsession_id,query,product_id,shop,position,clicked\r\n";
  int rows = 0, dirty = 0;
  std::set<std::string> pairs;  // names of products, each of one query
};

Log make_log(const std::vector<Query>& queries) {
  Log log;
  const std::vector<std::string> dirt = {"lost,socks,Artikel 1\r\n",
                                         "lost,socks,Artikel 1,\"Berlin, Mitte\",1,vielleicht\r\n",
                                         "lost,socks,Artikel 1,,oben,0\r\n", "lost,socks,,,1,0\r\n",
                                         "lost,socks,\"Artikel\" 1,,1,0\r\n"};
  for (int s = 0; s < sessions; ++s) {
    RandomStream random(1, RandomPurpose::testing, 2, static_cast<std::uint64_t>(s));
    // Some queries are much more frequent than others.
    const auto drawn = static_cast<std::size_t>(logged_queries * std::pow(random.uniform(), 1.5));
    const Query& query = queries[drawn];
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t p = 0; p < query.products.size(); ++p)
      order.emplace_back(-query.products[p].rating - 0.7 * random.normal(), p);
    std::ranges::sort(order);
    for (int k = 1; k <= shown; ++k) {
      const Product& product = query.products[order[static_cast<std::size_t>(k) - 1].second];
      const bool examined = random.uniform() < 1. / k;
      const bool click = random.uniform() < product.attraction && examined;
      log.text += fmt::format("s{},{},{},\"Berlin, Mitte\",{},{}\r\n", s, csv_field(query.name),
                              csv_field(product.name), k, click ? 1 : 0);
      ++log.rows;
      log.pairs.insert(product.name);
    }
    if (s % 400 == 17) log.text += dirt[static_cast<std::size_t>(log.dirty++) % dirt.size()];
  }
  return log;
}

/// Returns the label of a product, 0 to 4, by its attraction.
int judge(const Product& product) { return std::min(4, static_cast<int>(5 * product.attraction)); }

std::vector<std::map<std::string, std::string>> read_table(const std::filesystem::path& file) {
  TableRecords records(file, ',');
  records.next();
  const std::vector<std::string> header(records.fields().begin(), records.fields().end());
  std::vector<std::map<std::string, std::string>> rows;
  while (records.next()) {
    rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) rows.back()[header[i]] = records.fields()[i];
  }
  return rows;
}

/// Returns the mean absolute error of estimates that are scaled to have the sum of the truth.
double mean_error(const std::vector<double>& estimates, const std::vector<double>& truths) {
  const double scale = std::accumulate(truths.begin(), truths.end(), 0.) /
                       std::accumulate(estimates.begin(), estimates.end(), 0.);
  double sum = 0;
  for (std::size_t i = 0; i < truths.size(); ++i) sum += std::abs(scale * estimates[i] - truths[i]);
  return sum / static_cast<double>(truths.size());
}

class OwnLogTrialTest : public testing::UltrRun {
 protected:
  OwnLogTrialTest() : queries_(make_shop()), log_(make_log(queries_)) {
    std::string products = "product_id,rating,price,stock\n";
    std::string judged = "query,product_id,label\n";
    for (std::size_t q = 0; q < queries_.size(); ++q)
      for (const Product& product : queries_[q].products) {
        products += fmt::format("{},{:.3f},{:.2f},{}\n", csv_field(product.name), product.rating,
                                product.price, product.stock);
        if (q >= logged_queries)
          judged += fmt::format("{},{},{}\n", csv_field(queries_[q].name), csv_field(product.name),
                                judge(product));
        truth_[queries_[q].name][product.name] = product.attraction;
      }
    folder_.write("clicks.csv", log_.text);
    folder_.write("products.csv", products);
    folder_.write("judged.csv", judged);
    folder_.write("shop.yaml", R"(
data:
  format: table
  train: clicks.csv
  columns: {session: session_id, document: product_id, click: clicked}
  on_error: skip
model: pbm
optimizer: em
)");
    folder_.write("ranker.yaml", R"(
analysis:
  type: lambdamart
  data: {format: feature_lists, reader: svmlight, train: labels/labels.svm, test: labels/judged.svm}
)");
  }

  void run_commands() {
    const std::string script =
        read_text(std::string(ULTR_SOURCE_DIR) + "/tests/apps/own_log_trial.sh");
    const std::string path = std::filesystem::path(ULTR_RUN).parent_path().string();
    finished_ = testing::run_program(
        "/bin/bash", {"-c", "set -e; export PATH='" + path + "':$PATH\n" + script}, folder_.path());
    ASSERT_EQ(finished_.exit_code, 0) << finished_.errors;
  }

  double truth(const std::map<std::string, std::string>& row) const {
    return truth_.at(row.at("query")).at(row.at("document"));
  }

  const std::vector<Query> queries_;
  const Log log_;
  std::map<std::string, std::map<std::string, double>> truth_;
  Finished finished_;
};

/// Returns nDCG@10 of the judged queries if `score` ranks them.
template <class Score>
double ndcg_by(const std::vector<Query>& queries, Score score) {
  RankingMetrics metrics;
  for (std::size_t q = logged_queries; q < queries.size(); ++q) {
    std::vector<double> scores;
    std::vector<int> labels;
    for (const Product& product : queries[q].products) {
      scores.push_back(score(product));
      labels.push_back(judge(product));
    }
    metrics.add(scores, labels);
  }
  return metrics.value("ndcg@10");
}

TEST_F(OwnLogTrialTest, SixCommandsLeadFromClicksToARanker) {
  const std::string script =
      read_text(std::string(ULTR_SOURCE_DIR) + "/tests/apps/own_log_trial.sh");
  std::istringstream lines(script);
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    EXPECT_TRUE(line.starts_with("ultr-run ")) << line;
    ++commands;
  }
  EXPECT_LE(commands, 6);
  run_commands();
  EXPECT_THAT(finished_.output, HasSubstr("verdict: identifiable"));
  EXPECT_THAT(finished_.errors, HasSubstr(fmt::format("{} of {} lines were left out", log_.dirty,
                                                      log_.rows + log_.dirty + 1)));

  // Relevance by name, up to the common factor that a position-based model leaves open.
  const auto relevance = read_table(path("relevance.csv"));
  EXPECT_EQ(relevance.size(), log_.pairs.size());
  std::vector<double> truths, learned, click_rates;
  for (const auto& row : relevance) {
    const double impressions = std::stod(row.at("impressions"));
    if (impressions < 500) continue;
    truths.push_back(truth(row));
    learned.push_back(std::stod(row.at("relevance")));
    click_rates.push_back(std::stod(row.at("clicks")) / impressions);
  }
  EXPECT_GT(truths.size(), 20u);
  EXPECT_LT(mean_error(learned, truths), 0.05);
  EXPECT_LT(mean_error(learned, truths), mean_error(click_rates, truths));

  // Labels: half of the documents have grade 0, and higher grades are more attractive.
  std::map<std::string, std::vector<double>> by_label;
  const auto labels = read_table(path("labels") / "labels.csv");
  for (const auto& row : labels) by_label[row.at("label")].push_back(truth(row));
  ASSERT_EQ(by_label.size(), 5u);
  EXPECT_NEAR(static_cast<double>(by_label["0"].size()), 0.5 * static_cast<double>(labels.size()),
              1);
  double below = 0;
  for (const auto& [label, attraction] : by_label) {
    const double mean = std::accumulate(attraction.begin(), attraction.end(), 0.) /
                        static_cast<double>(attraction.size());
    EXPECT_GT(mean, below) << label;
    below = mean;
  }

  // The ranker, on queries that the log does not have.
  const double ndcg = results("ranker")["test"]["ranking"]["ndcg@10"];
  const double best = ndcg_by(queries_, [](const Product& p) { return p.known; });
  const double by_rating = ndcg_by(queries_, [](const Product& p) { return p.rating; });
  EXPECT_EQ(results("ranker")["test"]["ranking"]["lists"], judged_queries);
  EXPECT_GT(ndcg, by_rating);
  EXPECT_GT(ndcg, 0.95 * best);
}

}  // namespace
}  // namespace ultr::own_log_trial_test
