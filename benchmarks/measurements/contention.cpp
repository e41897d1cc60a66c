#include "measurements/contention.h"

#include <array>
#include <chrono>
#include <csignal>
#include <deque>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare_step.h"
#include "base/error.h"
#include "synthetic_sessions.h"
#include "timing.h"

namespace ultr::bench {
namespace {

constexpr std::array busy_counts = {0, 1, 2, 4};
constexpr int repetitions = 9;

/// Processes that compute without end during the lifetime of this object.
class BusyProcesses {
 public:
  explicit BusyProcesses(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t process = fork();
      if (process < 0) throw Error("a busy process cannot be started");
      if (process == 0) compute();
      processes_.push_back(process);
    }
  }
  ~BusyProcesses() {
    for (const pid_t process : processes_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  [[noreturn]] static void compute() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the benchmark is killed
    for (volatile unsigned number = 0;;) number = number + 1;
  }

  std::vector<pid_t> processes_;
};

/// Returns the million sessions per second of a window.
double window_speed(BareStep& step, std::int64_t batch, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  double sessions = 0, spent = 0;
  while (spent < seconds) {
    step();
    sessions += static_cast<double>(batch);
    spent = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return sessions / spent / 1e6;
}

/// Returns the speeds of all repetitions, one list per step. The steps take turns.
std::vector<std::vector<double>> speeds_in_turn(std::deque<BareStep>& steps, std::int64_t batch,
                                                double seconds) {
  std::vector<std::vector<double>> speeds(steps.size());
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t i = 0; i < steps.size(); ++i)
      speeds[i].push_back(window_speed(steps[i], batch, seconds));
  return speeds;
}

void measure_model(const MeasurementPlan& plan, const std::string& type,
                   const TakeMeasurement& take) {
  const std::int64_t rows = plan.usual_rows(), batch = plan.batches.front();
  const TrainableModel model = plain_model(type, rows);
  std::deque<BareStep> steps;  // one per number of threads
  for (const int threads : plan.threads)
    steps.emplace_back(model, synthetic_shards(rows), batch, threads);
  for (const int busy : busy_counts) {
    const BusyProcesses others(busy);
    const auto speeds = speeds_in_turn(steps, batch, plan.seconds);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Measurement speed{.what = "contention",
                        .unit = "M sessions/s",
                        .subject = fmt::format("{} beside {}", type, busy),
                        .batch = batch,
                        .threads = plan.threads[i],
                        .rows = rows,
                        .value = sorted_quantile(speeds[i], 0.5)};
      take(speed);
      if (plan.threads[i] == 1 || plan.threads.front() != 1) continue;
      std::vector<double> ratios;
      for (int r = 0; r < repetitions; ++r)
        ratios.push_back(speeds[i][static_cast<std::size_t>(r)] /
                         speeds[0][static_cast<std::size_t>(r)]);
      for (const auto& [unit, part] : {std::pair{"times one thread", 0.5},
                                       std::pair{"times one thread, lower quartile", 0.25}}) {
        speed.unit = unit;
        speed.value = sorted_quantile(ratios, part);
        take(speed);
      }
    }
  }
}

}  // namespace

void measure_contention(const MeasurementPlan& plan, const TakeMeasurement& take) {
  for (const std::string& type : plan.models)
    if (type == "pbm" || type == "ubm" || type == "dbn") measure_model(plan, type, take);
}

}  // namespace ultr::bench
