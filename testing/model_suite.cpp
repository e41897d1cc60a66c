#include "testing/model_suite.h"

#include <cmath>
#include <numeric>

#include "data/simulation/made_up_signals.h"
#include "dsl/programs/model_check.h"
#include "dsl/programs/sampler.h"
#include "optim/coins.h"
#include "options/config_tree.h"
#include "training/fitters.h"

namespace ultr::testing {

ModelSuite::ModelSuite() : model_(build_model(GetParam(), {.rows = rows, .positions = positions})) {
  randomise(model_, -2, 2, 7);
}

std::vector<double> ModelSuite::log_joint(const SessionLog& log, ProgramKind kind) const {
  std::vector<double> joint;
  ClickPrograms programs(model_, kind, Precision::float64);
  for (std::uint32_t i = 0; i < log.sessions(); ++i) {
    Shard shard;
    shard.pack(log, std::array{i});
    joint.push_back(-programs.run(shard).loss());
  }
  return joint;
}

TEST_P(ModelSuite, ProbabilitiesOfAllClickVectorsSumToOne) {
  double total = 0;
  for (const double log_p : log_joint(all_click_vectors(list_))) total += std::exp(log_p);
  EXPECT_NEAR(total, 1, 1e-12);
}

TEST_P(ModelSuite, ConditionalsMultiplyToTheJoint) {
  const SessionLog log = all_click_vectors(list_);
  const Shard shard = pack_all(log);
  ClickPrograms programs(model_, ProgramKind::conditional, Precision::float64);
  const ClickProgram& program = programs.run(shard);
  const auto click = program.log_p(), no_click = program.log_complement();
  const auto joint = log_joint(log);
  for (std::size_t j = 0; j < shard.sessions(); ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const std::size_t at = shard.begin(k) + j;
      sum += shard.clicks()[at] != 0 ? click[at] : no_click[at];
    }
    if (std::isinf(joint[shard.order()[j]])) {
      EXPECT_EQ(sum, -HUGE_VAL) << "click vector " << j;
      continue;
    }
    EXPECT_NEAR(sum, joint[shard.order()[j]], 1e-10 * std::abs(sum)) << "click vector " << j;
  }
}

TEST_P(ModelSuite, UnconditionalsEqualSummedJoints) {
  const SessionLog log = all_click_vectors(list_);
  const auto joint = log_joint(log);
  std::vector<double> summed(list_.size());
  for (std::size_t vector = 0; vector < joint.size(); ++vector)
    for (std::size_t k = 0; k < list_.size(); ++k)
      if ((vector >> k & 1) != 0) summed[k] += std::exp(joint[vector]);
  const Shard shard = pack_all(log);
  ClickPrograms programs(model_, ProgramKind::unconditional, Precision::float64);
  const auto click = programs.run(shard).log_p();
  for (std::size_t k = 0; k < list_.size(); ++k)
    EXPECT_NEAR(std::exp(click[shard.begin(k)]), summed[k], 1e-12) << "rank " << k;
}

TEST_P(ModelSuite, GradientsAgreeWithFiniteDifferences) {
  const SessionLog log = uneven_lists(1);
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    const GradientReport report = check_model_gradient(model_, pack_all(log), mean);
    EXPECT_GT(report.entries, 0u);
    EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
  }
}

TEST_P(ModelSuite, LossOfAShardIsTheSumOfItsSessions) {
  const SessionLog log = uneven_lists(2);
  const auto joint = log_joint(log, ProgramKind::loss);
  ClickPrograms programs(model_, ProgramKind::loss, Precision::float64);
  const double loss = programs.run(pack_all(log)).loss();
  EXPECT_NEAR(loss, -std::accumulate(joint.begin(), joint.end(), 0.0), 1e-11);

  double mean_of_sessions = 0;
  for (std::size_t i = 0; i < joint.size(); ++i)
    mean_of_sessions -= joint[i] / static_cast<double>(log.length(i));
  ClickPrograms by_session(model_, ProgramKind::loss, Precision::float64, LossMean::sessions);
  EXPECT_NEAR(by_session.run(pack_all(log)).loss(), mean_of_sessions, 1e-11);
}

TEST_P(ModelSuite, ReplayOnAnotherBatchEqualsAFreshRecording) {
  const Shard first = pack_all(uneven_lists(3)), second = pack_all(uneven_lists(4));
  ASSERT_EQ(first.longest(), second.longest());
  for (const ProgramKind kind : {ProgramKind::conditional, ProgramKind::unconditional,
                                 ProgramKind::relevance, ProgramKind::loss}) {
    ClickProgram replayed(model_, kind, first.longest()), fresh(model_, kind, first.longest());
    replayed.run(first);
    if (kind == ProgramKind::loss) replayed.backward(1);
    replayed.run(second);
    fresh.run(second);
    if (kind != ProgramKind::loss) {
      EXPECT_EQ(replayed.log_p(), fresh.log_p());
      EXPECT_EQ(replayed.log_complement(), fresh.log_complement());
      continue;
    }
    replayed.backward(1);
    fresh.backward(1);
    EXPECT_EQ(replayed.loss(), fresh.loss());
    EXPECT_EQ(gradients_of(model_, replayed), gradients_of(model_, fresh));
  }
}

