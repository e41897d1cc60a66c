#include "experiment/experiment_options.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/text/quote.h"
#include "base/text/utf8.h"
#include "base/threads/usable_cores.h"
#include "base/threads/usable_threads.h"
#include "data/features/feature_lists.h"
#include "experiment/data_options.h"
#include "experiment/replaced_sections.h"
#include "experiment/task.h"

namespace ultr {

void EvaluateOptions::fields(Fields& f) {
  f.integers("cutoffs", cutoffs, "Ranks at which ranking metrics are cut.", between(1, 1e6));
  f.word("gain", gain, "Gain of a document with label y in DCG: 2^y - 1, or y.",
         {"exponential", "linear"});
  f.word("without_relevant", without_relevant,
         "Count lists without a relevant document as 0, or leave them out.", {"zero", "skip"});
  f.integer("relevant", relevant, "Smallest label of a relevant document.",
            between(1, largest_label));
  f.integer(
      "train_sessions", train_sessions,
      "Evaluate the trained model on this many training sessions, at even distances, if there "
      "are more; 0: on all.",
      between(0, 1e10));
}

RankingOptions EvaluateOptions::ranking() const {
  return {.cutoffs = {cutoffs.begin(), cutoffs.end()},
          .gain = gain == "exponential" ? Gain::exponential : Gain::linear,
          .without_relevant =
              without_relevant == "zero" ? WithoutRelevant::zero : WithoutRelevant::skip,
          .relevant = static_cast<int>(relevant)};
}

void ReportOptions::fields(Fields& f) {
  f.boolean("enabled", enabled, "Write report.html.");
  f.text("title", title, "Title of the report; empty: the experiment's name.");
}

ExperimentOptions::ExperimentOptions(const Registry& registry)
    : data(registry.data(), "simulation", "format"),
      loss(registry.losses(), likelihood_loss),
      model(registry.models(), "pbm"),
      optimizer(registry.optimizers(), "adamw") {}

void ExperimentOptions::fields(Fields& f) {
  f.text("name", name, "Name of the experiment; empty: that of its file.");
  f.integer("seed", seed, "Seed of all random numbers.", between(0, 9007199254740992.0));
  f.integer("threads", threads,
            "Threads to use; 0: one per core, within the CPU quota. Results do not depend on it.",
            between(0, 1024));
  f.text("output", output,
         "Folder of the run, which must be new or empty; by default runs/<name>/<number>.");
  f.texts("plugins", plugins,
          "Plugins (shared objects) to load, found beside the configuration or in the working "
          "folder; --plugin adds to them.");
  if (analysis) {
    f.choice("analysis", *analysis, "Analysis to do in place of training a model.");
    f.section("report", report, "Report of the run.");
    return;
  }
  f.choice("data", data, "Source of the sessions.");
  f.choice("loss", loss,
           "Loss that training minimises: the likelihood of a click model, or a ranking loss of "
           "towers.");
  if (trains_click_model()) f.choice("model", model, "The click model.");
  f.choice("optimizer", optimizer, "Method that fits the parameters.");
  f.section("train", train, "Settings of training.");
  f.section("checkpoint", checkpoint, "Checkpoints, from which --resume continues.");
  f.section("evaluate", evaluate, "Settings of evaluation.");
  f.section("report", report, "Report of the run.");
}

void ExperimentOptions::choose_analysis(const ConfigNode& config, const Registry& registry) {
  const ConfigNode* const node = config.find("analysis");
  if (node == nullptr) return;
  for (const std::string_view replaced : replaced_by_analysis)
    if (const ConfigNode* other = config.find(replaced))
      throw ConfigError(fmt::format("{}: {} stands beside an analysis; expected one of them",
                                    other->key_where, replaced));
  const bool typed = node->kind == ConfigNode::Kind::scalar || node->find("type") != nullptr ||
                     !node->plain.empty();
  if (!typed || registry.analyses().empty())
    throw ConfigError(
        fmt::format("{}: analysis.type is missing; expected one of those that --list "
                    "prints",
                    node->where));
  analysis.emplace(registry.analyses(), registry.analyses().front().name);
}

void ExperimentOptions::expect_model() const {
  if (analysis)
    throw ConfigError(
        fmt::format("{} is an analysis ({}), without data and a model of its own; "
                    "expected a configuration that trains a model",
                    name, analysis->type));
}

void ExperimentOptions::locate_files(const std::filesystem::path& config_folder) const {
  if (analysis) {
    analysis->as<Task>().locate_files(config_folder);
    return;
  }
  data.as<DataOptions>().locate_files(config_folder);
  trained().locate_files(
      [&](const std::string& file) { return find_data_file(file, config_folder).string(); });
}

void ExperimentOptions::check() const {
  if (name.find('/') != std::string::npos || name.starts_with('.'))
    throw ConfigError(
        fmt::format("name is {}; expected one without '/' that does not start with a dot, since it "
                    "names a folder",
                    quote(name)));
  if (!is_utf8(name))
    throw ConfigError(
        fmt::format("name is {}; expected UTF-8, since results name the run", quote(name)));
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw ConfigError(
        fmt::format("name is {}; expected one without control characters", quote(name)));
  if (analysis) {
    analysis->as<Task>().check();
    return;
  }
  data.as<DataOptions>().check();
  trained().check();
  checkpoint.interval();
  std::set<std::int64_t> seen;
  for (const std::int64_t cutoff : evaluate.cutoffs)
    if (!seen.insert(cutoff).second)
      throw ConfigError(fmt::format("evaluate.cutoffs has {} twice; expected each once", cutoff));
}

int count_threads(const ExperimentOptions& options) {
  return usable_threads(options.threads > 0 ? static_cast<int>(options.threads) : usable_cores());
}

}  // namespace ultr
