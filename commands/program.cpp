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
                              const Communicator* ranks) {
  if (ranks != nullptr && command != nullptr && !command->divisible)
    throw ConfigError(
        fmt::format("{} {} cannot be divided over {} processes; expected it without mpirun", name,
                    command->name, ranks->size()));
  if (const int processes = launched_processes().value_or(1); ranks == nullptr && processes > 1)
    throw ConfigError(
        fmt::format("{} was started as one of {} processes and cannot work with the others; "
                    "expected ultr-run, with what is added as a plugin, or no mpirun",
                    name, processes));
}

/// with_exit_code for one of several processes (run_program).
int as_one_of(Communicator* ranks, const std::function<int()>& program) {
  if (ranks == nullptr) return with_exit_code(program);
  if (ranks->rank() > 0) {
    log().set_level(spdlog::level::off);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ranks->end_all(1);
  }
  bool alone = false;
  const int code = with_exit_code([&] {
    try {
      return program();
    } catch (const std::exception&) {
      alone = !ranks->all_fail();
      if (alone && ranks->rank() > 0) {
        log().set_level(spdlog::level::info);
        log().set_pattern(fmt::format("process {}: %v", ranks->rank()));
      }
      throw;
    }
  });
  if (alone) ranks->end_all(code);
  return code;
}

}  // namespace

int run_program(int argc, char** argv, Registry registry, Communicator* ranks,
                const std::vector<Command>& commands) {
  const std::string name =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ultr-run";
  return as_one_of(ranks, [&] {
    ProgramLine line(name, registry, commands);
    std::optional<int> done;
    together(ranks, [&] {
      done = line.parse(argc, argv);
      if (done) return;
      expect_fitting_processes(name, line.command(), ranks);
      for (const std::string& plugin : line.plugins()) registry.load_plugin(plugin);
    });
    if (done) return *done;
    return line.run({.registry = registry,
                     .name = name,
                     .threads = tbb::info::default_concurrency(),
                     .processes = ranks});
  });
}

}  // namespace ultr
