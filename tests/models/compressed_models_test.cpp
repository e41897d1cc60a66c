#include <gtest/gtest.h>

#include "base/random.h"
#include "dsl/programs/model_check.h"
#include "models/model_fixture.h"

namespace ultr::compressed_models_test {
namespace {

// Models whose parameters are all embeddings of vectors or share rows. Together they cover every
// domain and the conditions on which rows are read.

struct CompressedModel {
  std::string model, layer;
};

void PrintTo(const CompressedModel& c, std::ostream* out) { *out << c.model << " " << c.layer; }

std::vector<CompressedModel> all_models() {
  std::vector<CompressedModel> all;
  for (const std::string model : {"gctr", "rctr", "drctr", "pbm", "ubm", "dcm", "dbn"})
    for (const std::string layer :
         {"dimension: 5", "compression: hash", "compression: hash, dimension: 5",
          "compression: quotient_remainder", "compression: quotient_remainder, combine: sum",
          "compression: quotient_remainder, dimension: 5"})
      all.push_back({model, layer});
  return all;
}

class EveryCompressedModelTest : public ::testing::TestWithParam<CompressedModel> {
 protected:
  static constexpr std::int64_t rows = 9, positions = 6;

  TrainableModel build() const {
    const ModelSetting setting{.rows = rows, .positions = positions, .seed = 5};
    const Choice choice(testing::registry().models(), GetParam().model);
    const bool shares = GetParam().layer.starts_with("compression");
    const TrainableModel plain = choice.as<ModelOptions>().build(setting);
    for (const TrainableModel::Layer& layer : plain.layers()) {
      // A domain with a single entry has no other entry to share its row with.
      const char* ratio = !shares                          ? ""
                          : layer.domain == Domain::global ? ", ratio: 1"
                                                           : ", ratio: 2";
      testing::configure(*choice.options,
                         layer.name + ": {type: embedding, " + GetParam().layer + ratio + "}");
    }
    return choice.as<ModelOptions>().build(setting);
  }

  /// Returns lists of different lengths, the longest first, with gaps between displayed positions.
  /// Some show unknown documents.
  static SessionLog uneven_log(std::uint64_t seed) {
    SessionLog log;
    for (std::uint64_t i = 0; i < 40; ++i) {
      RandomStream random(seed, RandomPurpose::testing, 0, i);
      std::vector<std::uint32_t> list;
      std::vector<std::uint16_t> shown_at;
      std::vector<std::uint8_t> clicks;
      for (std::uint16_t position = 0; position < positions; ++position) {
        if (i > 0 && !list.empty() && random.uniform() < 0.4) continue;
        list.push_back(static_cast<std::uint32_t>(random.below(rows)));
        shown_at.push_back(position);
        clicks.push_back(random.uniform() < 0.3 ? 1 : 0);
      }
      log.add({list, shown_at, clicks});
    }
    return log;
  }
};

TEST_P(EveryCompressedModelTest, GradientsAgreeWithFiniteDifferences) {
  const TrainableModel model = build();
  testing::randomise(model, -1, 1, 7);
  std::size_t all = 0;
  for (const Parameter* parameter : model.parameters())
    all += static_cast<std::size_t>(parameter->rows() * parameter->columns());
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    const GradientReport report =
        check_model_gradient(model, testing::pack_all(uneven_log(1)), mean);
    EXPECT_GT(report.entries, 0u);
    EXPECT_LE(report.entries, all);
    EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
  }
}

TEST_P(EveryCompressedModelTest, ReplayOnAnotherBatchEqualsAFreshRecording) {
  const TrainableModel model = build();
  const Shard first = testing::pack_all(uneven_log(3)), second = testing::pack_all(uneven_log(4));
  ClickProgram replayed(model, ProgramKind::loss, first.longest());
  ClickProgram fresh(model, ProgramKind::loss, first.longest());
  replayed.run(first);
  replayed.backward(1);
  for (ClickProgram* program : {&replayed, &fresh}) {
    program->run(second);
    program->backward(1);
  }
  EXPECT_EQ(replayed.loss(), fresh.loss());
  EXPECT_EQ(testing::gradients_of(model, replayed), testing::gradients_of(model, fresh));
}

TEST_P(EveryCompressedModelTest, RowsOfUnknownDocumentsAreReadByThemAlone) {
  // A model that never sees an unknown document learns nothing about them.
  const TrainableModel model = build();
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 5, 8, 2, 7, 4},
           std::vector<std::uint16_t>{0, 1, 2, 3, 4, 5},
           std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0}});
  const Shard shard = testing::pack_all(log);
  ClickProgram program(model, ProgramKind::loss, shard.longest());
  program.run(shard);
  program.backward(1);
  const auto gradients = testing::gradients_of(model, program);
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (layer.domain != Domain::document && layer.domain != Domain::document_rank) continue;
    for (const Parameter* parameter : layer.layer->parameters()) {
      if (dynamic_cast<const EmbeddingTable*>(parameter) == nullptr) continue;
      for (std::size_t c = 0; c < static_cast<std::size_t>(parameter->columns()); ++c)
        EXPECT_EQ(gradients.at(parameter->name())[c], 0) << parameter->name();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryCompressedModelTest, ::testing::ValuesIn(all_models()));

TEST(CompressedModelTest, OnlyTheRowsOfReadBranchesHaveGradients) {
  // The satisfaction of documents that were not clicked is not read, not even through a projection.
  const Choice choice(testing::registry().models(), "dbn");
  testing::configure(*choice.options,
                     "satisfaction: {type: embedding, dimension: 3, "
                     "compression: quotient_remainder, ratio: 2}");
  const TrainableModel model = choice.as<ModelOptions>().build({.rows = 9, .positions = 4});
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3, 4}, std::vector<std::uint16_t>{0, 1, 2, 3},
           std::vector<std::uint8_t>{0, 1, 0, 0}});
  const Shard shard = testing::pack_all(log);
  ClickProgram program(model, ProgramKind::loss, shard.longest());
  program.run(shard);
  program.backward(1);
  const ParameterView* remainders =
      &testing::parameter_called(model, "satisfaction.remainder").view();
  std::size_t read = 0;
  for (const SparseGradient& sparse : program.tape().sparse_gradients())
    if (sparse.parameter == remainders)
      for (const std::uint32_t row : sparse.rows) {
        ++read;
        EXPECT_EQ(row, 1u + (2 - 1) % 4);  // of 8 known documents, at a ratio of 2
      }
  EXPECT_EQ(read, 1u);
}

}  // namespace
}  // namespace ultr::compressed_models_test
