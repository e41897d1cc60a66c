#include "dsl/relevance_layer.h"

#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::relevance_layer_test {
namespace {

std::string name_of_relevance(const std::string& model) {
  const TrainableModel built = testing::build_model(model, {.rows = 3, .positions = 4});
  const TrainableModel::Layer* layer = relevance_layer(built);
  return layer == nullptr ? "" : layer->name;
}

TEST(RelevanceLayerTest, IsTheOneWhoseLogitsRank) {
  EXPECT_EQ(name_of_relevance("pbm"), "attraction");
  EXPECT_EQ(name_of_relevance("ubm"), "attraction");
  EXPECT_EQ(name_of_relevance("cm"), "attraction");
  EXPECT_EQ(name_of_relevance("two_tower"), "attraction") << "not the sum of the two";
}

TEST(RelevanceLayerTest, IsNoneWhereSeveralMakeRelevance) {
  EXPECT_EQ(name_of_relevance("dbn"), "") << "attraction times satisfaction";
  EXPECT_EQ(name_of_relevance("mixture"), "");
}

std::vector<std::string> factors_of(const std::string& model) {
  const TrainableModel built = testing::build_model(model, {.rows = 3, .positions = 4});
  std::vector<std::string> names;
  for (const TrainableModel::Layer* layer : relevance_factors(built)) names.push_back(layer->name);
  return names;
}

TEST(RelevanceFactorsTest, AreTheParametersThatMultiplyToRelevance) {
  EXPECT_EQ(factors_of("pbm"), std::vector<std::string>{"attraction"});
  EXPECT_EQ(factors_of("two_tower"), std::vector<std::string>{"attraction"});
  EXPECT_EQ(factors_of("dbn"), (std::vector<std::string>{"attraction", "satisfaction"}));
  EXPECT_EQ(factors_of("rctr"), std::vector<std::string>{}) << "always relevant";
  EXPECT_EQ(factors_of("mixture"), std::vector<std::string>{}) << "a weighted sum";
}

TEST(RelevanceLayerTest, IsThatOfEveryLoss) {
  for (const OptionType& loss : testing::registry().losses()) {
    if (loss.name == "likelihood" || loss.name == "ips") continue;  // ips needs a file
    const std::unique_ptr<Options> options = loss.make();
    const TrainableModel model =
        static_cast<const ModelOptions&>(*options).build({.rows = 3, .positions = 4});
    const TrainableModel::Layer* layer = relevance_layer(model);
    ASSERT_NE(layer, nullptr) << loss.name;
    EXPECT_EQ(layer->name, "relevance");
  }
}

}  // namespace
}  // namespace ultr::relevance_layer_test
