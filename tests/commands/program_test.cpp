#include "commands/program.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "commands/run_in_process.h"
#include "models/models.h"
#include "testing/environment.h"
#include "testing/temporary_folder.h"

namespace ultr::program_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProgramOutcome;
using testing::run_in_process;
using ::testing::StartsWith;

std::string plugin(const std::string& name) {
  return fmt::format("{}/lib{}_plugin.so", ULTR_PLUGIN_FOLDER, name);
}

TEST(ProgramTest, RunsWithTheTypesThatItIsGiven) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("own.yaml", "model: my_model\n");
  Registry registry = built_in_registry();
  registry.add(model_type<PositionBasedModel>("my_model", "Of a program."));
  EXPECT_THAT(run_in_process({"--list"}, std::move(registry)).output,
              HasSubstr("my_model: Of a program."));

  Registry again = built_in_registry();
  again.add(model_type<PositionBasedModel>("my_model", "Of a program."));
  const ProgramOutcome outcome = run_in_process({config, "--dry-run"}, std::move(again));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr("type: my_model"));

  const ProgramOutcome without = run_in_process({config, "--dry-run"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.error, HasSubstr("model is 'my_model'; expected one of"));
}

TEST(ProgramTest, MessagesNameTheProgram) {
  EXPECT_EQ(run_in_process({}).error,
            "error: no configuration; expected my-program CONFIG [KEY=VALUE ...]\n");
  EXPECT_THAT(run_in_process({"--help"}).output, HasSubstr("my-program [OPTIONS]"));
}

TEST(ProgramTest, MistypedCommandsHaveASuggestion) {
  EXPECT_EQ(run_in_process({"diganose", "a.yaml", "--sample", "500"}).error,
            "error: there is no command 'diganose'; did you mean 'diagnose'?\n");
  EXPECT_EQ(run_in_process({"comapre"}).code, 2);
  // A word that resembles no command, or may be a file, is taken for a configuration.
  EXPECT_THAT(run_in_process({"elsewhere"}).error, HasSubstr("elsewhere: cannot be read"));
  EXPECT_THAT(run_in_process({"compare.yml"}).error, HasSubstr("compare.yml: cannot be read"));
  EXPECT_THAT(run_in_process({"./comapre"}).error, HasSubstr("./comapre: cannot be read"));
}

TEST(ProgramTest, MistypedOptionsHaveASuggestion) {
  EXPECT_EQ(run_in_process({"--dry-rum"}).error,
            "error: my-program has no option --dry-rum; did you mean --dry-run?\n");
  EXPECT_EQ(run_in_process({"diagnose", "a.yaml", "--smple", "500"}).error,
            "error: my-program diagnose has no option --smple; did you mean --sample?\n");
  EXPECT_EQ(run_in_process({"diagnose", "a.yaml", "--what"}).error,
            "error: my-program diagnose has no option --what; see my-program diagnose --help\n");
}

TEST(ProgramTest, ArgumentsOfACommandMayBeCalledAsACommandIs) {
  EXPECT_THAT(run_in_process({"compare", "train", "compare"}).error,
              HasSubstr("train: there is no such folder"));
}

TEST(ProgramTest, TrainingNeedsNoCommand) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  const ProgramOutcome named = run_in_process({"train", config, "seed=3", "--dry-run"});
  EXPECT_EQ(named.code, 0) << named.error;
  EXPECT_THAT(named.output, HasSubstr("seed: 3"));
  EXPECT_EQ(run_in_process({config, "seed=3", "--dry-run"}).output, named.output);
  const ProgramOutcome resume = run_in_process({"resume", folder.path().string()});
  EXPECT_EQ(resume.code, 3);
  EXPECT_EQ(run_in_process({"--resume", folder.path().string()}).error, resume.error);
}

