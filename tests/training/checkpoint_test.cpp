#include "training/checkpoint.h"

#include <bit>
#include <boost/crc.hpp>
#include <cmath>
#include <cstring>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optim/stepping_types.h"
#include "testing/errors.h"
#include "testing/full_disk.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "training/fitters.h"

namespace ultr::checkpoint_test {
namespace {

namespace fs = std::filesystem;
using testing::data_message;
using ::testing::HasSubstr;
using testing::read_text;
using testing::TemporaryFolder;

/// Everything that a parameter keeps, as bits.
using Bits = std::vector<std::uint32_t>;

std::vector<Bits> kept_bits(const TrainableModel& model) {
  std::vector<Bits> all;
  for (const Parameter* parameter : model.parameters()) {
    std::vector<float> kept(
        static_cast<std::size_t>(parameter->rows() * parameter->kept_per_row()));
    parameter->copy_kept(0, kept);
    Bits& bits = all.emplace_back();
    for (const float x : kept) bits.push_back(std::bit_cast<std::uint32_t>(x));
  }
  return all;
}

/// Returns the results of an epoch, times excepted, as bits.
std::vector<std::uint64_t> bits_of(const EpochResult& epoch) {
  std::vector<std::uint64_t> bits = {static_cast<std::uint64_t>(epoch.epoch), epoch.best};
  bits.insert(bits.end(), epoch.stage.begin(), epoch.stage.end());
  std::vector<double> numbers = {epoch.learning_rate, epoch.train_loss};
  if (epoch.valid)
    for (const auto& [name, value] : epoch.valid->values) {
      bits.insert(bits.end(), name.begin(), name.end());
      numbers.push_back(value);
    }
  for (const double x : numbers) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}

std::vector<std::vector<std::uint64_t>> epoch_bits(const TrainingResult& result) {
  std::vector<std::vector<std::uint64_t>> all;
  for (const EpochResult& epoch : result.epochs) all.push_back(bits_of(epoch));
  return all;
}

/// A way to train a small model.
struct Way {
  std::string name, model = "dbn", model_options = "{}", optimizer = "adamw",
                    optimizer_options = "{}";
  std::string train = "{epochs: 3, early_stopping: 0, batch_size: 300}";
  bool validates = true;
  std::size_t earlier_stages = 0;

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

/// Simulates 1300 sessions, so that EM reports progress twice per pass.
Dataset dataset_for(const Way& way) {
  Dataset dataset = testing::simulate(
                        "{sessions: 1300, valid_sessions: 300, queries: 8, candidates: 7, "
                        "positions: 5}")
                        .dataset;
  if (!way.validates) dataset.valid = {};
  const auto rows = static_cast<std::size_t>(dataset.dictionary.rows());
  std::vector<float> features(rows * 3);
  for (std::size_t i = 3; i < features.size(); ++i) features[i] = std::sin(static_cast<float>(i));
  if (way.model_options.find("mlp") != std::string::npos)
    dataset.features = FeatureTable(std::move(features), 3);
  return dataset;
}

/// Returns the result of an earlier stage.
TrainingResult earlier_stage() {
  return {.epochs = {{.stage = "two.first", .epoch = 1, .train_loss = 0.5},
                     {.stage = "two.first", .epoch = 2, .train_loss = 0.25, .best = true}},
          .best_epoch = 2};
}

/// One training run of a model that is made for it.
struct SmallTraining {
  SmallTraining(const Way& way, const Dataset& data, std::uint64_t start, int thread_count = 1)
      : dataset(data),
        threads(thread_count),
        model(testing::build_model(way.model,
                                   {.rows = data.dictionary.rows(),
                                    .positions = static_cast<std::int64_t>(data.positions),
                                    .features = data.features},
                                   way.model_options)),
        optimizer(testing::registry().optimizers(), way.optimizer) {
    testing::randomise(model, -1.5, 0.5, start);
    testing::configure(*optimizer.options, way.optimizer_options);
    testing::configure(options, way.train);
    fitter = make_fitter(optimizer.as<FitOptions>(), {.model = model,
                                                      .train = dataset.train,
                                                      .options = options,
                                                      .seed = 3,
                                                      .threads = threads});
    state.earlier.assign(way.earlier_stages, earlier_stage());
  }

