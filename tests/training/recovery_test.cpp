#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "data/log/parallel_shards.h"
#include "dsl/programs/start.h"
#include "options/config_tree.h"
#include "testing/small_log.h"
#include "training/fitters.h"
#include "training/log_pass.h"
#include "training/training.h"

/// Models that are fitted from scratch to sessions of a user with known parameters find these again
/// where clicks identify them, and the probabilities of clicks everywhere.
namespace ultr::recovery_test {
namespace {

/// Probabilities of one parameter by entry.
using Entries = std::map<std::size_t, double>;

struct Fitted {
  const TrainableModel& model;
  /// Tosses of the coin of each entry.
  const std::map<std::string, std::vector<double>>& tries;

  /// Entries that were tried often enough to be compared.
  Entries often(const std::string& name) const {
    constexpr double enough = 10000;
    Entries entries;
    const auto& times = tries.at(name);
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] >= enough) entries[i] = testing::probability_of(model, name, i);
    return entries;
  }
};

Entries scaled(Entries entries, double by) {
  for (auto& [entry, p] : entries) p *= by;
  return entries;
}

/// The compared parameters of a model, by name. Examination and attraction are identified up to a
/// factor where users click what they examine and find attractive, since only products are seen;
/// the examination of rank 1 makes it one.
struct Recovered {
  std::string model;
  std::function<std::map<std::string, Entries>(const Fitted&)> identified;
  /// Passes of EM; it is slow where examination and attraction trade off.
  int passes = 60;
  int queries = 3;
  std::string options = "{}";  // of the model, the user's and the fitted one
};

std::function<std::map<std::string, Entries>(const Fitted&)> plainly(
    const std::vector<std::string>& names) {
  return [names](const Fitted& f) {
    std::map<std::string, Entries> all;
    for (const std::string& name : names) all[name] = f.often(name);
    return all;
  };
}

std::map<std::string, Entries> up_to_a_factor(const Fitted& f) {
  const double first = testing::probability_of(f.model, "examination", 0);
  return {{"examination", scaled(f.often("examination"), 1 / first)},
          {"attraction", scaled(f.often("attraction"), first)}};
}

/// Returns the slopes α = e (1 - t) of click rates in attraction, which are identified up to a
/// factor. It is chosen such that rank 2 has the slope of the users, so that errors are in
/// probability; users of rank 1, where t = 1, click all that they examine.
std::map<std::string, Entries> relative_slopes(const Fitted& f) {
  Entries slopes = f.often("trust");
  for (auto& [rank, t] : slopes)
    t = testing::probability_of(f.model, "examination", rank) * (1 - t);
  constexpr double of_users = 0.25;  // e = t = 1/2
  return {{"slope", scaled(slopes, of_users / slopes.at(1))}};
}

/// Nothing is identified by itself: see each entry of the list.
std::map<std::string, Entries> nothing(const Fitted&) { return {}; }

const std::vector<Recovered>& recovered_models() {
  static const std::vector<Recovered> all = {
      {"gctr", plainly({"click"})},
      {"rctr", plainly({"examination"})},
      {"dctr", plainly({"attraction"})},
      {"drctr", plainly({"attraction"}), 60, 1},
      {"pbm", up_to_a_factor, 150},
      {"trust_bias", relative_slopes, 400},
      {"ubm", up_to_a_factor, 150},
      // A constant may move from the logits of ranks to those of documents.
      {"two_tower", nothing},
      {"cm", plainly({"attraction"})},
      {"dcm", plainly({"attraction", "continuation"}), 100},
      {"ccm", plainly({"attraction", "after_skip", "after_irrelevant", "after_relevant"}), 150},
      {"dbn", plainly({"attraction", "satisfaction", "continuation"}), 150},
      {"sdbn", plainly({"attraction", "satisfaction"}), 100},
      // Components explain each other's sessions, so that shares and parameters trade off. With an
      // attraction each, EM from equal starts ends in a local optimum; sharing it leaves one.
      {"mixture", nothing, 100, 3, "{share: [attraction]}"},
  };
  return all;
}

class RecoverySlowTest : public ::testing::TestWithParam<Recovered> {
 protected:
  static constexpr int threads = 2;

  RecoverySlowTest()
      : data_(testing::simulate(
            "{user: " + user() + ", queries: " + std::to_string(GetParam().queries) +
                ", sessions: 200000, valid_sessions: 2000, test_sessions: 2000, candidates: 8, "
                "positions: 6, zipf: 0, ranking_noise: 3}",
            {.threads = threads})) {}