TEST(ProgramTest, OptionsOfACommandComeAfterIt) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  const auto expect_refused = [](const std::vector<std::string>& arguments,
                                 const std::string& message) {
    const ProgramOutcome outcome = run_in_process(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error, "error: " + message + "\n");
  };
  expect_refused({"--dry-run", "train", config},
                 "--dry-run is given before the command train; expected it after the command");
  expect_refused({config, "seed=3", "train", config, "--dry-run"},
                 config + " is given before the command train; expected it after the command");
  expect_refused({"--resume", "runs", "resume", "runs"},
                 "--resume is given before the command resume; expected it after the command");
  EXPECT_EQ(
      run_in_process({"--trust", "--plugin", plugin("good"), "train", config, "--dry-run"}).code,
      0);
}

TEST(ProgramTest, OneThingIsDoneAtATime) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  for (const std::vector<std::string>& both :
       {std::vector<std::string>{config, "--dry-run", "--check-gradients"},
        {"train", config, "--dry-run", "--check-gradients"}}) {
    const ProgramOutcome outcome = run_in_process(both);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error,
              "error: --dry-run and --check-gradients are both given; expected one of them\n");
  }
  for (const std::vector<std::string>& both :
       {std::vector<std::string>{"--list", "pbm", config},
        {"--help-options", "--dry-run"},
        {"--write-reference", folder.path() / "pages", "--resume", "run"}}) {
    const ProgramOutcome outcome = run_in_process(both);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.error,
              "error: " + both.front() +
                  " is given with a run to do; expected it alone; see my-program --help\n");
  }
}

TEST(ProgramTest, RequiredArgumentsAreNotEmpty) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"convert", "svmlight", "lists.txt", "--output", ""},
        {"labels", "run", "--output", ""},
        {"simulate", "a.yaml", "--output", ""}}) {
    const ProgramOutcome outcome = run_in_process(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error, "error: --output is empty; expected FOLDER\n");
  }
  EXPECT_EQ(run_in_process({"relevance", "", "--output", "a.csv"}).error,
            "error: run is empty; expected RUN\n");
}

TEST(ProgramTest, EveryCommandTakesPlugins) {
  for (const Command& command : command_table())
    EXPECT_THAT(run_in_process({command.name, "--plugin"}).error,
                HasSubstr("--plugin: 1 required FILE missing"));
  EXPECT_THAT(run_in_process({"compare", "runs", "--plugin", plugin("missing")}).error,
              HasSubstr("libmissing_plugin.so: "));
}

TEST(ProgramTest, FormatsOfPluginsAreConverted) {
  const testing::TemporaryFolder folder;
  const std::string clicks = folder.write("clicks.txt", "7\t101:0\t102:1\n");
  const std::string reader = fmt::format("{}/libreader.so", ULTR_PLUGIN_FOLDER);
  for (const std::string more : {"--click-log", "--set=clicked_only=true"}) {
    const std::string output = folder.path() / more;
    const ProgramOutcome outcome =
        run_in_process({"convert", "--plugin", reader, "colons", clicks, "-o", output, more});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_THAT(outcome.output, HasSubstr("1 lists, 2 documents"));
  }
  EXPECT_THAT(run_in_process({"--plugin", reader, "--list", "conversion-formats"}).output,
              HasSubstr("colons"));
  const std::string output = folder.path() / "columns";
  EXPECT_THAT(run_in_process({"convert", "tiangog", clicks, "-o", output}).error,
              HasSubstr("(did you mean 'tiangong'?)"));
}

