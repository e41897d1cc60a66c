#include "measurements/model_measurements.h"

#include <array>
#include <deque>
#include <numeric>

#include "bare_step.h"
#include "commands/built_in_registry.h"
#include "data/log/parallel_shards.h"
#include "dsl/programs/sampler.h"
#include "synthetic_sessions.h"
#include "timing.h"
#include "training/evaluation.h"
#include "training/fitters.h"

namespace ultr::bench {
namespace {

/// The number of shards to evaluate and sample: a quarter of a million sessions.
constexpr std::size_t some_shards = 1024;
constexpr std::size_t some_sessions = some_shards * shard_sessions;

/// A model to measure, with one number of threads.
struct Subject {
  const TrainableModel& model;
  std::int64_t rows;
  int threads;
  double seconds;
};

/// Measures sessions per second of each model with each number of threads.
template <class Speed>
void measure_speeds(const MeasurementPlan& plan, std::span<const std::string> models,
                    const std::string& what, Speed speed, const TakeMeasurement& take) {
  const std::int64_t rows = plan.usual_rows();
  for (const std::string& type : models) {
    const TrainableModel model = plain_model(type, rows);
    for (const int threads : plan.threads) {
      const OnLastCore pinned(threads == 1);
      take({.what = what,
            .unit = "M sessions/s",
            .subject = type,
            .threads = threads,
            .rows = rows,
            .value = speed(Subject{model, rows, threads, plan.seconds}) / 1e6});
    }
  }
}

double evaluation_speed(const Subject& subject, EvaluatedParts parts) {
  const SessionLog& all = synthetic_log(subject.rows);
  SessionLog log;
  for (std::size_t i = 0; i < some_sessions; ++i) log.add(all[i]);
  return median_speed(
      [&] { evaluate_clicks(subject.model, log, LossMean::documents, subject.threads, {}, parts); },
      some_sessions, subject.seconds);
}

double sampling_speed(const Subject& subject) {
  const auto shards = std::span(synthetic_shards(subject.rows)).first(some_shards);
  std::deque<ClickSampler> samplers;  // one per worker
  for (int i = 0; i < subject.threads; ++i) samplers.emplace_back(subject.model);
  const auto sample_all = [&] {
    for_each_worker(subject.threads, [&](std::size_t worker) {
      std::array<std::uint64_t, shard_sessions> numbers;
      for (std::size_t s = worker; s < shards.size(); s += samplers.size()) {
        std::iota(numbers.begin(), numbers.end(), s * shard_sessions);
        samplers[worker].sample(shards[s], 1, numbers);
      }
    });
  };
  return median_speed(sample_all, some_sessions, subject.seconds);
}

double em_speed(const Subject& subject) {
  const SessionLog& log = synthetic_log(subject.rows);
  const Registry registry = built_in_registry();
  const Choice em(registry.optimizers(), "em");
  const TrainOptions options;
  const auto fitter = make_fitter(
      em.as<FitOptions>(),
      {.model = subject.model, .train = log, .options = options, .threads = subject.threads});
  std::int64_t passes = 0;
  const auto pass = [&] { fitter->pass(++passes, {}); };
  pass();
  pass();  // packs the log
  return median_speed(pass, static_cast<double>(log.sessions()), subject.seconds);
}

}  // namespace

void measure_evaluation(const MeasurementPlan& plan, const TakeMeasurement& take) {
  for (const auto& [name, parts] : {std::pair{"validation", EvaluatedParts::likelihoods},
                                    std::pair{"evaluation", EvaluatedParts::all}})
    measure_speeds(
        plan, plan.models, name,
        [&](const Subject& subject) { return evaluation_speed(subject, parts); }, take);
}

void measure_sampling(const MeasurementPlan& plan, const TakeMeasurement& take) {
  measure_speeds(plan, plan.models, "sampling", sampling_speed, take);
}

void measure_em(const MeasurementPlan& plan, const TakeMeasurement& take) {
  std::vector<std::string> models;
  for (const std::string& model : plan.models)
    if (model == "pbm" || model == "ubm" || model == "dbn" || model == "ccm")
      models.push_back(model);
  const auto take_both = [&](const Measurement& speed) {
    take(speed);
    Measurement time = speed;
    time.unit = "s per iteration";
    time.value = static_cast<double>(synthetic_sessions(speed.rows)) / (*speed.value * 1e6);
    take(time);
  };
  measure_speeds(plan, models, "EM", em_speed, take_both);
}

}  // namespace ultr::bench
