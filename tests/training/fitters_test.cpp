#include "training/fitters.h"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/parallel_shards.h"
#include "models/story_models.h"
#include "optim/optim.h"
#include "options/config_tree.h"
#include "testing/small_log.h"

namespace ultr::fitters_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Returns log P(clicks) of a log, in double precision.
double log_likelihood(const TrainableModel& model, const SessionLog& log) {
  ClickPrograms programs(model, ProgramKind::exact_loss, Precision::float64);
  double sum = 0;
  Shard shard;
  for (std::size_t number = 0; number < count_shards(log); ++number) {
    pack_shard(log, number, shard);
    sum -= programs.run(shard).loss();
  }
  return sum;
}

/// Returns Σ over coins of the log of a Beta prior with these pseudo-tosses, up to a constant.
double log_prior(const TrainableModel& model, double heads, double tails) {
  double sum = 0;
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (layer.domain == Domain::alternative) continue;
    const EntryLogits logits = *layer.layer->entry_logits();
    for (std::int64_t row = 0; row < logits.values->rows(); ++row) {
      const double x = static_cast<double>(logits.values->value(row)) +
                       (logits.baseline ? static_cast<double>(logits.baseline->value(0)) : 0);
      sum -= heads * std::log1p(std::exp(-x)) + tails * std::log1p(std::exp(x));
    }
  }
  return sum;
}

/// Returns the sessions with only the first click of each, so that the cascade model can be fitted
/// too.
SessionLog single_clicks(SessionLog log) {
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    bool clicked = false;
    for (std::uint8_t& click : log.clicks(i)) {
      if (clicked) click = 0;
      clicked = clicked || click != 0;
    }
  }
  return log;
}

Dataset small_dataset() { return testing::small_simulation().dataset; }

std::unique_ptr<Fitter> fitter_for(const TrainableModel& model, const SessionLog& log,
                                   const std::string& type, const std::string& options = "{}",
                                   int threads = 1) {
  static const TrainOptions train;
  const Choice choice(optimizer_types(), type);
  testing::configure(*choice.options, options);
  return make_fitter(choice.as<FitOptions>(),
                     {.model = model, .train = log, .options = train, .threads = threads});
}

std::vector<ModelType> all_types() {
  std::vector<ModelType> types = model_types();
  types.insert(types.end(), testing::story_types().begin(), testing::story_types().end());
  return types;
}

/// Tests of every registered model, and of some that only tests define.
class EveryModelByEmTest : public ::testing::TestWithParam<ModelType> {
 protected:
  EveryModelByEmTest() : dataset_(small_dataset()) {
    dataset_.train = single_clicks(dataset_.train);
  }

  TrainableModel model() const {
    TrainableModel built = testing::build_model(
        GetParam(), {.rows = dataset_.dictionary.rows(),
                     .positions = static_cast<std::int64_t>(dataset_.positions)});
    testing::randomise(built, -1.5, 0.5, 7);
    return built;
  }

  /// Returns nothing if EM refuses the model, which it may do for additive ones only.
  std::unique_ptr<Fitter> fitter(const TrainableModel& built, const std::string& options = "{}",
                                 int threads = 1) const {
    try {
      return fitter_for(built, dataset_.train, "em", options, threads);
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("adds logits up"));
      EXPECT_THAT((std::set<std::string>{"two_tower", "nested", "dwell_dbn"}),
                  ::testing::Contains(built.type()));
      return nullptr;
    }
  }

  Dataset dataset_;
};

TEST_P(EveryModelByEmTest, NoPassLowersTheLikelihood) {
  const TrainableModel built = model();
  const auto em = fitter(built);
  if (!em) return;
  double before = log_likelihood(built, dataset_.train);
  const double first = before;
  for (std::int64_t pass = 1; pass <= 20; ++pass) {
    em->pass(pass, {});
    const double after = log_likelihood(built, dataset_.train);
    // Gradients have single precision.
    EXPECT_GE(after, before - 1e-6 * std::abs(before)) << "pass " << pass;
    before = after;
  }
  EXPECT_GT(before, first + 1) << "it learns";
}

TEST_P(EveryModelByEmTest, NoPassLowersTheLikelihoodTimesThePrior) {
  const TrainableModel built = model();
  const auto em = fitter(built, "{pseudo_count: 5, pseudo_mean: 0.2}");
  if (!em) return;
  double before = log_likelihood(built, dataset_.train) + log_prior(built, 1, 4);
  for (std::int64_t pass = 1; pass <= 12; ++pass) {
    em->pass(pass, {});
    const double after = log_likelihood(built, dataset_.train) + log_prior(built, 1, 4);
    EXPECT_GE(after, before - 1e-6 * std::abs(before)) << "pass " << pass;
    before = after;
  }
}

