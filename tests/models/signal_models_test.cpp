#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "dsl/programs/sampler.h"
#include "dsl/signal_domains.h"
#include "models/model_fixture.h"
#include "optim/optim.h"
#include "testing/errors.h"
#include "training/evaluation.h"
#include "training/fitters.h"

namespace ultr::signal_models_test {
namespace {

constexpr std::size_t positions = 6;

/// A model with random parameters, and its predictions for made-up sessions.
class Predicted {
 public:
  explicit Predicted(const std::string& type)
      : model_(testing::build_model(type, {.rows = 9, .positions = positions})) {
    testing::randomise(model_, -2, 2, 5);
    log_p_ = ClickPrograms(model_, ProgramKind::conditional, Precision::float64).run(shard).log_p();
  }
  double click(std::size_t document) const { return std::exp(log_p_[document]); }
  double of(const char* name, std::size_t entry) const {
    return testing::probability_of(model_, name, entry);
  }

  const Shard shard = testing::pack_all(testing::uneven_lists(1));

 private:
  TrainableModel model_;
  std::vector<double> log_p_;
};

/// Expects P(click) of a document to be its attraction times an entry of examination.
void expect_examined(const Predicted& predicted, std::size_t document, std::size_t entry) {
  const std::uint32_t row = predicted.shard.rows()[document];
  EXPECT_NEAR(predicted.click(document),
              predicted.of("examination", entry) * predicted.of("attraction", row), 1e-7);
}

TEST(SignalModelsTest, ViewsChooseTheExamination) {
  const Predicted predicted("viewed_pbm");
  const Shard& shard = predicted.shard;
  for (std::size_t i = 0; i < shard.documents(); ++i)
    expect_examined(predicted, i, 2 * shard.positions()[i] + shard.signal(Signal::viewed)[i]);
}

TEST(SignalModelsTest, SkipsAboveChooseTheExamination) {
  const Predicted predicted("skipped_pbm");
  const Shard& shard = predicted.shard;
  for (std::size_t k = 0; k < shard.longest(); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j) {
      const std::size_t i = shard.begin(k) + j;
      const std::size_t above = k == 0 ? 0 : shard.signal(Signal::skipped)[shard.begin(k - 1) + j];
      expect_examined(predicted, i, 2 * shard.positions()[i] + above);
    }
}

TEST(SignalModelsTest, DwellTimesChangeSatisfaction) {
  const Predicted predicted("dwell_dbn");
  const Shard& shard = predicted.shard;
  const auto logit = [](double p) { return std::log(p / (1 - p)); };
  const double go_on = predicted.of("continuation", 0);
  int after_click = 0;
  for (std::size_t j = 0; j < shard.sessions(); ++j)
    for (std::size_t k = 0; k + 1 < shard.longest() && j < shard.count(k + 1); ++k) {
      const std::size_t i = shard.begin(k) + j, next = shard.begin(k + 1) + j;
      if (shard.clicks()[i] == 0) continue;
      const double of_pair = predicted.of("satisfaction", shard.rows()[i]);
      const double of_time = predicted.of("dwell", dwell_class(shard.signal(Signal::dwell)[i]));
      const double content = 1 / (1 + std::exp(-logit(of_pair) - logit(of_time)));
      EXPECT_NEAR(predicted.click(next),
                  go_on * (1 - content) * predicted.of("attraction", shard.rows()[next]), 1e-6);
      ++after_click;
    }
  EXPECT_GT(after_click, 20);
}

TEST(SignalModelsTest, DwellTimesAreClassedByTheirLogarithm) {
  EXPECT_EQ(dwell_class(0), 0u);
  EXPECT_EQ(dwell_class(1), 1u);
  EXPECT_EQ(dwell_class(2), 2u);
  EXPECT_EQ(dwell_class(3), 2u);
  EXPECT_EQ(dwell_class(1023), 10u);
  EXPECT_EQ(dwell_class(1024), 11u);
  EXPECT_EQ(dwell_class(65535), 11u);
}

TEST(SignalModelsTest, LogsWithoutTheirSignalAreRefused) {
  SessionLog log;
  log.add(
      {std::vector<std::uint32_t>{1}, std::vector<std::uint16_t>{0}, std::vector<std::uint8_t>{1}});
  const auto refusal = [&](const std::string& type, const std::string& options = "{}") {
    const TrainableModel model =
        testing::build_model(type, {.rows = 9, .positions = positions}, options);
    model.check(SessionLog());
    model.check(with_made_up_signals(log));
    return testing::data_message([&] { model.check(log); });
  };
  EXPECT_EQ(
      refusal("viewed_pbm"),
      "viewed_pbm reads views ('viewed'), which the sessions do not have; expected a log with "
      "this signal");
  EXPECT_EQ(refusal("mixture", "components: [pbm, dwell_dbn]"),
            "mixture reads dwell times ('dwell'), which the sessions do not have; expected a log "
            "with this signal");
  testing::build_model("pbm", {.rows = 9, .positions = positions}).check(log);
}

/// Returns sessions of users who follow a model, on lists with made-up signals.
SessionLog sampled_sessions(const TrainableModel& users, std::size_t sessions) {
  SessionLog lists;
  for (std::size_t i = 0; i < sessions; ++i) {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> shown;
    for (std::uint16_t k = 0; k < positions; ++k) {
      rows.push_back(static_cast<std::uint32_t>(1 + (5 * i + 3 * k + i / 8) % 8));
      shown.push_back(k);
    }
    lists.add({rows, shown, std::vector<std::uint8_t>(positions)});
  }
  lists = with_made_up_signals(lists);
  ClickSampler sampler(users);
  for (std::uint32_t first = 0; first < sessions; first += shard_sessions) {
    std::vector<std::uint32_t> some;
    for (std::size_t i = first; i < std::min(sessions, first + shard_sessions); ++i)
      some.push_back(static_cast<std::uint32_t>(i));
    Shard shard;
    shard.pack(lists, some);
    const std::vector<std::uint64_t> numbers(some.begin(), some.end());
    const SampledClicks sampled = sampler.sample(shard, 1, numbers);
    for (std::size_t k = 0; k < shard.longest(); ++k)
      for (std::size_t j = 0; j < shard.count(k); ++j)
        lists.clicks(shard.order()[j])[k] = sampled.clicks[shard.begin(k) + j];
  }
  return lists;
}

double fitted_likelihood(const std::string& type, const SessionLog& train, const SessionLog& test) {
  const TrainableModel model = testing::build_model(type, {.rows = 9, .positions = positions});
  const Choice optimizer(optimizer_types(), "adam");
  testing::configure(*optimizer.options, "{lr: 0.05}");
  TrainOptions options;
  const auto fitter =
      make_fitter(optimizer.as<FitOptions>(), {.model = model, .train = train, .options = options});
  for (std::int64_t epoch = 1; epoch <= 40; ++epoch) fitter->pass(epoch, {});
  return evaluate_clicks(model, test, LossMean::documents, 1).conditional.log_likelihood();
}

/// Users of each model are predicted better by it than by the model that it extends.
TEST(SignalModelsTest, SignalsThatUsersGoByHelpTheLikelihood) {
  for (const auto& [type, plain] : {std::pair{"viewed_pbm", "pbm"}, std::pair{"skipped_pbm", "pbm"},
                                    std::pair{"dwell_dbn", "dbn"}}) {
    const TrainableModel users = testing::build_model(type, {.rows = 9, .positions = positions});
    testing::randomise(users, -1.5, 1.5, 3);
    if (users.type() == "dwell_dbn") {  // most go on, and dwell times tell much
      testing::parameter_called(users, "continuation").fill(3);
      Parameter& dwell = testing::parameter_called(users, "dwell");
      for (std::int64_t i = 0; i < dwell.rows(); ++i) dwell.value(i) = i % 2 == 0 ? 3 : -3;
    }
    const SessionLog train = sampled_sessions(users, 8192);
    SessionLog test;
    for (std::size_t i = 6144; i < train.sessions(); ++i) test.add(train[i]);
    const double with = fitted_likelihood(type, train, test),
                 without = fitted_likelihood(plain, train, test);
    RecordProperty(type, fmt::format("{:.5f}", with - without));
    EXPECT_GT(with, without + 0.002) << type;
  }
}

}  // namespace
}  // namespace ultr::signal_models_test
