#include "commands/listings.h"

#include <algorithm>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "commands/built_in_registry.h"
#include "commands/command_table.h"
#include "commands/program.h"
#include "commands/reference.h"
#include "commands/type_groups.h"
#include "data/formats/log_format.h"
#include "experiment/experiment_options.h"
#include "experiment/task.h"
#include "layers/layers.h"
#include "losses/losses.h"
#include "models/models.h"
#include "optim/optim.h"
#include "options/type_tables.h"
#include "runs/results/measures.h"
#include "testing/temporary_folder.h"

namespace ultr::listings_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

struct Shade final : Options {
  double grey = 0.5;
  void fields(Fields& f) override { f.number("grey", grey, "Share of white.", between(0, 1)); }
};

/// Options that choose from a table that nothing else knows.
struct NewOptions final : Options {
  static const std::vector<OptionType>& shades() {
    static const std::vector<OptionType> types = {option_type<Shade>("new_shade", "A new shade.")};
    return types;
  }
  Choice shade = Choice(shades(), "new_shade");
  void fields(Fields& f) override { f.choice("wall_shade", shade, "Colour of the wall."); }
};

/// A registry with one new item of every kind that a registry takes.
Registry extended_registry() {
  Registry registry = built_in_registry();
  registry.add(model_type<PositionBasedModel>("new_model", "A new model."));
  registry.add_loss(ModelType{"new_loss", "A new loss.", ranking_losses().front().make});
  registry.add_loss(option_type<NewOptions>("new_likelihood", "A new likelihood."));
  registry.add(ReaderType{"new_log", "A new log.",
                          [](const auto&, const auto&, const auto&) { return ReadReport{}; }});
  registry.add_data(option_type<NewOptions>("new_data", "New data."));
  registry.add_layer<LogitTableOptions>("new_layer", "A new layer.");
  registry.add_optimizer<SgdOptions>("new_optimizer", "A new optimizer.");
  registry.add_analysis(option_type<NewOptions>("new_analysis", "A new analysis."));
  return registry;
}

constexpr std::pair<const char*, const char*> new_items[] = {
    {"new_model", "A new model."},
    {"new_loss", "A new loss."},
    {"new_likelihood", "A new likelihood."},
    {"new_log", "A new log."},
    {"new_data", "New data."},
    {"new_layer", "A new layer."},
    {"new_optimizer", "A new optimizer."},
    {"new_analysis", "A new analysis."},
    {"new_shade", "A new shade."}};

std::string line_of(const std::string& name, const std::string& help) {
  return "\n  " + name + ": " + help + "\n";
}

TEST(ListComponentsTest, NamesEveryTypeThatAConfigurationCanNameAndEveryMetric) {
  const Registry registry = built_in_registry();
  const std::string list = list_components(registry);
  for (const auto* table : {&registry.models(), &registry.losses(), &registry.layers(),
                            &registry.optimizers(), &registry.data(), &registry.analyses()})
    for (const OptionType& type : *table)
      EXPECT_THAT(list, HasSubstr(line_of(type.name, type.help)));
  ExperimentOptions options(registry);
  const std::vector<TypeTable> tables = type_tables(options);
  EXPECT_GT(tables.size(), 10u);
  for (const TypeTable& table : tables)
    for (const OptionType& type : table.types)
      EXPECT_THAT(list, HasSubstr(line_of(type.name, type.help))) << table.option;
  for (const MeasureGroup& group : all_measures())
    for (const Measure& measure : group.measures)
      EXPECT_THAT(list, ::testing::AnyOf(HasSubstr(fmt::format("\n  {}: ", measure.name)),
                                         HasSubstr(fmt::format(".  {}: ", measure.name))));
  const std::string commands = list_components(registry, commands_group);
  for (const Command& command : command_table())
    EXPECT_THAT(commands, HasSubstr(line_of(command.name, command.help)));
}

TEST(ListComponentsTest, IsShort) {
  const std::string list = list_components(built_in_registry());
  EXPECT_LE(std::count(list.begin(), list.end(), '\n'), 130);
}

TEST(ListComponentsTest, WhatSeveralGroupsHaveIsExplainedOnce) {
  const std::string list = list_components(built_in_registry());
  EXPECT_THAT(list, HasSubstr("feature-formats.  table, tiangong, yandex, open_bandit (above)\n"));
  EXPECT_EQ(list.find("  tiangong: "), list.rfind("  tiangong: "));
}

TEST(ListComponentsTest, ListsEachItemOfAGroupOnce) {
  const std::string list = list_components(built_in_registry());
  const std::string line =
      line_of("fitted_click_model", "Users who follow a click model trained in another run.");
  ASSERT_THAT(list, HasSubstr(line));
  EXPECT_EQ(list.find(line), list.rfind(line));
}

TEST(ListComponentsTest, EveryListingHasWhatIsAddedToTheRegistry) {
  const Registry registry = extended_registry();
  const std::string list = list_components(registry), options = list_options(registry);
  std::string reference;
  for (const auto& [file, page] : reference_pages(registry)) reference += page;
  for (const auto& [name, help] : new_items) {
    EXPECT_THAT(list, HasSubstr(line_of(name, help)));
    EXPECT_THAT(options, HasSubstr(line_of(name, help)));
    EXPECT_THAT(list_components(registry, name), HasSubstr(line_of(name, help)));
    EXPECT_THAT(reference, HasSubstr(std::string("\n## ") + name + "\n\n" + help + "\n"));
  }
}

