#include "training/run_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/config_tree.h"
#include "testing/errors.h"
#include "testing/full_disk.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"

namespace ultr::run_checkpoints_test {
namespace {

namespace fs = std::filesystem;
using testing::config_message;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::TemporaryFolder;

constexpr int steps_an_epoch = 4;

/// A run of a model that is not trained: its first parameter holds the number of steps.
class RunCheckpointsTest : public ::testing::Test {
 protected:
  RunCheckpoints checkpoints(const std::string& options = "{}") {
    CheckpointOptions read;
    testing::configure(read, options);
    return {folder_.path(), read, owner_, model_.parameters(), [this] { return signal_; }};
  }

  /// Returns the state of training after `step` steps. For the last step of an epoch, `in_epoch`
  /// tells before from after the end of the epoch.
  TrainingState after(std::int64_t step, bool in_epoch = true) {
    model_.parameters()[0]->value(0) = static_cast<float>(step);
    TrainingState state;
    state.fit.steps = step;
    const bool ended = !in_epoch && step % steps_an_epoch == 0;
    const std::int64_t epochs = ended ? step / steps_an_epoch : (step - 1) / steps_an_epoch;
    state.fit.sessions =
        ended ? 0 : static_cast<std::uint64_t>(100 * ((step - 1) % steps_an_epoch + 1));
    state.done.epochs.resize(static_cast<std::size_t>(epochs));
    return state;
  }
  /// Visits all moments of training between two steps.
  void train(RunCheckpoints& checkpoints, std::int64_t from, std::int64_t to) {
    for (std::int64_t step = from; step <= to; ++step) {
      checkpoints(after(step));
      if (step % steps_an_epoch == 0) checkpoints(after(step, false));
    }
  }

  /// Returns the names of the files in the folder of checkpoints.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (fs::exists(folder_.path() / "checkpoints"))
      for (const auto& entry : fs::directory_iterator(folder_.path() / "checkpoints"))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  fs::path file(const std::string& name) const { return folder_.path() / "checkpoints" / name; }
  void damage(const std::string& name) const {
    std::string text = read_text(file(name));
    text[text.size() / 2] ^= 1;
    folder_.write("checkpoints/" + name, text);
  }

