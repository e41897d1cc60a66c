#include "commands/program.h"

#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <tbb/info.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "commands/program_line.h"
#include "distributed/mpi_launcher.h"

namespace ultr {
namespace {

/// Throws ConfigError if the number of processes does not fit what the program is to do.
void expect_fitting_processes(const std::string& name, const Command* command,
                              const Communicator* processes) {
  if (processes != nullptr && command != nullptr && !command->divisible)
    throw ConfigError(
        fmt::format("{} {} cannot be divided over {} processes; expected it without mpirun", name,
                    command->name, processes->size()));
  if (const int launched = launched_processes().value_or(1); processes == nullptr && launched > 1)
    throw ConfigError(
        fmt::format("{} was started as one of {} processes and cannot work with the others; "
                    "expected ultr-run, with what is added as a plugin, or no mpirun",
                    name, launched));
}

/// with_exit_code for one of several processes (run_program).
int as_one_of(Communicator* processes, const std::function<int()>& program) {
  if (processes == nullptr) return with_exit_code(program);
  if (processes->process() > 0) {
    log().set_level(spdlog::level::off);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) processes->end_all(1);
  }
  bool alone = false;
  const int code = with_exit_code([&] {
    try {
      return program();
    } catch (const std::exception&) {
      alone = !processes->all_fail();
      if (alone && processes->process() > 0) {
        log().set_level(spdlog::level::info);
        log().set_pattern(fmt::format("process {}: %v", processes->process()));
      }
      throw;
    }
  });
  if (alone) processes->end_all(code);
  return code;
}

}  // namespace

int run_program(int argc, char** argv, Registry registry, Communicator* processes,
                const std::vector<Command>& commands) {
  const std::string name =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ultr-run";
  return as_one_of(processes, [&] {
    ProgramLine line(name, registry, commands);
    std::optional<int> done;
    run_in_all_processes(processes, [&] {
      done = line.parse(argc, argv);
      if (done) return;
      expect_fitting_processes(name, line.command(), processes);
      for (const std::string& plugin : line.plugins()) registry.load_plugin(plugin);
      if (line.trusts_run_folders()) registry.trust_run_folders();
    });
    if (done) return *done;
    return line.run({.registry = registry,
                     .name = name,
                     .threads = tbb::info::default_concurrency(),
                     .processes = processes});
  });
}

}  // namespace ultr
