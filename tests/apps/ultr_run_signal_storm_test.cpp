#include <csignal>
#include <random>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "apps/run_fixture.h"
#include "commands/built_in_registry.h"

// Signals at random times of every optimizer's training, of tables and of networks: a run that was
// stopped and resumed has the same bits as one that was not.

namespace ultr::ultr_run_signal_storm_test {
namespace {

namespace fs = std::filesystem;
using testing::Finished;

bool nightly() { return std::getenv("ULTR_NIGHTLY") != nullptr; }

/// Returns the processor time of all programs so far that this one has started and that have ended.
long microseconds_of_programs() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto sum = [](const timeval& time) { return time.tv_sec * 1000000 + time.tv_usec; };
  return sum(usage.ru_utime) + sum(usage.ru_stime);
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  const Registry registry = built_in_registry();
  for (const OptionType& type : registry.optimizers()) names.push_back(type.name);
  return names;
}

/// Options that train one kind of parameters for some tenths of a second.
struct Training {
  std::string name, options;
};

void PrintTo(const Training& training, std::ostream* stream) { *stream << training.name; }

std::vector<Training> trainings() {
  const auto lists = [](int epochs, const std::string& relevance) {
    return fmt::format(
        "data:\n"
        "  format: feature_lists\n"
        "  reader: {{type: synthetic, train_queries: 1000, valid_queries: 20, test_queries: 20}}\n"
        "  learn_from: {{type: simulated_clicks, user: position_based, sessions: 20000}}\n"
        "train: {{epochs: {}, batch_size: 16, early_stopping: 0}}\n"
        "report: {{enabled: false}}\n"
        "loss: {{type: pbm, relevance: {}}}\n",
        epochs, relevance);
  };
  return {
      {"table",
       "data: {format: simulation, user: dbn, sessions: 20000, valid_sessions: 100, "
       "test_sessions: 100, queries: 50}\n"
       "model: sdbn\n"
       "train: {epochs: " +
           std::string(nightly() ? "100" : "20") +
           ", batch_size: 256, early_stopping: 0}\n"
           "report: {enabled: false}\n"},
      {"linear", lists(nightly() ? 2000 : 400, "linear")},  // whose epochs take a millisecond
      {"mlp", lists(nightly() ? 250 : 20, "{type: mlp, widths: [32, 16], dropout: 0.1}")},
      {"deep_cross",
       lists(nightly() ? 120 : 20, "{type: deep_cross, widths: [32, 16], dropout: 0.1}")},
  };
}

class UltrRunSignalStormTest
    : public testing::UltrRun,
      public ::testing::WithParamInterface<std::tuple<std::string, Training, int>> {
 protected:
  UltrRunSignalStormTest() {
    const auto& [optimizer, training, threads] = GetParam();
    // The usual rate makes networks diverge.
    const std::string stated = optimizer == "sgd" ? "{type: sgd, lr: 0.0001}" : optimizer;
    folder_.write("run.yaml",
                  training.options + fmt::format("optimizer: {}\nthreads: {}\n", stated, threads));
  }

  /// Trains without signals. Returns false if the optimizer cannot fit such parameters.
  bool train_whole() const {
    const Finished finished = run({"run.yaml", "output=whole"});
    if (finished.exit_code == 2 && std::get<Training>(GetParam()).name != "table" &&
        finished.errors.find("optimizer") != std::string::npos)
      return false;
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return true;
  }

  Finished run_with(const std::string& variable, long microseconds,
                    const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {fmt::format("{}={}", variable, microseconds),
                                      std::string("LD_PRELOAD=") + ULTR_SIGNAL_TIMER, ULTR_RUN};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return testing::run_program("/usr/bin/env", words, folder_.path());
  }
};

/// Returns true for the trainings that are tried each time: every optimizer, and every network.
bool is_tried(const std::tuple<std::string, Training, int>& parameters) {
  const auto& [optimizer, training, threads] = parameters;
  return nightly() || (threads == 2 && (training.name == "table" || optimizer == "adamw"));
}

TEST_P(UltrRunSignalStormTest, ResumesBitIdentically) {
  if (!is_tried(GetParam())) GTEST_SKIP() << "ULTR_NIGHTLY is not set";
  const long start = microseconds_of_programs();
  if (!train_whole()) GTEST_SKIP() << "the optimizer fits no networks";
  const long whole = microseconds_of_programs() - start;
  ASSERT_EQ(run({"run.yaml", "train.epochs=1", "output=once"}).exit_code, 0);
  const long once = microseconds_of_programs() - start - whole;
  // What comes before and after training takes no longer than a run of one epoch. A resumed run is
  // stopped again, so that signals reach the last epochs, too.
  std::mt19937 random(7);
  std::uniform_int_distribution<long> time(once, std::max(whole / 2, once));
  int sent = 0, stopped = 0;
  for (int trial = 0; trial < (nightly() ? 20 : 1); ++trial) {
    fs::remove_all(path("run"));
    Finished finished;
    do {  // a signal that comes before training ends the program without a word
      const bool begun = fs::exists(path("run/checkpoints"));
      if (!begun) fs::remove_all(path("run"));
      finished = run_with("SIGTERM_AFTER", time(random),
                          begun ? std::vector<std::string>{"--resume", "run"}
                                : std::vector<std::string>{"run.yaml", "output=run"});
      sent += finished.exit_code == 128 + SIGTERM ? 1 : 0;
      stopped += finished.errors.find("stopped by SIGTERM; to resume") == std::string::npos ? 0 : 1;
    } while (finished.exit_code == 128 + SIGTERM);
    ASSERT_EQ(finished.exit_code, 0) << finished.errors;
    expect_same_results("run", "whole");
  }
  if (!nightly()) return;
  fmt::print("{} signals, {} of them while training\n", sent, stopped);
  EXPECT_GE(10 * stopped, 9 * sent) << "runs are too short";
}

TEST_P(UltrRunSignalStormTest, IsNotDisturbedByAProfiler) {
  if (!is_tried(GetParam())) GTEST_SKIP() << "ULTR_NIGHTLY is not set";
  if (!train_whole()) GTEST_SKIP() << "the optimizer fits no networks";
  const Finished finished = run_with("PROFILE_EVERY", 100, {"run.yaml", "output=run"});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  expect_same_results("run", "whole");
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<std::string, Training, int>>& info) {
  const auto& [optimizer, training, threads] = info.param;
  return fmt::format("{}_{}_{}", optimizer, training.name, threads);
}

INSTANTIATE_TEST_SUITE_P(Trainings, UltrRunSignalStormTest,
                         ::testing::Combine(::testing::ValuesIn(optimizer_names()),
                                            ::testing::ValuesIn(trainings()),
                                            ::testing::Values(1, 2)),
                         name_of);

}  // namespace
}  // namespace ultr::ultr_run_signal_storm_test
