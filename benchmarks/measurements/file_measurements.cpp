#include "measurements/file_measurements.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "synthetic_sessions.h"
#include "tests/testing/temporary_folder.h"
#include "timing.h"

namespace ultr::bench {
namespace {

using testing::TemporaryFolder;

/// The cost of a run of ultr-run.
struct ProgramCost {
  double seconds = 0;            // on the clock
  double processor_seconds = 0;  // user and system
  double peak_memory = 0;        // in bytes; at least what this process holds now
};

ProgramCost cost_of_program(const std::string& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const std::string command = fmt::format("exec '{}' {} >/dev/null", ULTR_RUN, arguments);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
    throw Error(command + ": failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
      .processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime),
      .peak_memory = static_cast<double>(used.ru_maxrss) * 1024};
}
double seconds_of_program(const std::string& arguments) {
  return cost_of_program(arguments).seconds;
}

/// Writes a text: a header, then what `add(session, text)` appends for each session.
template <class Add>
void write_sessions(std::size_t sessions, const char* header, const std::filesystem::path& file,
                    Add add) {
  constexpr std::size_t part = std::size_t{1} << 20;  // bytes that are written at once
  std::ofstream stream(file, std::ios::binary);
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}", header);
  for (std::size_t s = 0; s < sessions; ++s) {
    add(s, std::back_inserter(text));
    if (text.size() < part && s + 1 < sessions) continue;
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }
  if (!stream.flush()) throw Error(file.string() + ": cannot be written");
}

/// Writes the synthetic sessions in Yandex's format.
void write_yandex(const SessionLog& log, const std::filesystem::path& file) {
  write_sessions(log.sessions(), "", file, [&](std::size_t s, auto out) {
    const SessionView shown = log[s];
    fmt::format_to(out, "{}\t0\tQ\t{}\t0\t{}\n", s, shown.query, fmt::join(shown.rows, "\t"));
    for (std::size_t k = 0; k < shown.rows.size(); ++k)
      if (shown.clicks[k] != 0) fmt::format_to(out, "{}\t1\tC\t{}\n", s, shown.rows[k]);
  });
}

/// Writes the synthetic sessions in TianGong's format, in which documents are numbered from 1.
void write_tiangong(const SessionLog& log, const std::filesystem::path& file) {
  write_sessions(log.sessions(), "", file, [&](std::size_t s, auto out) {
    const SessionView shown = log[s];
    std::vector<std::uint32_t> documents(shown.rows.begin(), shown.rows.end());
    for (std::uint32_t& document : documents) ++document;
    const std::vector<int> verticals(documents.size(), 1);
    fmt::format_to(out, "{}\t{}\t[{}]\t[{}]\t[{}]\n", s, shown.query, fmt::join(documents, ", "),
                   fmt::join(verticals, ", "), fmt::join(shown.clicks, ", "));
  });
}

/// The ids of a table: texts or whole numbers.
enum class Ids : std::uint8_t { texts, numbers };

/// Writes the first sessions as a table.
void write_rows(const SessionLog& log, std::size_t sessions, Ids ids,
                const std::filesystem::path& file) {
  const char* const header = "session,query,document,position,click\n";
  write_sessions(sessions, header, file, [&](std::size_t s, auto out) {
    const SessionView shown = log[s];
    for (std::size_t k = 0; k < shown.rows.size(); ++k)
      if (ids == Ids::texts)
        fmt::format_to(out, "session-{},query {},product-{},{},{}\n", s, shown.query, shown.rows[k],
                       shown.positions[k] + 1, shown.clicks[k]);
      else
        fmt::format_to(out, "{},{},{},{},{}\n", s, shown.query, shown.rows[k],
                       shown.positions[k] + 1, shown.clicks[k]);
  });
}

void write_table(const SessionLog& log, const std::filesystem::path& file) {
  write_rows(log, log.sessions(), Ids::texts, file);
}

/// Measures the conversion of a file with so many bytes of text, perhaps compressed.
void measure_file(const std::string& subject, const std::string& format,
                  const std::filesystem::path& file, double bytes, const MeasurementPlan& plan,
                  const TakeMeasurement& take) {
  for (const int threads : plan.threads) {
    const TemporaryFolder folder;
    const OnLastCore pinned(threads == 1);
    const double seconds = seconds_of_program(fmt::format(
        "convert {} '{}' -o '{}'", format, file.string(), (folder.path() / "columns").string()));
    take({.what = "conversion",
          .unit = "MB/s",
          .subject = subject,
          .threads = threads,
          .rows = plan.usual_rows(),
          .value = bytes / 1e6 / seconds});
  }
}

