#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/version.h"
#include "commands/built_in_registry.h"
#include "data/readers.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "layers/layers.h"
#include "models/models.h"
#include "optim/optim.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "testing/temporary_folder.h"

namespace ultr::registry_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::ThrowsMessage;

std::vector<std::string> names(const auto& types) {
  std::vector<std::string> all;
  for (const auto& type : types) all.push_back(type.name);
  return all;
}

std::filesystem::path plugin(const std::string& name) {
  return std::filesystem::path(ULTR_PLUGIN_FOLDER) / ("lib" + name + "_plugin.so");
}

ModelType another_model(const std::string& name) {
  return model_type<PositionBasedModel>(name, "Another.");
}

ReaderType another_format(const std::string& name) {
  return {name, "Another.", [](const auto&, const auto&, const auto&) { return ReadReport{}; }};
}

void read(const Registry& registry, const std::string& yaml) {
  ExperimentOptions options(registry);
  read_options(parse_config(yaml, "test"), options);
}

TEST(RegistryTest, HasAllBuiltInTypes) {
  const Registry registry = built_in_registry();
  EXPECT_EQ(names(registry.models()), names(model_types()));
  EXPECT_EQ(names(registry.layers()), names(layer_types()));
  EXPECT_EQ(names(registry.optimizers()), names(optimizer_types()));
  EXPECT_THAT(names(registry.data()), IsSupersetOf(names(reader_types())));
  EXPECT_THAT(names(registry.data()), Contains("simulation"));
  EXPECT_TRUE(registry.plugins().empty());
}

TEST(RegistryTest, RefusesNamesThatAreTaken) {
  Registry registry = built_in_registry();
  EXPECT_THAT([&] { registry.add(another_model("pbm")); },
              ThrowsMessage<Error>("there is a model 'pbm' already; expected another name"));
  EXPECT_THAT([&] { registry.add(another_format("yandex")); },
              ThrowsMessage<Error>(HasSubstr("there is a data format 'yandex' already")));
  EXPECT_THAT([&] { registry.add(another_format("simulation")); },
              ThrowsMessage<Error>(HasSubstr("there is a data format 'simulation' already")));
  EXPECT_THAT([&] { registry.add_layer<LogitTableOptions>("table", "Another."); },
              ThrowsMessage<Error>(HasSubstr("there is a layer 'table' already")));
  EXPECT_THAT([&] { registry.add_optimizer<SgdOptions>("adam", "Another."); },
              ThrowsMessage<Error>(HasSubstr("there is an optimizer 'adam' already")));
  EXPECT_EQ(names(registry.models()), names(model_types()));
}

TEST(RegistryTest, AddedTypesCanBeConfiguredAlsoAfterAMove) {
  Registry first = built_in_registry();
  const std::string yaml =
      "{data: {format: simulation, user: new_model}, optimizer: new_optimizer, "
      "model: {type: mixture, components: [new_model, {type: pbm, attraction: new_layer}]}}";
  EXPECT_THROW(read(first, yaml), ConfigError);
  first.add(another_model("new_model"));
  Registry registry = std::move(first);
  registry.add(another_format("new_format"));
  registry.add_layer<LogitTableOptions>("new_layer", "Another.");
  registry.add_optimizer<SgdOptions>("new_optimizer", "Another.");
  read(registry, yaml);
  read(registry, "{data: {format: new_format, train: file}}");
}

TEST(RegistryTest, RegistriesAreIndependent) {
  Registry one = built_in_registry();
  one.add(another_model("new_model"));
  const Registry other = built_in_registry();
  EXPECT_THAT(names(other.models()), Not(Contains("new_model")));
}

TEST(PluginTest, AddsTypesToEveryTableOnce) {
  Registry registry = built_in_registry();
  for (int i = 0; i < 2; ++i) {
    registry.load_plugin(plugin("good"));
    EXPECT_EQ(registry.models().size(), model_types().size() + 1);
    EXPECT_EQ(registry.models().back().name, "plugged_model");
    EXPECT_EQ(registry.layers().back().name, "plugged_layer");
    EXPECT_EQ(registry.optimizers().back().name, "plugged_optimizer");
    EXPECT_EQ(registry.data().back().name, "plugged_format");
    EXPECT_THAT(registry.plugins(),
                ElementsAre(std::filesystem::canonical(plugin("good")).string()));
  }
}

TEST(PluginTest, AnotherRegistryMakesTheSameChoice) {
  Registry registry, another;
  registry.load_plugin(plugin("good"));
  registry.trust_run_folders();
  another.choose_plugins(registry.plugin_choice());
  EXPECT_EQ(another.plugins(), registry.plugins());
  EXPECT_TRUE(another.plugin_choice().trusts_run_folders);
}

/// Returns the error of load_plugin for a file, which must be one line that starts with the path.
std::string refusal(const std::filesystem::path& file) {
  Registry registry = built_in_registry();
  try {
    registry.load_plugin(file);
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_TRUE(registry.plugins().empty());
    return message;
  }
  ADD_FAILURE() << file << " was not refused";
  return "";
}

TEST(PluginTest, RefusesFilesThatAreNoSharedObjects) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.path() / "missing.so"),
              AllOf(HasSubstr("No such file"), HasSubstr("expected a plugin")));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("expected a plugin"));
  EXPECT_THAT(refusal(folder.write("text.so", "no library\n")), HasSubstr("expected a plugin"));
  EXPECT_THAT(refusal(folder.write("empty.so", "")), HasSubstr("expected a plugin"));
}

TEST(PluginTest, RefusesOtherSharedObjects) {
  EXPECT_THAT(refusal(plugin("silent")), HasSubstr("has no ultr_register"));
  EXPECT_THAT(refusal(plugin("outdated")),
              AllOf(HasSubstr("built for ABI version " + std::to_string(abi_version + 1)),
                    HasSubstr("expected " + std::to_string(abi_version))));
  EXPECT_THAT(refusal(plugin("unrelated")), HasSubstr("has no ultr_abi_version"));
}

TEST(PluginTest, RefusesNamesThatAreTaken) {
  EXPECT_THAT(refusal(plugin("clashing")), HasSubstr("there is a model 'pbm' already"));
}

}  // namespace
}  // namespace ultr::registry_test