  void run(const std::function<void(const TrainingState&)>& between_steps = {}) {
    train_model(model, *fitter, options, dataset, threads, {.state = between_steps}, state);
  }

  const Dataset& dataset;
  int threads;
  TrainableModel model;
  Choice optimizer;
  TrainOptions options;
  std::unique_ptr<Fitter> fitter;
  TrainingState state;
};

const RunFingerprint owner = {.options = {{"optimizer.lr", "0.1"}, {"seed", "3"}},
                              .data = "1300 training sessions"};

std::vector<Way> ways() {
  const std::string mlp = "{attraction: {type: mlp, widths: [4], dropout: 0.3}}";
  std::vector<Way> all = {
      {.name = "dropout", .model = "pbm", .model_options = mlp},
      {.name = "vectors", .model_options = "{attraction: {dimension: 3}}"},
      {.name = "clipped", .optimizer_options = "{lr: 0.1, clip_norm: 0.01}"},
      {.name = "cosine", .optimizer_options = "{schedule: {type: cosine, warmup: 3}}"},
      {.name = "steps", .optimizer_options = "{schedule: {type: step, every: 4}}"},
      {.name = "in_order", .train = "{epochs: 2, batch_size: 500, shuffle: false}"},
      {.name = "without_validation", .validates = false},
      {.name = "stopped_early",
       .optimizer_options = "{lr: 0.3}",
       .train = "{epochs: 30, early_stopping: 2, batch_size: 300}"},
      {.name = "last_stage", .earlier_stages = 2},
      {.name = "em", .model = "pbm", .optimizer = "em"},
      {.name = "em_of_dbn", .optimizer = "em", .optimizer_options = "{pseudo_count: 2}"},
      {.name = "counting", .model = "sdbn", .optimizer = "counting"},
      {.name = "mixture", .model = "mixture"},
  };
  for (const OptionType& type : testing::stepping_types())
    for (const std::string lazy : {"true", "false"})
      all.push_back({.name = type.name + "_lazy_" + lazy,
                     .optimizer = type.name,
                     .optimizer_options = "{lr: 0.05, lazy: " + lazy + "}"});
  for (Way& way : all)
    if (way.model == "mixture") way.model_options = "{components: [pbm, dbn]}";
  return all;
}

class EveryWayToTrainTest : public ::testing::TestWithParam<Way> {};

/// Writes a checkpoint at every possible moment: after each step, after each epoch and at the end.
/// Resuming from any of them gives bit-identical results to training without a stop, also with
/// another number of threads.
TEST_P(EveryWayToTrainTest, ResumesBitIdenticallyFromEveryStep) {
  const Dataset dataset = dataset_for(GetParam());
  const TemporaryFolder folder;
  SmallTraining whole(GetParam(), dataset, 7);
  std::vector<fs::path> files;
  const auto write = [&](const TrainingState& state) {
    files.push_back(folder.path() / std::to_string(files.size()));
    write_checkpoint(files.back(), owner, state, whole.model.parameters());
  };
  whole.run(write);
  EXPECT_TRUE(whole.state.best.empty()) << "the parameters hold the best values";
  write(whole.state);
  ASSERT_GE(files.size(), 2 * whole.state.done.epochs.size());

  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(i);
    // Start from other values, so that nothing is right by chance.
    SmallTraining rest(GetParam(), dataset, 8, 1 + static_cast<int>(i % 2));
    Checkpoint checkpoint(files[i]);
    rest.state = checkpoint.state();
    checkpoint.restore(rest.model.parameters());
    ASSERT_EQ(rest.state.earlier.size(), GetParam().earlier_stages);
    for (const TrainingResult& stage : rest.state.earlier)
      EXPECT_EQ(epoch_bits(stage), epoch_bits(earlier_stage()));
    rest.run();
    ASSERT_EQ(kept_bits(rest.model), kept_bits(whole.model));
    ASSERT_EQ(epoch_bits(rest.state.done), epoch_bits(whole.state.done));
    EXPECT_EQ(rest.state.done.best_epoch, whole.state.done.best_epoch);
    EXPECT_EQ(rest.fitter->progress(), whole.fitter->progress());
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryWayToTrainTest, ::testing::ValuesIn(ways()),
                         [](const auto& test) { return test.param.name; });

TEST(CheckpointTest, BestEpochsDifferFromTheLastWhereTheyAreTested) {
  for (const Way& way : ways()) {
    if (way.name != "stopped_early") continue;
    const Dataset dataset = dataset_for(way);
    SmallTraining training(way, dataset, 7);
    training.run();
    EXPECT_GT(training.state.done.best_epoch, 1);
    EXPECT_EQ(training.state.done.epochs.size(),
              static_cast<std::size_t>(training.state.done.best_epoch) + 2);
  }
}

TEST(CheckpointTest, ExceptionsOfAnObserverEndTrainingBetweenTwoSteps) {
  const Way way = ways().front();
  const Dataset dataset = dataset_for(way);
  SmallTraining training(way, dataset, 7);
  struct Stop {};
  EXPECT_THROW(training.run([](const TrainingState& state) {
    if (state.fit.steps == 7) throw Stop();
  }),
               Stop);
  EXPECT_EQ(training.fitter->progress().steps, 7);
  EXPECT_EQ(training.fitter->progress().sessions, 2u * 300) << "of the second epoch";
  EXPECT_EQ(training.state.done.epochs.size(), 1u);
}

/// A checkpoint of a training in its second epoch.
class CheckpointFileTest : public ::testing::Test {
 protected:
  CheckpointFileTest() : dataset_(dataset_for(way_)), training_(way_, dataset_, 7) {
    training_.run([&](const TrainingState& state) {
      if (state.fit.steps == 7 && !fs::exists(file_))
        write_checkpoint(file_, owner, state, training_.model.parameters());
    });
  }

