#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "testing/thread_communicator.h"
#include "training/run_checkpoints.h"

/// Checkpoints of several processes, with threads in their place.
namespace ultr::distributed_checkpoints_test {
namespace {

namespace fs = std::filesystem;
using testing::read_text;
using testing::ThreadCommunicators;

/// A model that nobody trains: its second parameter, a divided table, says at which step it is.
class DistributedCheckpointsTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t rows = 7;

  static TrainableModel model(Communicator& processes) {
    return testing::build_model("pbm", {.rows = rows, .positions = 3, .processes = &processes});
  }
  static TrainingState after(const TrainableModel& model, std::int64_t step) {
    model.parameters().back()->fill(static_cast<float>(step));
    TrainingState state;
    state.fit.steps = step;
    state.fit.sessions = static_cast<std::uint64_t>(100 * step);
    return state;
  }
  RunCheckpoints checkpoints(const TrainableModel& model, StopRequest stop = {}) const {
    CheckpointOptions options;
    testing::configure(options, "{every: 2 steps, keep: 2}");
    return {folder_.path(),     options,         {.options = {{"seed", "1"}}, .data = "9 sessions"},
            model.parameters(), std::move(stop), model.setting().processes};
  }
  /// Six steps, of which the second, fourth and sixth have a checkpoint.
  void run_six_steps(int process_count) const {
    ThreadCommunicators(process_count).run([&](Communicator& processes) {
      const TrainableModel trained = model(processes);
      RunCheckpoints written = checkpoints(trained);
      for (std::int64_t step = 1; step <= 6; ++step) written(after(trained, step));
    });
  }
  /// The step after which all go on.
  std::int64_t resumed_step(int process_count) const {
    std::vector<std::int64_t> steps(static_cast<std::size_t>(process_count));
    ThreadCommunicators(process_count).run([&](Communicator& processes) {
      const TrainableModel resumed = model(processes);
      RunCheckpoints known = checkpoints(resumed);
      Checkpoint newest = known.newest();
      newest.restore(resumed.parameters());
      const std::int64_t step = newest.state().fit.steps;
      EXPECT_EQ(resumed.parameters().back()->value(1), static_cast<float>(step));
      steps[static_cast<std::size_t>(processes.process())] = step;
    });
    EXPECT_THAT(steps, ::testing::Each(steps.front()));
    return steps.front();
  }
  fs::path file(const std::string& name) const { return folder_.path() / "checkpoints" / name; }
  void damage(const std::string& name) const {
    std::string text = read_text(file(name));
    text[text.size() / 2] ^= 1;
    folder_.write("checkpoints/" + name, text);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(DistributedCheckpointsTest, EachProcessHasItsPartAndTheNewestOnesStay) {
  run_six_steps(3);
  for (const char* part : {"", "rank_1/", "rank_2/"}) {
    EXPECT_FALSE(fs::exists(file(std::string(part) + "1.checkpoint")));
    EXPECT_TRUE(fs::exists(file(std::string(part) + "2.checkpoint")));
    EXPECT_TRUE(fs::exists(file(std::string(part) + "3.checkpoint")));
  }
  EXPECT_EQ(resumed_step(3), 6);
}

TEST_F(DistributedCheckpointsTest, AreUsedOnlyIfEveryPartIsWhole) {
  run_six_steps(2);
  damage("rank_1/3.checkpoint");
  EXPECT_EQ(resumed_step(2), 4);
  fs::remove(file("rank_1/2.checkpoint"));
  ThreadCommunicators(2).run([&](Communicator& processes) {
    const TrainableModel resumed = model(processes);
    EXPECT_THAT(testing::data_message([&] { checkpoints(resumed).newest(); }),
                ::testing::HasSubstr("has no usable checkpoint"));
  });
}

TEST_F(DistributedCheckpointsTest, AreUsedOnlyIfAllPartsAreOfOneMoment) {
  run_six_steps(2);
  fs::copy_file(file("rank_1/2.checkpoint"), file("rank_1/3.checkpoint"),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(resumed_step(2), 4);
}

TEST_F(DistributedCheckpointsTest, BelongToAsManyProcesses) {
  for (const auto& [before, now, message] : std::vector<std::tuple<int, int, std::string>>{
           {3, 2,
            "written by 3 processes, but this run has 2; expected the same number (mpirun -n)"},
           {2, 3,
            "written by 2 processes, but this run has 3; expected the same number (mpirun -n)"},
           {1, 2,
            "written by 1 process, but this run has 2; expected the same number (mpirun -n)"}}) {
    fs::remove_all(folder_.path() / "checkpoints");
    run_six_steps(before);
    ThreadCommunicators(now).run([&, &message = message](Communicator& processes) {
      const TrainableModel resumed = model(processes);
      EXPECT_THAT(testing::config_message([&] { checkpoints(resumed).newest(); }),
                  ::testing::EndsWith(message));
    });
  }
}

TEST_F(DistributedCheckpointsTest, ASignalToOneStopsAllAtTheSameStep) {
  ThreadCommunicators(2).run([&](Communicator& processes) {
    const TrainableModel trained = model(processes);
    int asked = 0;
    RunCheckpoints written = checkpoints(
        trained, [&] { return ++asked == 5 && processes.process() == 1 ? SIGTERM : 0; });
    std::int64_t step = 0;
    try {
      for (step = 1; step <= 6; ++step) written(after(trained, step));
    } catch (const Interrupted& stop) {
      EXPECT_EQ(stop.signal(), SIGTERM);
      EXPECT_THAT(stop.what(), ::testing::HasSubstr("mpirun -n 2 ultr-run --resume "));
    }
    EXPECT_EQ(step, 5);
  });
  EXPECT_EQ(resumed_step(2), 5);
}

/// One process, which notes what it is to say of a loss.
class NotingCommunicator final : public Communicator {
 public:
  int process() const override { return 0; }
  int size() const override { return 1; }
  void begin_exchange(const Messages& to, Messages& from) override { from = to; }
  void finish_exchange() override {}
  void gather(std::span<const std::byte> own, Messages& all) override {
    waited_with = last_words;
    all.assign(1, std::vector<std::byte>(own.begin(), own.end()));
  }
  void set_last_words(const std::function<bool()>&, const std::string& words) override {
    last_words = words;
  }

  std::string last_words, waited_with;
};

TEST_F(DistributedCheckpointsTest, IfAProcessDiesTheNewestCheckpointIsNamed) {
  NotingCommunicator processes;
  const TrainableModel trained = model(processes);
  int signal = 0;
  {
    RunCheckpoints written = checkpoints(trained, [&] { return signal; });
    EXPECT_THAT(processes.last_words, ::testing::HasSubstr("has no checkpoint to resume from"));
    written(after(trained, 2));
    EXPECT_THAT(processes.waited_with, ::testing::HasSubstr("has no checkpoint to resume from"));
    EXPECT_THAT(processes.last_words, ::testing::HasSubstr("1.checkpoint; to resume: "));
    signal = SIGTERM;
    EXPECT_THROW(written(after(trained, 3)), Interrupted);
    EXPECT_EQ(processes.waited_with, "");
  }
  EXPECT_EQ(processes.last_words, "");
}

TEST_F(DistributedCheckpointsTest, ACheckpointThatAnyProcessCannotWriteIsDiscarded) {
  fs::create_directory(folder_.path() / "checkpoints");
  folder_.write("checkpoints/rank_1", "a file where a folder should be");
  ThreadCommunicators(2).run([&](Communicator& processes) {
    const TrainableModel trained = model(processes);
    RunCheckpoints written = checkpoints(trained);
    written(after(trained, 2));  // a warning
    EXPECT_THROW(checkpoints(trained, [] { return SIGINT; })(after(trained, 3)), DataError);
  });
}

}  // namespace
}  // namespace ultr::distributed_checkpoints_test