void measure_format(const std::string& format,
                    void (*write)(const SessionLog&, const std::filesystem::path&),
                    const MeasurementPlan& plan, const TakeMeasurement& take) {
  const TemporaryFolder folder;
  const std::filesystem::path text = folder.path() / "sessions.txt";
  write(synthetic_log(plan.usual_rows()), text);
  const auto bytes = static_cast<double>(std::filesystem::file_size(text));
  measure_file(format, format, text, bytes, plan, take);
  const std::string pack = fmt::format("gzip -1 '{}'", text.string());
  if (std::system(pack.c_str()) != 0) throw Error(pack + ": failed");
  measure_file(format + ", gzip", format, text.string() + ".gz", bytes, plan, take);
}

}  // namespace

void measure_conversion(const MeasurementPlan& plan, const TakeMeasurement& take) {
  measure_format("yandex", write_yandex, plan, take);
  measure_format("tiangong", write_tiangong, plan, take);
  measure_format("table", write_table, plan, take);
}

void measure_tables(const MeasurementPlan& plan, const TakeMeasurement& take) {
  constexpr std::size_t sessions = 1000000;
  for (const Ids ids : {Ids::texts, Ids::numbers}) {
    const TemporaryFolder folder;
    const std::filesystem::path text = folder.path() / "clicks.csv",
                                columns = folder.path() / "columns";
    write_rows(synthetic_log(plan.usual_rows()), sessions, ids, text);
    const OnLastCore pinned;
    const ProgramCost cost =
        cost_of_program(fmt::format("convert table '{}' -o '{}'", text.string(), columns.string()));
    const auto bytes = static_cast<double>(std::filesystem::file_size(text));
    const auto taken = [&](const char* unit, double value) {
      take({.what = "table",
            .unit = unit,
            .subject = ids == Ids::texts ? "texts as ids" : "numbers as ids",
            .threads = 1,
            .rows = plan.usual_rows(),
            .value = value});
    };
    taken("MB/s", bytes / 1e6 / cost.processor_seconds);
    taken("M rows/s", static_cast<double>(sessions * list_length) / 1e6 / cost.processor_seconds);
    taken("GB", cost.peak_memory / 1e9);
  }
}

void measure_commands(const MeasurementPlan& plan, const TakeMeasurement& take) {
  const TemporaryFolder folder;
  const std::string clicks = (folder.path() / "clicks.csv").string(),
                    run = (folder.path() / "run").string(),
                    output = (folder.path() / "output.csv").string();
  constexpr std::size_t sessions = 1000000;
  write_rows(synthetic_log(plan.usual_rows()), sessions, Ids::texts, clicks);
  const std::string config =
      folder
          .write("shop.yaml",
                 fmt::format("data: {{format: table, train: '{}'}}\nmodel: pbm\ntrain: {{epochs: "
                             "3}}\noutput: '{}'\n",
                             clicks, run))
          .string();
  for (const int threads : plan.threads) {
    const OnLastCore pinned(threads == 1);
    const auto measure = [&](const char* subject, const std::string& arguments) {
      take({.what = "command",
            .unit = "s",
            .subject = subject,
            .threads = threads,
            .rows = plan.usual_rows(),
            .value = seconds_of_program(arguments)});
    };
    measure("diagnose", fmt::format("diagnose '{}' threads={}", config, threads));
    measure("estimate-bias", fmt::format("estimate-bias '{}' threads={}", config, threads));
    measure("train", fmt::format("'{}' threads={}", config, threads));
    measure("relevance", fmt::format("relevance '{}' --output '{}'", run, output));
    measure("predict", fmt::format("predict '{}' --data '{}' --output '{}'", run, clicks, output));
    measure("evaluate", fmt::format("evaluate '{}' --data '{}'", run, clicks));
    std::filesystem::remove_all(run);
  }
}

void measure_simulation(const MeasurementPlan& plan, const TakeMeasurement& take) {
  constexpr std::size_t sessions = 2000000;
  for (const std::string& model : plan.models)
    for (const int threads : plan.threads) {
      const TemporaryFolder folder;
      const auto config = folder.write(
          "simulation.yaml",
          fmt::format("data: {{format: simulation, user: {}, sessions: {}, valid_sessions: 0, "
                      "test_sessions: 0, queries: {}, candidates: {}, positions: {}}}\n",
                      model, sessions, plan.usual_rows() / candidates, candidates, list_length));
      const OnLastCore pinned(threads == 1);
      const double seconds =
          seconds_of_program(fmt::format("simulate '{}' -o '{}' threads={}", config.string(),
                                         (folder.path() / "data").string(), threads));
      take({.what = "simulation to disk",
            .unit = "M sessions/s",
            .subject = model,
            .threads = threads,
            .rows = plan.usual_rows(),
            .value = static_cast<double>(sessions) / seconds / 1e6});
    }
}

}  // namespace ultr::bench