TEST(ProgramTest, PluginsAddTypes) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write(
      "plugged.yaml",
      "{model: {type: plugged_model, attraction: plugged_layer}, optimizer: plugged_optimizer}");
  // One FILE after each --plugin: the configuration is not taken for another.
  const ProgramOutcome outcome = run_in_process({"--plugin", plugin("good"), config, "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr("libgood_plugin.so"));

  // The printed configuration names the plugin and can be run unchanged.
  const std::string saved = folder.write("saved.yaml", outcome.output);
  EXPECT_EQ(run_in_process({saved, "--dry-run"}).output, outcome.output);
  EXPECT_EQ(run_in_process({saved, "--dry-run", "--plugin", plugin("good")}).output,
            outcome.output);
}

TEST(ProgramTest, PluginsOfAConfigurationAreLookedUpBesideIt) {
  const testing::TemporaryFolder folder;
  std::filesystem::copy(plugin("good"), folder.path() / "beside.so");
  const std::string config =
      folder.write("beside.yaml", "{plugins: beside.so, model: plugged_model}");
  EXPECT_EQ(run_in_process({config, "--dry-run"}).code, 0);
}

TEST(ProgramTest, PluginsOfARunsFolderAreLoadedOnlyIfTrusted) {
  const testing::TemporaryFolder folder;
  const std::string code = folder.path() / "code.so", lists = folder.write("lists.csv", "");
  const std::string config = fmt::format("{{plugins: {}, model: pbm}}\n", code);
  const std::string run = folder.path() / "run", sweep = folder.path() / "sweep";
  for (const char* made : {"run/model", "run/checkpoints", "sweep/point"})
    std::filesystem::create_directories(folder.path() / made);
  for (const char* file : {"run/config.yaml", "sweep/point/config.yaml"})
    folder.write(file, config);
  for (const char* file :
       {"run/metrics.csv", "run/model/model.json", "run/checkpoints/1.checkpoint"})
    folder.write(file, "");
  folder.write("sweep/sweep.txt", "point\n");
  const std::string own = folder.write("own.yaml", "model: pbm\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"predict", run, "--data", lists},
        {"evaluate", run, "--data", lists},
        {"diagnose", own, "--run", run},
        {"diagnose", run + "/config.yaml"},
        {run + "/config.yaml", "--dry-run"},
        {"resume", run},
        {"--resume", run},
        {"resume", sweep}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(command, " ")));
    const ProgramOutcome refused = run_in_process(command);
    EXPECT_EQ(refused.code, 3);
    EXPECT_THAT(refused.error,
                HasSubstr(fmt::format("config.yaml: its plugins are code and are not loaded: {}; "
                                      "expected --plugin FILE for each, or --trust to load them\n",
                                      code)));
    std::vector<std::string> trusting = command;
    trusting.push_back("--trust");
    EXPECT_THAT(run_in_process(trusting).error, HasSubstr("code.so: No such file"));
  }
}

TEST(ProgramTest, APluginThatIsGivenStandsForThatOfARunsFolder) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "run");
  const std::string config = folder.write(
      "run/config.yaml", "{plugins: elsewhere/libgood_plugin.so, model: plugged_model}\n");
  folder.write("run/metrics.csv", "");
  EXPECT_EQ(run_in_process({config, "--dry-run"}).code, 3);
  const ProgramOutcome outcome = run_in_process({config, "--dry-run", "--plugin", plugin("good")});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr(plugin("good")));
}

TEST(ProgramTest, WrongPluginsEndItBeforeAnythingRuns) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  for (const std::string name : {"missing", "silent", "outdated", "unrelated", "clashing"}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{config, "--plugin", plugin(name)},
          std::vector<std::string>{config, "plugins=" + plugin(name)}}) {
      const ProgramOutcome outcome = run_in_process(arguments);
      EXPECT_EQ(outcome.code, 2);
      EXPECT_THAT(outcome.output, IsEmpty());
      EXPECT_THAT(outcome.error,
                  AllOf(StartsWith("error: "), HasSubstr("lib" + name + "_plugin.so: ")));
    }
  }
  EXPECT_THAT(run_in_process({config, "plugins={a: b}"}).error, HasSubstr("plugins is a section"));
  EXPECT_THAT(run_in_process({config, "--plugin"}).error, HasSubstr("--plugin"));
}

TEST(ProgramTest, IsNotOneOfSeveralThatKnowNothingOfEachOther) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("pbm.yaml", "model: pbm\n");
  const testing::Environment several(
      testing::launcher_variables({{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_RANK", "1"}}));
  const ProgramOutcome outcome = run_in_process({config, "--dry-run"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("my-program was started as one of 3 processes"));
  EXPECT_EQ(run_in_process({"--version"}).code, 0);
  const testing::Environment one(testing::launcher_variables({{"OMPI_COMM_WORLD_SIZE", "1"}}));
  EXPECT_EQ(run_in_process({config, "--dry-run"}).code, 0);
}

}  // namespace
}  // namespace ultr::program_test