  /// The model with its options, in YAML.
  static std::string user() {
    return "{type: " + GetParam().model + ", " + GetParam().options.substr(1);
  }

  TrainableModel new_model() const {
    return testing::build_model(GetParam().model,
                                {.rows = data_.dataset.dictionary.rows(),
                                 .positions = static_cast<std::int64_t>(data_.dataset.positions)},
                                GetParam().options);
  }

  TrainableModel fit(const std::string& optimizer, const std::string& options,
                     std::int64_t epochs) const {
    TrainableModel model = new_model();
    start_at_click_rate(model, data_.dataset.train);
    TrainOptions train;
    train.epochs = epochs;
    train.early_stopping = 0;
    const Choice choice(testing::registry().optimizers(), optimizer);
    testing::configure(*choice.options, options);
    const auto fitter = make_fitter(
        choice.as<FitOptions>(),
        {.model = model, .train = data_.dataset.train, .options = train, .threads = threads});
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) fitter->pass(epoch, {});
    return model;
  }

  std::map<std::string, std::vector<double>> tries() const {
    const TrainableModel model = new_model();
    LogPass count(model, ProgramKind::tosses, data_.dataset.train, threads);
    count();
    std::map<std::string, std::vector<double>> all;
    for (const Parameter* parameter : model.parameters())
      all[parameter->name()] = count.gradient(parameter);
    return all;
  }

  void expect_recovered(const TrainableModel& model, const std::string& how) const {
    expect_click_probabilities(model, how);
    if (GetParam().model == "two_tower") return;  // it has no coins to count
    const auto often = tries();
    const auto expected = GetParam().identified({*data_.truth, often});
    const auto actual = GetParam().identified({model, often});
    for (const auto& [name, entries] : expected) {
      ASSERT_FALSE(entries.empty()) << how << ": " << name;
      double error = 0;
      for (const auto& [entry, p] : entries) error += std::abs(actual.at(name).at(entry) - p);
      error /= static_cast<double>(entries.size());
      EXPECT_LT(error, 0.02) << how << ": " << name << " of " << entries.size() << " entries";
      RecordProperty(fmt::format("{}_{}", how, name), fmt::format("{:.5f}", error));
    }
  }

  /// P(click | clicks above) on sessions that training did not see.
  void expect_click_probabilities(const TrainableModel& model, const std::string& how) const {
    ClickPrograms fitted(model, ProgramKind::conditional);
    ClickPrograms truth(*data_.truth, ProgramKind::conditional);
    double error = 0, documents = 0;
    for (std::size_t s = 0; s < count_shards(data_.dataset.test); ++s) {
      Shard shard;
      pack_shard(data_.dataset.test, s, shard);
      const auto expected = truth.run(shard).log_p(), actual = fitted.run(shard).log_p();
      for (std::size_t i = 0; i < expected.size(); ++i)
        error += std::abs(std::exp(actual[i]) - std::exp(expected[i]));
      documents += static_cast<double>(expected.size());
    }
    EXPECT_LT(error / documents, 0.02) << how << ": click probabilities";
    RecordProperty(how + "_clicks", fmt::format("{:.5f}", error / documents));
  }

  ExperimentData data_;
};

TEST_P(RecoverySlowTest, ByGradients) {
  expect_recovered(fit("adam", "{lr: 0.03, schedule: cosine}", 8), "gradients");
}

TEST_P(RecoverySlowTest, ByExpectationMaximisation) {
  if (GetParam().model == "two_tower") {
    EXPECT_THROW(fit("em", "{}", 1), ConfigError) << "EM does not apply to additive logits";
    return;
  }
  expect_recovered(fit("em", "{}", GetParam().passes), "em");
}

INSTANTIATE_TEST_SUITE_P(Models, RecoverySlowTest, ::testing::ValuesIn(recovered_models()),
                         [](const auto& test) { return test.param.model; });

TEST(RecoveredModelsTest, AreAllThatAreRegistered) {
  std::set<std::string> registered, recovered;
  for (const ModelType& type : testing::types_without_signals()) registered.insert(type.name);
  for (const Recovered& model : recovered_models()) recovered.insert(model.model);
  EXPECT_EQ(recovered, registered);
}

}  // namespace
}  // namespace ultr::recovery_test