TEST_P(EveryModelByEmTest, ThreadsDoNotChangeABit) {
  std::vector<std::vector<std::vector<float>>> results;
  for (const int threads : {1, 2, 3}) {
    const TrainableModel built = model();
    const auto em = fitter(built, "{}", threads);
    if (!em) return;
    for (std::int64_t pass = 1; pass <= 3; ++pass) em->pass(pass, {});
    results.push_back(testing::values_of(built));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelByEmTest, ::testing::ValuesIn(all_types()),
                         [](const auto& test) { return test.param.name; });

/// Numbers of clicks and of shown documents, by key.
struct Shares {
  std::map<std::uint64_t, double> clicks, shown;
  double share(std::uint64_t key) const { return clicks.at(key) / shown.at(key); }
};

TEST(CoinFitterTest, OnClickRatesOnePassIsTheClosedForm) {
  const Dataset dataset = small_dataset();
  const std::map<std::string, std::string> parameter = {
      {"gctr", "click"}, {"rctr", "examination"}, {"dctr", "attraction"}, {"drctr", "attraction"}};
  for (const auto& [type, name] : parameter) {
    const TrainableModel model = testing::model_for(type, dataset);
    fitter_for(model, dataset.train, "em")->pass(1, {});
    Shares shares;
    const auto key = [&, t = type](std::uint64_t row, std::uint64_t position) -> std::uint64_t {
      if (t == "gctr") return 0;
      if (t == "rctr") return position;
      return t == "dctr" ? row : row * dataset.positions + position;
    };
    for (std::size_t i = 0; i < dataset.train.sessions(); ++i) {
      const SessionView list = dataset.train[i];
      for (std::size_t k = 0; k < list.rows.size(); ++k) {
        const std::uint64_t at = key(list.rows[k], list.positions[k]);
        shares.clicks[at] += list.clicks[k];
        shares.shown[at] += 1;
      }
    }
    for (const auto& [at, shown] : shares.shown)
      EXPECT_NEAR(testing::probability_of(model, name, at), shares.share(at), 1e-6)
          << type << ", entry " << at;
  }
}

TEST(CoinFitterTest, CountingIsTheCountsOfTheLiterature) {
  const Dataset dataset = small_dataset();
  Shares attraction, satisfaction, continuation;
  for (std::size_t i = 0; i < dataset.train.sessions(); ++i) {
    const SessionView list = dataset.train[i];
    const std::size_t length = list.rows.size();
    std::size_t last = length;
    for (std::size_t k = 0; k < length; ++k)
      if (list.clicks[k] != 0) last = k;
    for (std::size_t k = 0; k < length && k <= last; ++k) {
      attraction.shown[list.rows[k]] += 1;
      attraction.clicks[list.rows[k]] += list.clicks[k];
      if (list.clicks[k] == 0) continue;
      satisfaction.shown[list.rows[k]] += 1;
      satisfaction.clicks[list.rows[k]] += k == last ? 1 : 0;
      continuation.shown[k] += 1;
      continuation.clicks[k] += k == last ? 0 : 1;
    }
  }
  const auto expect = [](const TrainableModel& model, const std::string& name,
                         const Shares& shares) {
    for (const auto& [at, shown] : shares.shown)
      EXPECT_NEAR(testing::probability_of(model, name, at), shares.share(at), 1e-6)
          << model.type() << " " << name << " " << at;
  };
  const TrainableModel sdbn = testing::model_for("sdbn", dataset);
  const auto counting = fitter_for(sdbn, dataset.train, "counting");
  EXPECT_FALSE(counting->finished());
  counting->pass(1, {});
  EXPECT_TRUE(counting->finished());
  expect(sdbn, "attraction", attraction);
  expect(sdbn, "satisfaction", satisfaction);
  const TrainableModel dcm = testing::model_for("dcm", dataset);
  fitter_for(dcm, dataset.train, "counting")->pass(1, {});
  expect(dcm, "attraction", attraction);
  expect(dcm, "continuation", continuation);
}

TEST(CoinFitterTest, EmEndsWhenNoProbabilityChangesByMoreThanItsTolerance) {
  const Dataset dataset = small_dataset();
  const TrainableModel model = testing::model_for("pbm", dataset);
  const auto probabilities = [&] {
    std::vector<double> all;
    for (const char* name : {"examination", "attraction"}) {
      const std::size_t entries =
          name[0] == 'e' ? dataset.positions : static_cast<std::size_t>(dataset.dictionary.rows());
      for (std::size_t i = name[0] == 'a' ? 1 : 0; i < entries; ++i)
        all.push_back(testing::probability_of(model, name, i));
    }
    return all;
  };
  constexpr double tolerance = 0.004;
  const auto em = fitter_for(model, dataset.train, "em", "{tolerance: 0.004}");
  EXPECT_TRUE(em->ends_by_itself());
  EXPECT_FALSE(em->finished());
  for (std::int64_t pass = 1; !em->finished(); ++pass) {
    ASSERT_LT(pass, 1000);
    const std::vector<double> before = probabilities();
    em->pass(pass, {});
    const std::vector<double> after = probabilities();
    double change = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      change = std::max(change, std::abs(after[i] - before[i]));
    EXPECT_NEAR(em->progress().change, change, 1e-6) << pass;
    EXPECT_EQ(em->finished(), change <= tolerance) << pass;
  }
  EXPECT_GT(em->progress().steps, 3) << "the test needs a model that takes a few passes";

  const auto resumed = fitter_for(model, dataset.train, "em", "{tolerance: 0.004}");
  resumed->resume(em->progress());
  EXPECT_TRUE(resumed->finished());
  EXPECT_FALSE(fitter_for(model, dataset.train, "em")->ends_by_itself());
}

TEST(CoinFitterTest, SharesOfAMixtureCountForTheTolerance) {
  const Dataset dataset = small_dataset();
  const TrainableModel model = testing::build_model(
      "mixture",
      {.rows = dataset.dictionary.rows(),
       .positions = static_cast<std::int64_t>(dataset.positions)},
      "{components: [{type: gctr, click: {start: 0.1}}, {type: gctr, click: {start: 0.3}}]}");
  const auto em = fitter_for(model, dataset.train, "em", "{tolerance: 1}");
  em->pass(1, {});
  const Parameter& prior = testing::parameter_called(model, "prior");
  const double share = 1 / (1 + std::exp(static_cast<double>(prior.value(1) - prior.value(0))));
  EXPECT_GE(em->progress().change, std::abs(share - 0.5) - 1e-6);
}

TEST(CoinFitterTest, EmReachesAtLeastTheLikelihoodOfCounting) {
  const Dataset dataset = small_dataset();
  for (const std::string type : {"sdbn", "dcm"}) {
    const TrainableModel counted = testing::model_for(type, dataset);
    fitter_for(counted, dataset.train, "counting")->pass(1, {});
    const TrainableModel fitted = testing::model_for(type, dataset);
    const auto em = fitter_for(fitted, dataset.train, "em");
    for (std::int64_t pass = 1; pass <= 100; ++pass) em->pass(pass, {});
    const double by_em = log_likelihood(fitted, dataset.train);
    EXPECT_GE(by_em, log_likelihood(counted, dataset.train)) << type;
    // EM still climbs from where counting ends.
    const double before = log_likelihood(counted, dataset.train);
    fitter_for(counted, dataset.train, "em")->pass(1, {});
    EXPECT_GE(log_likelihood(counted, dataset.train), before) << type;
  }
}

TEST(CoinFitterTest, PairsThatWereNeverShownPredictTheShareOfAll) {
  const Dataset dataset = small_dataset();
  const TrainableModel model =
      testing::build_model("dctr", {.rows = dataset.dictionary.rows(),
                                    .positions = static_cast<std::int64_t>(dataset.positions)});
  fitter_for(model, dataset.train, "em")->pass(1, {});
  EXPECT_NEAR(testing::probability_of(model, "attraction", 0), dataset.train.click_rate(), 1e-6);
}

TEST(CoinFitterTest, ImpossibleClicksAreRefused) {
  const Dataset dataset = small_dataset();
  std::size_t first = 0;
  for (;; ++first) {
    const auto clicks = dataset.train[first].clicks;
    if (std::count(clicks.begin(), clicks.end(), 1) > 1) break;
  }
  const TrainableModel model = testing::model_for("cm", dataset);
  const auto before = testing::values_of(model);
  const auto fitter = fitter_for(model, dataset.train, "em");
  EXPECT_THAT([&] { fitter->pass(1, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("clicks of training session " +
                                                   std::to_string(first + 1) + " are impossible")));
  EXPECT_EQ(testing::values_of(model), before);
}

TEST(CoinFitterTest, AMeanOverSessionsIsRefused) {
  const Dataset dataset = small_dataset();
  const TrainableModel model = testing::model_for("pbm", dataset);
  TrainOptions options;
  options.loss_mean = "sessions";
  EXPECT_THAT(
      [&] {
        make_fitter(EmOptions(), {.model = model, .train = dataset.train, .options = options});
      },
      ThrowsMessage<ConfigError>(HasSubstr("train.loss_mean")));
}

TEST(CoinFitterTest, ThePassReportsTheLossBeforeIt) {
  const Dataset dataset = small_dataset();
  const TrainableModel model = testing::model_for("dbn", dataset);
  const double expected =
      -log_likelihood(model, dataset.train) / static_cast<double>(dataset.train.documents());
  std::size_t done = 0;
  const PassResult pass =
      fitter_for(model, dataset.train, "em")->pass(1, [&](std::size_t n) { done = n; });
  EXPECT_NEAR(pass.loss, expected, 1e-6);
  EXPECT_EQ(done, dataset.train.sessions());
}

}  // namespace
}  // namespace ultr::fitters_test
