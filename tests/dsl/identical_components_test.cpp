#include "dsl/identical_components.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::identical_components_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TrainableModel mixture_of(const std::string& options, std::uint64_t seed = 1) {
  return testing::build_model("mixture", {.rows = 9, .positions = 4, .seed = seed}, options);
}

void set_all(const TrainableModel& model, const std::string& prefix, float value) {
  for (Parameter* parameter : model.parameters())
    if (parameter->name().starts_with(prefix)) parameter->fill(value);
}

TEST(IdenticalComponentsTest, NamesThoseWithTheSameProbabilities) {
  const TrainableModel model = mixture_of("{components: [pbm, pbm, dbn, pbm]}");
  set_all(model, "pbm.", 0.3f);
  set_all(model, "pbm_2.", 0.9f);
  set_all(model, "pbm_3.", 0.3001f);
  EXPECT_THAT(identical_components(model), ElementsAre(Pair("pbm", "pbm_3")));
  set_all(model, "pbm_3.", 0.4f);
  EXPECT_THAT(identical_components(model), IsEmpty());
}

/// One parameter that differs is enough.
TEST(IdenticalComponentsTest, AllParametersCount) {
  const TrainableModel model = mixture_of("{components: [pbm, pbm]}");
  set_all(model, "pbm", 0.3f);
  ASSERT_THAT(identical_components(model), ElementsAre(Pair("pbm", "pbm_2")));
  testing::parameter_called(model, "pbm_2.examination").value(3) = 1;
  EXPECT_THAT(identical_components(model), IsEmpty());
}

/// A baseline and an offset add up.
TEST(IdenticalComponentsTest, ComparesProbabilitiesNotParameters) {
  const TrainableModel model = mixture_of("{components: [dctr, dctr]}");
  set_all(model, "dctr", 0);
  testing::parameter_called(model, "dctr.attraction").fill(0.7f);
  testing::parameter_called(model, "dctr_2.attraction.baseline").fill(0.7f);
  EXPECT_THAT(identical_components(model), ElementsAre(Pair("dctr", "dctr_2")));
}

TEST(IdenticalComponentsTest, OtherModelsHaveNone) {
  for (const char* type : {"pbm", "dbn"})
    EXPECT_THAT(identical_components(testing::build_model(type, {.rows = 9, .positions = 4})),
                IsEmpty());
  EXPECT_THAT(identical_components(mixture_of("{components: [pbm, dbn]}")), IsEmpty());
}

TEST(IdenticalComponentsTest, ComponentsOfOneTypeStartApart) {
  for (const char* type : {"pbm", "gctr", "dbn", "ubm"})
    EXPECT_THAT(identical_components(
                    mixture_of(fmt::format("{{components: [{0}, {0}, {0}]}}", type)), 0.01),
                IsEmpty())
        << type;
}

TEST(IdenticalComponentsTest, TheSeedDecidesHowFarApart) {
  const auto start = [](std::uint64_t seed) {
    return testing::probability_of(mixture_of("{components: [gctr, gctr]}", seed), "gctr_2.click",
                                   0);
  };
  EXPECT_EQ(start(1), start(1));
  EXPECT_NE(start(1), start(2));
}

TEST(IdenticalComponentsTest, StartingValuesThatAreGivenStay) {
  const TrainableModel model = mixture_of(
      "{components: [{type: gctr, click: {start: 0.2}}, {type: gctr, click: {start: 0.2}}]}");
  EXPECT_THAT(identical_components(model), ElementsAre(Pair("gctr", "gctr_2")));
}

}  // namespace
}  // namespace ultr::identical_components_test
