#include <bit>

#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "experiment/run_directory.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"
#include "training/fitters.h"
#include "training/training.h"

// Training models whose embeddings are vectors or share rows.

namespace ultr::compressed_training_test {
namespace {

const ExperimentData& simulated() {
  static const ExperimentData data = testing::simulate(
      "{user: pbm, sessions: 20000, valid_sessions: 4000, queries: 60, candidates: 20, "
      "positions: 8, zipf: 0.5}",
      {.seed = 3, .threads = 2});
  return data;
}

TrainableModel pbm(const std::string& attraction) {
  return testing::build_model(
      "pbm", {.rows = simulated().dataset.dictionary.rows(), .positions = 8, .seed = 9},
      "attraction: " + attraction);
}

TrainingResult train(const TrainableModel& model, const std::string& optimizer,
                     const std::string& yaml, std::int64_t epochs, int threads) {
  const Choice choice(testing::registry().optimizers(), optimizer);
  testing::configure(*choice.options, yaml);
  TrainOptions options;
  options.epochs = epochs;
  options.early_stopping = 3;
  const Dataset& dataset = simulated().dataset;
  const auto fitter = make_fitter(
      choice.as<FitOptions>(),
      {.model = model, .train = dataset.train, .options = options, .seed = 4, .threads = threads});
  return train_model(model, *fitter, options, dataset, threads, {});
}

/// The best validation loss of training.
double trained_loss(const std::string& attraction) {
  const TrainableModel model = pbm(attraction);
  const TrainingResult result = train(model, "adamw", "lr: 0.02", 40, 2);
  return result.epochs[static_cast<std::size_t>(result.best_epoch - 1)].valid->loss();
}

std::vector<std::uint32_t> bits_of(const TrainableModel& model) {
  std::vector<std::uint32_t> bits;
  for (const Parameter* parameter : model.parameters())
    for (const float x : parameter->values()) bits.push_back(std::bit_cast<std::uint32_t>(x));
  return bits;
}

const std::vector<std::string> kinds = {
    "{type: embedding, dimension: 6}",
    "{type: embedding, compression: hash}",
    "{type: embedding, compression: quotient_remainder}",
    "{type: embedding, compression: quotient_remainder, combine: sum, baseline: false}",
    "{type: embedding, compression: quotient_remainder, dimension: 20}",
};

TEST(CompressedTrainingTest, AnyNumberOfThreadsGivesTheSameBits) {
  for (const std::string& kind : kinds)
    for (const auto& [optimizer, yaml] : std::vector<std::pair<std::string, std::string>>{
             {"adamw", "{lr: 0.01, weight_decay: 0.01}"},
             {"adam", "{lr: 0.01, lazy: false, weight_decay: 0.01}"},
             {"adagrad", "{lr: 0.1, clip_norm: 0.05}"},
             {"sgd", "{lr: 1, momentum: 0.9}"}}) {
      const auto run = [&](int threads) {
        const TrainableModel model = pbm(kind);
        train(model, optimizer, yaml, 1, threads);
        return bits_of(model);
      };
      const auto alone = run(1);
      EXPECT_NE(alone, bits_of(pbm(kind)));
      EXPECT_EQ(run(3), alone) << kind << " " << optimizer;
    }
}

TEST(CompressedTrainingTest, ASavedModelIsTheSameModel) {
  for (const std::string& kind : kinds) {
    const TrainableModel model = pbm(kind);
    train(model, "adamw", "lr: 0.02", 1, 2);
    const testing::TemporaryFolder parent;
    const std::filesystem::path run = parent.path() / "run";
    RunDirectory folder(run.string(), "name");
    folder.create();
    folder.write_model(model, simulated().dataset.dictionary);
    const TrainableModel loaded = pbm(kind);
    for (Parameter* parameter : loaded.parameters())
      parameter->assign(read_npy<float>(run / "model" / (parameter->name() + ".npy")));
    EXPECT_EQ(bits_of(loaded), bits_of(model));
    Shard shard;
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < 100; ++i) some.push_back(i);
    shard.pack(simulated().dataset.valid, some);
    ClickPrograms one(model, ProgramKind::conditional), other(loaded, ProgramKind::conditional);
    EXPECT_EQ(one.run(shard).log_p(), other.run(shard).log_p()) << kind;
    const std::string description = testing::read_text(run / "model" / "model.json");
    for (const TrainableModel::Layer& layer : model.layers())
      EXPECT_NE(description.find("\"formula\": \"" + layer.layer->formula() + "\""),
                std::string::npos)
          << description;
  }
}

TEST(CompressedTrainingTest, LosesLittleAtRatioOneAndGracefullyMoreAtTen) {
  const double full = trained_loss("{type: embedding}");
  const double single_row = trained_loss("{type: embedding, compression: hash, ratio: 1200}");
  // How much is kept of what a row for each of the 1200 documents gains over one for all.
  const auto kept = [&](const std::string& options) {
    return (single_row - trained_loss("{type: embedding, " + options + "}")) / (single_row - full);
  };
  const std::string hash = "compression: hash", product = "compression: quotient_remainder",
                    sum = product + ", combine: sum", vectors = ", dimension: 8";
  EXPECT_GT(kept("dimension: 8"), 0.95);
  for (const std::string& nothing_lost : {product, sum, product + vectors})
    EXPECT_GT(kept(nothing_lost + ", ratio: 1"), 0.95) << nothing_lost;
  // Hashes collide even if there are as many rows as documents.
  EXPECT_GT(kept(hash + ", ratio: 1"), 0.7);

  for (const std::string& lossy : {hash, product, sum, hash + vectors}) {
    const double half = kept(lossy + ", ratio: 2"), tenth = kept(lossy + ", ratio: 10");
    EXPECT_GT(half, 0.5) << lossy;
    EXPECT_LT(half, 0.9) << lossy;
    EXPECT_GT(tenth, 0.2) << lossy;
    EXPECT_LT(tenth, half) << lossy;
  }
  // Products of vectors tell documents apart that share a remainder.
  EXPECT_GT(kept(product + vectors + ", ratio: 10"), 0.9);
}

}  // namespace
}  // namespace ultr::compressed_training_test