TEST_P(ModelSuite, PredictionsTogetherEqualEachByItself) {
  const Shard shard = pack_all(uneven_lists(5));
  ClickProgram together(model_, ProgramKind::predictions, shard.longest()),
      likelihoods(model_, ProgramKind::likelihoods, shard.longest());
  together.run(shard);
  likelihoods.run(shard);
  std::vector<double> memory, memory_of_alone;
  const auto numbers = [](std::span<const double> x) {
    return std::vector<double>(x.begin(), x.end());
  };
  for (const ProgramKind kind :
       {ProgramKind::conditional, ProgramKind::unconditional, ProgramKind::examination}) {
    ClickProgram alone(model_, kind, shard.longest());
    alone.run(shard);
    if (kind != ProgramKind::examination) {
      const auto expected =
          numbers(alone.likelihoods(kind, shard.clicks(), memory_of_alone).values);
      for (const ClickProgram* program : {&together, &likelihoods})
        EXPECT_EQ(numbers(program->likelihoods(kind, shard.clicks(), memory).values), expected);
    }
    if (kind == ProgramKind::unconditional) continue;
    const auto p = together.p(kind, memory);
    const auto log_p = alone.log_p();
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], std::exp(log_p[i]), 1e-6) << i;
  }
}

TEST_P(ModelSuite, SampledFrequenciesMatchTheUnconditionals) {
  // Many sessions on the same list; each frequency must be within 4.5 standard errors.
  constexpr std::size_t rounds = 400;
  SessionLog log;
  const std::vector<std::uint16_t> shown_at = {0, 1, 2, 4, 5};
  const std::vector<std::uint8_t> clicks(list_.size());
  for (std::size_t i = 0; i < shard_sessions; ++i) log.add({list_, shown_at, clicks});
  const Shard shard = pack_all(with_made_up_signals(log));
  ClickPrograms programs(model_, ProgramKind::unconditional, Precision::float64);
  const auto log_click = programs.run(shard).log_p();
  ClickSampler sampler(model_);
  std::vector<double> clicked(list_.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> numbers(shard_sessions);
    std::iota(numbers.begin(), numbers.end(), round * shard_sessions);
    const SampledClicks sampled = sampler.sample(shard, 11, numbers);
    for (std::size_t k = 0; k < list_.size(); ++k)
      for (std::size_t j = 0; j < shard_sessions; ++j)
        clicked[k] += sampled.clicks[shard.begin(k) + j];
  }
  const double sessions = static_cast<double>(rounds * shard_sessions);
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const double p = std::exp(log_click[shard.begin(k)]);
    EXPECT_NEAR(clicked[k] / sessions, p, 4.5 * std::sqrt(p * (1 - p) / sessions)) << "rank " << k;
  }
}

TEST_P(ModelSuite, SampledClicksAreExaminedAndAttractive) {
  const Shard shard = pack_all(uneven_lists(5));
  std::vector<std::uint64_t> numbers(shard.sessions());
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  ClickSampler sampler(model_);
  const SampledClicks sampled = sampler.sample(shard, 3, numbers);
  const LatentVariable& examined = sampled.variable("examined");
  ASSERT_EQ(sampled.clicks.size(), shard.documents());
  for (std::size_t i = 0; i < shard.documents(); ++i) {
    ASSERT_LE(examined.values[i], 1);
    if (sampled.clicks[i] != 0) {
      EXPECT_EQ(examined.values[i], 1);
    }
  }
}

TEST_P(ModelSuite, ExpectationMaximisationNeverLowersTheLikelihood) {
  // Clicks that the model itself samples are possible under it.
  SessionLog log = uneven_lists(8);
  const Shard shard = pack_all(log);
  const std::vector<std::uint64_t> numbers(shard.order().begin(), shard.order().end());
  const SampledClicks sampled = ClickSampler(model_).sample(shard, 4, numbers);
  for (std::size_t k = 0; k < shard.longest(); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j)
      log.clicks(shard.order()[j])[k] = sampled.clicks[shard.begin(k) + j];
  const auto likelihood = [&] {
    const auto joint = log_joint(log);
    return std::accumulate(joint.begin(), joint.end(), 0.0);
  };

  randomise(model_, -1, 1, 9);
  const TrainOptions options;
  const EmOptions em;
  std::unique_ptr<Fitter> fitter;
  try {
    fitter = make_fitter(em, {.model = model_, .train = log, .options = options});
  } catch (const ConfigError& refusal) {
    EXPECT_NE(std::string_view(refusal.what()).find("'em' cannot fit"), std::string_view::npos);
    return;
  }
  double before = likelihood();
  for (std::int64_t pass = 1; pass <= 10; ++pass) {
    fitter->pass(pass, {});
    const double after = likelihood();
    // Gradients are single precision.
    EXPECT_GE(after, before - 1e-6 * std::abs(before)) << "pass " << pass;
    before = after;
  }
}

TEST_P(ModelSuite, TheSameNumbersGiveTheSameClicksInAnyShard) {
  const SessionLog log = uneven_lists(6);
  ClickSampler sampler(model_);
  const Shard whole = pack_all(log);
  std::vector<std::uint64_t> numbers(whole.order().begin(), whole.order().end());
  const SampledClicks together = sampler.sample(whole, 5, numbers);
  for (std::size_t j = 0; j < whole.sessions(); ++j) {
    Shard one;
    one.pack(log, std::array{whole.order()[j]});
    const SampledClicks alone = sampler.sample(one, 5, std::array{numbers[j]});
    for (std::size_t k = 0; k < one.longest(); ++k)
      EXPECT_EQ(alone.clicks[k], together.clicks[whole.begin(k) + j]);
  }
}

}  // namespace ultr::testing