  Way way_ = {.name = "small", .model = "pbm"};
  Dataset dataset_;
  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "1.checkpoint";
  SmallTraining training_;
};

TEST_F(CheckpointFileTest, KeepsItsOwner) {
  const Checkpoint checkpoint(file_);
  EXPECT_EQ(checkpoint.owner().options, owner.options);
  EXPECT_EQ(checkpoint.owner().data, owner.data);
  EXPECT_EQ(folder_.size(), 1u) << "no temporary file is left";
}

TEST_F(CheckpointFileTest, HoldsEachRowOnceAndTheBestEpochsValues) {
  std::size_t numbers = 0;
  for (const Parameter* parameter : training_.model.parameters())
    numbers += static_cast<std::size_t>(parameter->rows() *
                                        (parameter->kept_per_row() + parameter->columns()));
  EXPECT_GT(fs::file_size(file_), numbers * sizeof(float));
  EXPECT_LT(fs::file_size(file_), numbers * sizeof(float) + 1000);
}

TEST_F(CheckpointFileTest, AChangeOfAnyByteIsDamage) {
  const std::string whole = read_text(file_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    folder_.write("1.checkpoint", damaged);
    const std::string message = data_message([&] { Checkpoint checkpoint(file_); });
    ASSERT_THAT(message, HasSubstr(file_.string() + ": ")) << "byte " << at;
    ASSERT_THAT(message, HasSubstr(at < 18 ? "; expected 'ultr checkpoint 4\\n'" : ": is damaged"))
        << "byte " << at;
  }
}

TEST_F(CheckpointFileTest, AnyOtherLengthIsDamage) {
  const std::string whole = read_text(file_);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    folder_.write("1.checkpoint", whole.substr(0, length));
    ASSERT_THAT(data_message([&] { Checkpoint checkpoint(file_); }), HasSubstr(": is damaged"))
        << length;
  }
  folder_.write("1.checkpoint", whole + '\0');
  EXPECT_THAT(data_message([&] { Checkpoint checkpoint(file_); }), HasSubstr(": is damaged"));
  fs::remove(file_);
  EXPECT_EQ(data_message([&] { Checkpoint checkpoint(file_); }),
            file_.string() + ": cannot be read");
}

TEST_F(CheckpointFileTest, OnAFullDiskTheOneBeforeStaysAndNothingIsLeft) {
  const std::string before = read_text(file_);
  const auto parameters = training_.model.parameters();
  const fs::path next = folder_.path() / "2.checkpoint";
  write_checkpoint(next, owner, training_.state, parameters);
  const std::size_t size = fs::file_size(next);
  fs::remove(next);
  for (const std::size_t room : {std::size_t{0}, std::size_t{100}, size / 2, size - 1}) {
    const testing::FullDisk full(room);
    EXPECT_EQ(data_message([&] { write_checkpoint(next, owner, training_.state, parameters); }),
              next.string() + ": cannot be written (File too large)");
  }
  EXPECT_EQ(read_text(file_), before);
  EXPECT_EQ(folder_.size(), 1u);
}

TEST_F(CheckpointFileTest, RefusesAnotherModel) {
  const Way other = {.name = "other", .model = "ubm"};
  SmallTraining training(other, dataset_, 7);
  EXPECT_THAT(data_message([&] { Checkpoint(file_).restore(training.model.parameters()); }),
              HasSubstr(fmt::format("1.checkpoint: has 'examination' with 5 rows of 1; expected "
                                    "'examination' with {} rows of 1",
                                    5 * (5 + 1))));
  std::vector<Parameter*> fewer = training_.model.parameters();
  fewer.pop_back();
  EXPECT_THAT(data_message([&] { Checkpoint(file_).restore(fewer); }),
              HasSubstr("1.checkpoint: has 3 parameters; expected 2, as in the model"));
}

TEST_F(CheckpointFileTest, StatesThatTheFileHasNoRoomForAreDamage) {
  std::string bytes = read_text(file_);
  const Parameter& last = *training_.model.parameters().back();
  const auto values = static_cast<std::size_t>(last.rows() * last.kept_per_row()) * sizeof(float);
  std::int64_t states = 0;
  const std::size_t sum_at = bytes.size() - sizeof(std::uint32_t);
  char* const states_at = bytes.data() + sum_at - values - sizeof states;
  std::memcpy(&states, states_at, sizeof states);
  ASSERT_EQ(states, 2);
  for (const std::int64_t wrong : {std::int64_t{3}, std::int64_t{1} << 20, std::int64_t{-1},
                                   std::int64_t{1} << 32, std::int64_t{1} << 62}) {
    std::memcpy(states_at, &wrong, sizeof wrong);
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), sum_at);
    const std::uint32_t sum = crc.checksum();
    std::memcpy(bytes.data() + sum_at, &sum, sizeof sum);
    folder_.write("1.checkpoint", bytes);
    const TrainableModel fresh = testing::model_for("pbm", dataset_);
    EXPECT_EQ(data_message([&] { Checkpoint(file_).restore(fresh.parameters()); }),
              file_.string() + ": is damaged (it ends too early)")
        << wrong;
    EXPECT_LE(fresh.parameters().back()->states(), 3) << wrong;
  }
}

TEST_F(CheckpointFileTest, ParametersThatNoOptimizerHasSeenGetRoomForTheirStates) {
  const TrainableModel fresh = testing::model_for("pbm", dataset_);
  Checkpoint(file_).restore(fresh.parameters());
  for (const Parameter* parameter : fresh.parameters()) EXPECT_EQ(parameter->states(), 2);
}

}  // namespace
}  // namespace ultr::checkpoint_test
