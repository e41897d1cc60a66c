#include "commands/simulate.h"

#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/core.h>
#include <tbb/global_control.h>

#include "base/duration.h"
#include "base/file.h"
#include "base/progress_bar.h"
#include "commands/single_configuration.h"
#include "data/columns/log_writer.h"
#include "data/log/pair_dictionary.h"
#include "experiment/single_run.h"
#include "options/config_tree.h"
#include "sources/simulation.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Writes the sessions of each part to a folder of its own, block by block. The dictionary of all
/// parts is in the folder of the first, the training sessions.
void write_parts(const SimulationOptions& options, const DataSetting& setting, const fs::path& into,
                 ProgressBar& bar) {
  std::optional<LogWriter> columns;
  std::uint64_t dictionary = 0;
  std::string name;
  options.stream(setting, [&](const SimulationOptions::Part& part, const SessionLog& sessions) {
    if (name != part.name) {
      if (columns) columns->finish();
      name = part.name;
      const fs::path folder = into / name;
      fs::create_directory(folder);
      const bool first = !columns;
      if (first)
        dictionary = write_dictionary(
            folder, options.rows(), [&](std::uint64_t row) { return options.query_of(row); },
            [](std::uint64_t row) { return row; });
      else
        write_dictionary_id(folder, dictionary);
      columns.emplace(folder, LogWriter::Setting{.documents = !first, .pairs = true});
    }
    columns->add(sessions);
    bar.add(sessions.sessions());
  });
  if (columns) columns->finish();
}

}  // namespace

void simulate(const SimulateCommand& command, Registry& registry) {
  const ExperimentOptions options = resolve_single(command.config, command.overrides, registry);
  const auto* simulation = dynamic_cast<const SimulationOptions*>(options.data.options.get());
  if (simulation == nullptr)
    throw ConfigError(fmt::format("data.format is '{}'; expected 'simulation', which makes data",
                                  options.data.type));
  const DataSetting setting{.seed = static_cast<std::uint64_t>(options.seed),
                            .threads = count_threads(options)};
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(setting.threads));
  std::uint64_t sessions = 0;
  for (const SimulationOptions::Part& part : simulation->parts())
    sessions += static_cast<std::uint64_t>(part.sessions);

  const auto start = std::chrono::steady_clock::now();
  NewFolder folder(command.output);
  {
    ProgressBar bar(stderr, options.name, sessions, " sessions");
    write_parts(*simulation, setting, folder.temporary(), bar);
  }
  folder.finish();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} sessions, {} documents each, in {} ({} sessions/s)\n", command.output,
             sessions, simulation->shown(), format_duration(spent.count()),
             format_rate(static_cast<double>(sessions) / spent.count()));
}

}  // namespace ultr
