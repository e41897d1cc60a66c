#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/data_options.h"
#include "experiment/registry.h"
#include "layers/layers.h"
#include "models/model_fixture.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::shared_ptr<const TrainableModel> user(const std::string& options,
                                           const Registry& registry = {}) {
  const Choice data(registry.data(), "simulation", "format");
  testing::configure(*data.options, "{user: " + options +
                                        ", sessions: 1, valid_sessions: 0, test_sessions: 0, "
                                        "queries: 2, candidates: 3, positions: 3, global: 0.9}");
  return data.as<DataOptions>().load({.seed = 1, .threads = 1}).truth;
}

double value(const TrainableModel& model, const std::string& name, std::size_t entry) {
  return testing::probability_of(model, name, entry);
}

TEST(SimulatedUserTest, ParametersWithAStartHaveItThroughout) {
  const auto plain = user("dbn"), given = user("{type: dbn, continuation: {start: 0.3}}");
  EXPECT_NEAR(value(*plain, "continuation", 0), 0.9, 1e-6);
  EXPECT_NEAR(value(*given, "continuation", 0), 0.3, 1e-6);
  for (std::size_t row = 1; row < 7; ++row)
    EXPECT_EQ(value(*given, "attraction", row), value(*plain, "attraction", row));

  const auto pbm = user("{type: pbm, examination: {start: 0.25}}");
  for (std::size_t rank = 0; rank < 3; ++rank)
    EXPECT_NEAR(value(*pbm, "examination", rank), 0.25, 1e-6);
}

TEST(SimulatedUserTest, OtherParametersFollowTheSimulation) {
  const auto pbm = user("{type: pbm, attraction: {start: 0.5}}");
  for (const double rank : {2.0, 3.0})
    EXPECT_NEAR(value(*pbm, "examination", static_cast<std::size_t>(rank) - 1), 1 / rank, 1e-6);
}

/// A layer with one number, whatever its domain.
struct OneNumberOptions final : LayerOptions {
  void fields(Fields& f) override { start_field(f); }
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override {
    LayerSetting one = setting;
    one.entries = 1;
    return std::make_unique<LogitTable>(one);
  }
};

TEST(SimulatedUserTest, LayersWithoutANumberForEachEntryAreRefused) {
  Registry registry;
  registry.add_layer<OneNumberOptions>("one_number", "One number.");
  EXPECT_THAT([&] { user("{type: pbm, attraction: one_number}", registry); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("data.user.attraction"),
                                               HasSubstr("expected embedding or table"))));
}

}  // namespace
}  // namespace ultr