  TemporaryFolder folder_;
  int signal_ = 0;
  RunFingerprint owner_ = {.options = {{"model.type", "pbm"}, {"seed", "1"}}, .data = "9 sessions"};
  TrainableModel model_ = testing::build_model("pbm", {.rows = 5, .positions = 3});
};

TEST_F(RunCheckpointsTest, AreNotWrittenByDefault) {
  RunCheckpoints none = checkpoints();
  train(none, 1, 12);
  EXPECT_EQ(folder_.size(), 0u);
  EXPECT_FALSE(has_checkpoints(folder_.path()));
}

TEST_F(RunCheckpointsTest, TheNewestAreKept) {
  RunCheckpoints all = checkpoints("{every: 1 step, keep: 3}");
  train(all, 1, 2);
  EXPECT_THAT(files(), ElementsAre("1.checkpoint", "2.checkpoint"));
  EXPECT_TRUE(has_checkpoints(folder_.path()));
  train(all, 3, 11);
  // A step that ends an epoch has two checkpoints: before and after validation.
  EXPECT_THAT(files(), ElementsAre("11.checkpoint", "12.checkpoint", "13.checkpoint"));
  all.remove_all();
  EXPECT_EQ(folder_.size(), 0u);
}

TEST_F(RunCheckpointsTest, AreWrittenAtTheIntervalsAskedFor) {
  struct Case {
    const char* every;
    std::int64_t steps;
    std::size_t expected;
  };
  for (const auto& [every, steps, expected] : {
           Case{"5 steps", 4, 0},
           {"5 steps", 14, 2},
           {"1 epoch", 3, 0},
           {"1 epoch", 4, 1},
           {"1 epoch", 15, 3},
           {"2 epochs", 15, 1},
           {"1e-9s", 3, 3},
           {"1e9h", 15, 0},
       }) {
    RunCheckpoints some = checkpoints("{every: " + std::string(every) + ", keep: 100}");
    train(some, 1, steps);
    EXPECT_EQ(files().size(), expected) << every << ", " << steps;
    some.remove_all();
  }
}

TEST_F(RunCheckpointsTest, EachStepHasAtMostOne) {
  RunCheckpoints all = checkpoints("{every: 1e-9s}");
  for (int again = 0; again < 3; ++again) all(after(2));
  EXPECT_THAT(files(), ElementsAre("1.checkpoint"));
}

TEST_F(RunCheckpointsTest, AStoppedRunWritesOneAndStops) {
  RunCheckpoints none = checkpoints();
  train(none, 1, 5);
  signal_ = SIGTERM;
  EXPECT_EQ(testing::message_of<Interrupted>([&] { none(after(6)); }),
            "stopped by SIGTERM; to resume: ultr-run --resume " + folder_.path().string());
  EXPECT_THAT(files(), ElementsAre("1.checkpoint"));
  EXPECT_THROW(none(after(6)), Interrupted);
  EXPECT_THAT(files(), ElementsAre("1.checkpoint")) << "the moment has one";
}

TEST_F(RunCheckpointsTest, ResumesFromTheNewest) {
  {
    RunCheckpoints all = checkpoints("{every: 1 step}");
    train(all, 1, 6);
  }
  after(99);
  RunCheckpoints next = checkpoints("{every: 1 step}");
  Checkpoint newest = next.newest();
  newest.restore(model_.parameters());
  const TrainingState& state = newest.state();
  EXPECT_EQ(state.fit.steps, 6);
  EXPECT_EQ(state.done.epochs.size(), 1u);
  EXPECT_EQ(model_.parameters()[0]->value(0), 6);
  next(state);
  EXPECT_THAT(files(), ElementsAre("6.checkpoint", "7.checkpoint")) << "the moment has one";
  next(after(7));
  EXPECT_THAT(files(), ElementsAre("7.checkpoint", "8.checkpoint"));
}

TEST_F(RunCheckpointsTest, ADamagedOneIsNamedAndTheOneBeforeUsed) {
  {
    RunCheckpoints all = checkpoints("{every: 1 step, keep: 3}");
    train(all, 1, 3);
  }
  damage("3.checkpoint");
  folder_.write("checkpoints/4.checkpoint.part", "half");
  RunCheckpoints next = checkpoints("{every: 1 step, keep: 3}");
  ::testing::internal::CaptureStderr();
  Checkpoint newest = next.newest();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, ::testing::StartsWith(file("3.checkpoint").string() + ": is damaged ("));
  EXPECT_THAT(said, HasSubstr("; trying the previous one\n"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2)
      << "a warning, and what the run resumes from";
  newest.restore(model_.parameters());
  EXPECT_EQ(model_.parameters()[0]->value(0), 2);
  next(after(3));
  EXPECT_THAT(files(), ElementsAre("1.checkpoint", "2.checkpoint", "4.checkpoint"));
}

TEST_F(RunCheckpointsTest, WithoutAUsableOneResumingIsRefused) {
  const std::string none =
      folder_.path().string() + ": has no usable checkpoint; expected one to resume from";
  EXPECT_EQ(data_message([&] { checkpoints().newest(); }), none);
  RunCheckpoints all = checkpoints("{every: 1 step}");
  train(all, 1, 2);
  for (const char* name : {"1.checkpoint", "2.checkpoint"}) damage(name);
  folder_.write("checkpoints/notes.txt", "");
  folder_.write("checkpoints/.checkpoint", "");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(data_message([&] { checkpoints().newest(); }), none);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::AllOf(HasSubstr("1.checkpoint"), HasSubstr("2.checkpoint")));
}

TEST_F(RunCheckpointsTest, RefusesOtherOptionsAndData) {
  RunCheckpoints all = checkpoints("{every: 1 step}");
  train(all, 1, 1);
  const std::string config = (folder_.path() / "config.yaml").string();
  const RunFingerprint before = owner_;
  owner_.options[0].second = "ubm";
  EXPECT_EQ(config_message([&] { checkpoints().newest(); }),
            config + ": model.type is 'ubm'; expected 'pbm', as when its checkpoint was written");
  owner_.options = {before.options[0], {"seeds", "1"}};
  EXPECT_EQ(config_message([&] { checkpoints().newest(); }),
            config + ": seeds is '1'; expected none, as when its checkpoint was written");
  owner_.options = {before.options[0]};
  EXPECT_EQ(config_message([&] { checkpoints().newest(); }),
            config + ": seed is none; expected '1', as when its checkpoint was written");
  owner_ = before;
  owner_.data = "10 sessions";
  EXPECT_EQ(data_message([&] { checkpoints().newest(); }),
            folder_.path().string() +
                ": its data are 10 sessions; expected 9 sessions, as when "
                "its checkpoint was written");
}

TEST_F(RunCheckpointsTest, AFailureToWriteIsAWarningUnlessTheRunStops) {
  RunCheckpoints all = checkpoints("{every: 1 step}");
  train(all, 1, 2);
  const testing::FullDisk full(fs::file_size(file("2.checkpoint")) - 1);
  ::testing::internal::CaptureStderr();
  train(all, 3, 3);
  signal_ = SIGINT;
  const std::string error = data_message([&] { all(after(4)); });
  EXPECT_EQ(error, file("3.checkpoint").string() + ": cannot be written (File too large)");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), error + "; training continues\n");
  EXPECT_THAT(files(), ElementsAre("1.checkpoint", "2.checkpoint"));
}

}  // namespace
}  // namespace ultr::run_checkpoints_test
