#include "commands/program.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "models/models.h"
#include "testing/environment.h"
#include "testing/temporary_folder.h"

namespace ultr::program_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  int code;
  std::string output, error;
};

Outcome run(std::vector<std::string> arguments, Registry registry = built_in_registry()) {
  arguments.insert(arguments.begin(), "somewhere/my-program");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = run_program(static_cast<int>(argv.size()), argv.data(), std::move(registry));
  std::fflush(stdout);
  Outcome outcome{.code = code, .output = {}, .error = {}};
  outcome.output = ::testing::internal::GetCapturedStdout();
  outcome.error = ::testing::internal::GetCapturedStderr();
  return outcome;
}

std::string plugin(const std::string& name) {
  return fmt::format("{}/lib{}_plugin.so", ULTR_PLUGIN_FOLDER, name);
}

TEST(ProgramTest, RunsWithTheTypesThatItIsGiven) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("own.yaml", "model: my_model\n");
  Registry registry = built_in_registry();
  registry.add(model_type<PositionBasedModel>("my_model", "Of a program."));
  EXPECT_THAT(run({"--list"}, std::move(registry)).output, HasSubstr("my_model: Of a program."));

  Registry again = built_in_registry();
  again.add(model_type<PositionBasedModel>("my_model", "Of a program."));
  const Outcome outcome = run({config, "--dry-run"}, std::move(again));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr("type: my_model"));

  const Outcome without = run({config, "--dry-run"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.error, HasSubstr("model is 'my_model'; expected one of"));
}

TEST(ProgramTest, MessagesNameTheProgram) {
  EXPECT_EQ(run({}).error, "error: no configuration; expected my-program CONFIG [KEY=VALUE ...]\n");
  EXPECT_THAT(run({"--help"}).output, HasSubstr("my-program [OPTIONS]"));
}

TEST(ProgramTest, PluginsAddTypes) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write(
      "plugged.yaml",
      "{model: {type: plugged_model, attraction: plugged_layer}, optimizer: plugged_optimizer}");
  // One FILE after each --plugin: the configuration is not taken for another.
  const Outcome outcome = run({"--plugin", plugin("good"), config, "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr("libgood_plugin.so"));

  // What was printed names the plugin, and runs as it is.
  const std::string saved = folder.write("saved.yaml", outcome.output);
  EXPECT_EQ(run({saved, "--dry-run"}).output, outcome.output);
  EXPECT_EQ(run({saved, "--dry-run", "--plugin", plugin("good")}).output, outcome.output);
}

TEST(ProgramTest, PluginsOfAConfigurationAreLookedUpBesideIt) {
  const testing::TemporaryFolder folder;
  std::filesystem::copy(plugin("good"), folder.path() / "beside.so");
  const std::string config =
      folder.write("beside.yaml", "{plugins: beside.so, model: plugged_model}");
  EXPECT_EQ(run({config, "--dry-run"}).code, 0);
}

TEST(ProgramTest, WrongPluginsEndItBeforeAnythingRuns) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  for (const std::string name : {"missing", "silent", "outdated", "unrelated", "clashing"}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{config, "--plugin", plugin(name)},
          std::vector<std::string>{config, "plugins=" + plugin(name)}}) {
      const Outcome outcome = run(arguments);
      EXPECT_EQ(outcome.code, 2);
      EXPECT_THAT(outcome.output, IsEmpty());
      EXPECT_THAT(outcome.error,
                  AllOf(StartsWith("error: "), HasSubstr("lib" + name + "_plugin.so: ")));
    }
  }
  EXPECT_THAT(run({config, "plugins={a: b}"}).error, HasSubstr("plugins is a section"));
  EXPECT_THAT(run({config, "--plugin"}).error, HasSubstr("--plugin"));
}

TEST(ProgramTest, IsNotOneOfSeveralThatKnowNothingOfEachOther) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  const testing::Environment several(
      testing::launcher_variables({{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_RANK", "1"}}));
  const Outcome outcome = run({config, "--dry-run"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("my-program was started as one of 3 processes"));
  EXPECT_EQ(run({"--version"}).code, 0);
  const testing::Environment one(testing::launcher_variables({{"OMPI_COMM_WORLD_SIZE", "1"}}));
  EXPECT_EQ(run({config, "--dry-run"}).code, 0);
}

}  // namespace
}  // namespace ultr::program_test
