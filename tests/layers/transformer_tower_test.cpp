#include "layers/transformer_tower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::transformer_tower_test {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

LayerSetting setting() {
  return {.name = "relevance", .domain = Domain::document, .entries = 4, .vocabulary = 20};
}

TransformerTowerOptions small() {
  TransformerTowerOptions options;
  options.layers = 1;
  options.width = 4;
  options.heads = 2;
  options.inner = 3;
  options.max_tokens = 8;
  options.pretraining = "masked_words";
  return options;
}

TEST(TransformerTowerTest, WeightsComeBackToTheBit) {
  const TemporaryFolder folder;
  LayerSetting one = setting(), two = setting();
  two.seed = 2;
  TransformerTower from(small(), one), to(small(), two);
  from.save_files(folder.path());
  to.start_from(folder.path() / "relevance.safetensors");
  ASSERT_EQ(from.parameters().size(), to.parameters().size());
  for (std::size_t i = 0; i < from.parameters().size(); ++i)
    EXPECT_EQ(from.parameters()[i]->values(), to.parameters()[i]->values())
        << from.parameters()[i]->name();
}

TEST(TransformerTowerTest, WeightsThatDoNotFitAreNamed) {
  const TemporaryFolder folder;
  TransformerTower(small(), setting()).save_files(folder.path());
  TransformerTowerOptions other = small();
  other.layers = 2;
  other.inner = 5;
  TransformerTower tower(other, setting());
  EXPECT_THAT(
      testing::data_message([&] { tower.start_from(folder.path() / "relevance.safetensors"); }),
      ::testing::AllOf(HasSubstr("encoder.layer.0.intermediate.dense.weight is [3, 4], not [5, 4]"),
                       HasSubstr("encoder.layer.1.output.dense.bias is missing")));
}

TEST(TransformerTowerTest, OptionsThatDoNotFitAreRefused) {
  const auto message = [](auto change, LayerSetting of = setting()) {
    TransformerTowerOptions options = small();
    change(options);
    return testing::config_message([&] { static_cast<void>(options.build(of)); });
  };
  EXPECT_EQ(message([](auto& o) { o.heads = 3; }),
            "relevance: 3 heads do not divide a width of 4; expected a divisor");
  EXPECT_EQ(message([](auto& o) { o.sep_token = 20; }),
            "relevance: sep_token is 20; expected a token below 20, the vocabulary");
  LayerSetting without = setting();
  without.vocabulary = 0;
  EXPECT_EQ(message([](auto&) {}, without),
            "relevance: 'transformer' needs words, which the data do not have");
  LayerSetting ranks = setting();
  ranks.domain = Domain::rank;
  EXPECT_EQ(message([](auto&) {}, ranks),
            "relevance: 'transformer' needs one logit per document, not per rank; expected another "
            "type of layer");
}

}  // namespace
}  // namespace ultr::transformer_tower_test
