#include "base/threads/team_size.h"

#include <array>

#include <gtest/gtest.h>

namespace ultr::team_size_test {
namespace {

constexpr double microsecond = 1e-6, millisecond = 1e-3;

TEST(RoundCostTest, CountsTheWorkOfAllAndTheTimeOfTheFirst) {
  const std::array even = {WorkerTime{2, 40e-6}, WorkerTime{2, 50e-6}};
  EXPECT_DOUBLE_EQ(round_cost(even, 10e-6).alone, 90e-6);
  EXPECT_DOUBLE_EQ(round_cost(even, 10e-6).seconds, 50e-6);
  const std::array late = {WorkerTime{4, 90e-6}, WorkerTime{}};  // the second did not come
  EXPECT_DOUBLE_EQ(round_cost(late, 0).alone, 90e-6);
  EXPECT_DOUBLE_EQ(round_cost(late, 0).seconds, 90e-6);
}

TEST(RoundCostTest, DoesNotCountInterruptionsAsWork) {
  const std::array second = {WorkerTime{1, 20e-6}, WorkerTime{1, 4e-3}};
  EXPECT_DOUBLE_EQ(round_cost(second, 4e-3).alone, 20e-6 + 8 * 20e-6);
  EXPECT_DOUBLE_EQ(round_cost(second, 4e-3).seconds, 20e-6 + 4e-3);
  // Nor does an interruption of the first count against the team: alone, it would be no shorter.
  const std::array first = {WorkerTime{1, 4e-3}, WorkerTime{1, 20e-6}};
  EXPECT_DOUBLE_EQ(round_cost(first, 0).seconds, 8 * 20e-6);
}

/// A machine on which a team works at known speeds.
class Machine {
 public:
  explicit Machine(std::size_t threads) : size_(threads) {}

  /// Does rounds of 50 microseconds of work for a while. `speed_of` returns how many seconds of
  /// work some workers do in a second, `share_of` how much of the time the calling thread is on a
  /// core. Returns the work done per second. Items take `longer` times as long in a team.
  template <class SpeedOf, class ShareOf>
  double run(double seconds, SpeedOf speed_of, ShareOf share_of, double longer = 1) {
    const double begin = clock_;
    double done = 0;
    for (; clock_ < begin + seconds; done += 50 * microsecond) {
      if (size_.is_due(clock_)) size_.decide(clock_, on_core_);
      size_.begin_piece();
      const double needed =
          50 * microsecond / (size_.now() == 1 ? 1 : speed_of(size_.now()) / longer);
      if (size_.now() > 1) size_.add({.alone = 50 * microsecond * longer, .seconds = needed});
      clock_ += needed / share_of(size_.now());
      on_core_ += needed;
    }
    return done / (clock_ - begin);
  }
  template <class SpeedOf>
  double run(double seconds, SpeedOf speed_of, double longer = 1) {
    return run(
        seconds, speed_of, [](std::size_t) { return 1.0; }, longer);
  }
  /// Waits for a thread that lost its core.
  void stall(double seconds) {
    if (size_.now() > 1) size_.add({.seconds = seconds, .asleep = seconds});
    clock_ += seconds;
  }
  /// Lets time pass in which the calling thread neither works nor waits for the team.
  void spend(double seconds) { clock_ += seconds; }
  std::size_t now() const { return size_.now(); }

 private:
  TeamSize size_;
  double clock_ = 1000, on_core_ = 3;
};

TEST(TeamSizeTest, UsesAllThreadsOfAQuietMachine) {
  for (const std::size_t threads : {1u, 2u, 3u, 16u}) {
    Machine machine(threads);
    machine.run(1, [](std::size_t workers) { return 0.9 * static_cast<double>(workers); });
    EXPECT_EQ(machine.now(), threads);
  }
}

TEST(TeamSizeTest, LosesLittleWhereOthersHoldUpTheTeam) {
  for (const std::size_t threads : {2u, 4u, 16u}) {
    Machine machine(threads);
    EXPECT_GT(machine.run(2, [](std::size_t) { return 0.02; }), 0.9) << threads;
    EXPECT_EQ(machine.now(), 1u);
  }
}

TEST(TeamSizeTest, LosesLittleWhereATeamGetsLessOfTheCores) {
  // Two workers are nearly twice as fast as one, but run less than half as often.
  Machine machine(2);
  const auto share = [](std::size_t workers) { return workers == 1 ? 0.8 : 0.3; };
  EXPECT_GT(machine.run(
                5, [](std::size_t) { return 1.9; }, share),
            0.9 * 0.8);
  EXPECT_EQ(machine.now(), 1u);
}

TEST(TeamSizeTest, LosesLittleWhereWorkersSlowEachOtherDown) {
  // By their own times, two workers are nearly twice as fast as one, but what they do takes far
  // longer than it would take one of them.
  Machine machine(2);
  const auto speed = [](std::size_t) { return 1.9; };
  EXPECT_GT(machine.run(5, speed, 3.5), 0.95);
  EXPECT_EQ(machine.now(), 1u);
  EXPECT_GT(machine.run(5, speed, 1.2), 0.95 * 1.9 / 1.2);  // no longer
  EXPECT_EQ(machine.now(), 2u);
}

TEST(TeamSizeTest, StaysTogetherWhereAllRunLessOften) {
  Machine machine(2);
  const auto share = [](std::size_t) { return 0.5; };
  EXPECT_GT(machine.run(
                5, [](std::size_t) { return 1.9; }, share),
            0.85 * 0.5 * 1.9);
}

TEST(TeamSizeTest, ComesBackWhenTheMachineIsQuiet) {
  Machine machine(2);
  machine.run(5, [](std::size_t) { return 0.02; });
  EXPECT_EQ(machine.now(), 1u);
  machine.run(2, [](std::size_t) { return 1.8; });
  EXPECT_EQ(machine.now(), 2u);
}

TEST(TeamSizeTest, BearsARareInterruption) {
  Machine machine(2);
  const auto speed = [](std::size_t) { return 1.8; };
  machine.run(1, speed);
  machine.stall(4 * millisecond);
  machine.run(2 * millisecond, speed);
  EXPECT_EQ(machine.now(), 2u);
}

TEST(TeamSizeTest, IgnoresTimeThatItsCallerSpendsElsewhere) {
  Machine machine(2);
  const auto speed = [](std::size_t) { return 1.8; };
  machine.run(1, speed);
  machine.spend(0.5);
  machine.run(10 * millisecond, speed);
  EXPECT_EQ(machine.now(), 2u);
}

TEST(TeamSizeTest, FindsTheNumberOfWorkersThatFitsBesideOthers) {
  Machine machine(16);
  // Four of 16 cores are taken: a larger team waits for its slowest.
  const auto speed = [](std::size_t workers) {
    return workers > 12 ? 5 : 0.9 * static_cast<double>(workers);
  };
  EXPECT_GT(machine.run(3, speed), 9.5);
}

}  // namespace
}  // namespace ultr::team_size_test