TEST(ListComponentsTest, PrintsAnItemWithItsOptionsInEveryGroupThatHasTheName) {
  const Registry registry = built_in_registry();
  const std::string pbm = list_components(registry, "pbm");
  EXPECT_THAT(
      pbm, StartsWith("models: Models of how users click. Chosen by model.type.\n"
                      "  pbm: Position-based model: examination times attraction.\n"
                      "    examination: Examination of each rank, θ.\n"
                      "      type: embedding | table | linear | mlp | deep_cross | boosted_trees | "
                      "transformer (default table)\n"
                      "    attraction: Attraction of each query-document pair, γ.\n"
                      "      type: embedding | table | linear | mlp | deep_cross | boosted_trees | "
                      "transformer (default embedding)\n"
                      "losses: "));
  EXPECT_THAT(pbm, HasSubstr("\n  pbm: Position-based model: examination times relevance.\n"));
  EXPECT_THAT(pbm, AllOf(HasSubstr("\n    propensities: "), Not(HasSubstr("ubm: "))));
}

TEST(ListComponentsTest, ATableThatOnlyAnAddedTypeChoosesFromIsAGroup) {
  EXPECT_EQ(list_components(extended_registry(), "wall_shade"),
            "wall_shade: Colour of the wall. Chosen by data.wall_shade.type.\n"
            "  new_shade: A new shade.\n"
            "    grey: Share of white. (number, at least 0 and at most 1; default 0.5)\n");
}

TEST(ListComponentsTest, PrintsAGroupWithItsOptions) {
  const std::string losses = list_components(built_in_registry(), "losses");
  EXPECT_THAT(losses, StartsWith("losses: "));
  for (const ModelType& loss : ranking_losses())
    EXPECT_THAT(losses, HasSubstr(line_of(loss.name, loss.help)));
  EXPECT_THAT(losses, HasSubstr("\n    clip: "));
  EXPECT_THAT(losses, Not(HasSubstr("\nmodels: ")));
}

TEST(ListComponentsTest, AnUnknownNameIsAnErrorThatSaysTheNearest) {
  const Registry registry = built_in_registry();
  EXPECT_THAT(
      [&] { list_components(registry, "lambdamrt"); },
      ThrowsMessage<ConfigError>(
          "there is nothing called 'lambdamrt'; expected a name that --list prints (did you "
          "mean 'lambdamart'?)"));
  EXPECT_THAT([&] { list_components(registry, "layer"); },
              ThrowsMessage<ConfigError>(HasSubstr("'layers'")));
  EXPECT_THAT([&] { list_components(registry, "xxxxxxxxxx"); },
              ThrowsMessage<ConfigError>(Not(HasSubstr("did you mean"))));
}

TEST(ListOptionsTest, HasEverySectionOfAConfigurationAndTheOptionsOfEveryType) {
  const std::string list = "\n" + list_options(built_in_registry());
  for (const char* key : {"name", "seed", "threads", "output", "plugins", "data", "loss", "model",
                          "optimizer", "train", "checkpoint", "evaluate", "report"})
    EXPECT_THAT(list, HasSubstr("\n" + std::string(key) + ": ")) << key;
  EXPECT_THAT(list, HasSubstr("\n  early_stopping: "));
  for (const char* option : {"gradient_reversal", "widths", "penalty", "train", "aggregate"})
    EXPECT_THAT(list, HasSubstr("\n    " + std::string(option) + ": ")) << option;
}

/// Runs my-program and returns its exit code.
int run(std::vector<std::string> arguments, std::string& output, std::string& error) {
  arguments.insert(arguments.begin(), "my-program");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = run_program(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  output = ::testing::internal::GetCapturedStdout();
  error = ::testing::internal::GetCapturedStderr();
  return code;
}

TEST(ListProgramTest, ListsAllOrANameAndRefusesUnknownOnes) {
  const Registry registry = built_in_registry();
  std::string output, error;
  EXPECT_EQ(run({"--list"}, output, error), 0);
  EXPECT_EQ(output, list_components(registry));
  EXPECT_EQ(run({"--list", "columns"}, output, error), 0);
  EXPECT_EQ(output, list_components(registry, "columns"));
  EXPECT_EQ(run({"--help-options"}, output, error), 0);
  EXPECT_EQ(output, list_options(registry));
  EXPECT_EQ(error, "");
  EXPECT_EQ(run({"--list", "pbmm"}, output, error), 2);
  EXPECT_EQ(output, "");
  EXPECT_EQ(error,
            "error: there is nothing called 'pbmm'; expected a name that --list prints (did you "
            "mean 'pbm'?)\n");
}

TEST(ListProgramTest, WritesTheReference) {
  const testing::TemporaryFolder folder;
  std::string output, error;
  EXPECT_EQ(run({"--write-reference", folder.path() / "pages"}, output, error), 0);
  EXPECT_EQ(output + error, "");
  EXPECT_EQ(testing::read_text(folder.path() / "pages/models.md"),
            reference_pages(built_in_registry()).at("models.md"));
}

}  // namespace
}  // namespace ultr::listings_test
