#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/file.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "base/text/formatted_number.h"
#include "base/threads/thread_limit.h"
#include "commands/command_table.h"
#include "commands/single_configuration.h"
#include "data/columns/columns.h"
#include "data/columns/log_writer.h"
#include "data/log/pair_dictionary.h"
#include "data/text/csv_text.h"
#include "experiment/run_directory.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "runs/run_inputs.h"
#include "sources/feature_list_data.h"
#include "sources/simulation.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

constexpr const char* session_columns = "session,query,document,position,click\n";

/// Appends rows of `session,query,document,position,click`; `number` counts sessions. `query_name`
/// returns the name of a query, `add_document` appends that of the document of a row of the
/// dictionary.
template <class QueryName, class Document>
void append_rows(const SessionLog& sessions, QueryName query_name, Document add_document,
                 std::uint64_t& number, fmt::memory_buffer& text) {
  for (std::size_t i = 0; i < sessions.sessions(); ++i) {
    const SessionView session = sessions[i];
    const std::string begin = fmt::format("s{},{},", ++number, query_name(session.query));
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      text.append(begin);
      add_document(session.rows[k]);
      fmt::format_to(std::back_inserter(text), ",{},{}\n", session.positions[k] + 1,
                     session.clicks[k]);
    }
  }
}

/// Writes the sessions of each part into a table with one row per shown document, as data.format:
/// table reads it. Queries are q1, q2, ..., documents d1, d2, ....
void write_tables(const SimulationOptions& options, const DataSetting& setting,
                  const fs::path& into, ProgressBar& bar, const StopSignals& signals) {
  std::optional<NewFile> file;
  std::string name;
  std::uint64_t number = 0;
  fmt::memory_buffer text;
  options.stream(setting, [&](const SimulationOptions::Part& part, const SessionLog& sessions) {
    if (name != part.name) {
      if (file) file->finish();
      name = part.name;
      file.emplace(into / (name + ".csv"));
      file->write(session_columns);
    }
    text.clear();
    const auto out = std::back_inserter(text);
    append_rows(
        sessions, [](std::uint64_t query) { return fmt::format("q{}", query); },
        [&](std::uint32_t row) { fmt::format_to(out, "d{}", row); }, number, text);
    file->write({text.data(), text.size()});
    bar.add(sessions.sessions());
    signals.expect_none();
  });
  if (file) file->finish();
}

/// The cells of queries and documents in tables: the names that the data have, or else their ids
/// after a letter, as in q1 and d1.
class NameCells {
 public:
  explicit NameCells(const PairDictionary& dictionary)
      : names_(dictionary.names()), documents_(dictionary.documents()) {}

  std::string query(std::uint64_t id) const { return cell('q', id); }
  /// Returns that of the document of a row of the dictionary.
  std::string document(std::uint32_t row) const { return cell('d', documents_[row]); }

 private:
  std::string cell(char letter, std::uint64_t id) const {
    return names_.empty() ? fmt::format("{}{}", letter, id) : csv_field(names_.text(id));
  }

  const IdNames& names_;
  std::vector<std::uint64_t> documents_;
};

/// Returns a table of the features f1, f2, ... of all documents, in the order of the lists' files.
std::string features_csv(const ExperimentData& data, const NameCells& names) {
  const FeatureTable& features = data.dataset.features;
  const std::vector<std::uint64_t> queries = data.dataset.dictionary.queries();
  const std::span<const std::size_t> order = data.bias_columns.order();
  std::string text = "query,document";
  for (std::int64_t i = 1; i <= features.count(); ++i) text += fmt::format(",f{}", i);
  for (std::uint32_t row = 1; row < queries.size(); ++row) {
    const auto moved = features.row(row);
    std::vector<float> numbers(moved.begin(), moved.end());
    for (std::size_t c = 0; c < order.size(); ++c) numbers[order[c]] = moved[c];
    text += fmt::format("\n{},{},{}", names.query(queries[row]), names.document(row),
                        fmt::join(numbers, ","));
  }
  return text + "\n";
}

/// Writes lists with simulated clicks as tables: the sessions of each part; features.csv, with the
/// features of all documents; and judged.csv, with the labels of the test lists.
std::string write_list_tables(const ExperimentData& data, const fs::path& into) {
  const Dataset& dataset = data.dataset;
  if (data.learns_labels || dataset.train.has_targets())
    throw ConfigError(
        "the lists have no clicks of single sessions; expected data.learn_from with type: "
        "simulated_clicks and aggregate: false");
  const NameCells names(dataset.dictionary);
  std::uint64_t sessions = 0;
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const auto& [name, log] :
       {std::pair("train", &dataset.train), {"valid", &dataset.valid}, {"test", &dataset.test}}) {
    if (log->sessions() == 0) continue;
    fmt::format_to(out, "{}", session_columns);
    append_rows(
        *log, [&](std::uint64_t query) { return names.query(query); },
        [&](std::uint32_t row) { text.append(names.document(row)); }, sessions, text);
    write_file(into / fmt::format("{}.csv", name), {text.data(), text.size()});
    text.clear();
  }
  if (!dataset.features.empty()) write_file(into / "features.csv", features_csv(data, names));
  fmt::format_to(out, "query,document,label\n");
  for (std::size_t i = 0; i < dataset.labels.size(); ++i)
    for (std::size_t k = 0; k < dataset.labels.rows(i).size(); ++k)
      fmt::format_to(out, "{},{},{}\n", names.query(dataset.labels.query(i)),
                     names.document(dataset.labels.rows(i)[k]), dataset.labels.labels(i)[k]);
  if (dataset.labels.size() > 0) write_file(into / "judged.csv", {text.data(), text.size()});
  return fmt::format("{} sessions, {} documents, {} judged lists", sessions,
                     dataset.dictionary.rows() - 1, dataset.labels.size());
}

/// Writes the lists of each part, with all that documents have, into a folder of its own, and the
/// vocabulary if their words came as texts. `data.reader: columns` reads the folders.
std::string write_list_columns(const ExperimentOptions& options, const fs::path& into) {
  ExperimentData data;
  const ListGenerator::Parts parts = lists_of(
      options.data.as<DataOptions>(),
      {.seed = static_cast<std::uint64_t>(options.seed), .threads = count_threads(options)}, data);
  for (const std::string& note : data.dataset.notes) log().warn("{}", note);
  std::vector<std::string> written;
  for (const auto& [name, lists] :
       {std::pair("train", &parts.train), {"valid", &parts.valid}, {"test", &parts.test}}) {
    if (lists->lists() == 0) continue;
    write_columns(into / name, *lists, data.dataset.dictionary.names());
    written.push_back(
        fmt::format("{} {} lists of {} documents", lists->lists(), name, lists->documents()));
  }
  if (!data.vocabulary.empty()) data.vocabulary.save(into / vocabulary_file);
  return fmt::format("{}, {} features{}", fmt::join(written, ", "), parts.train.features(),
                     parts.train.has_words() ? ", words" : "");
}

/// Writes the sessions of each part into a folder of its own. The first folder also gets the
/// dictionary that all parts share.
void write_parts(const SimulationOptions& options, const DataSetting& setting, const fs::path& into,
                 ProgressBar& bar, const StopSignals& signals) {
  std::optional<LogWriter> columns;
  std::uint64_t dictionary = 0;
  std::string name;
  options.stream(setting, [&](const SimulationOptions::Part& part, const SessionLog& sessions) {
    if (name != part.name) {
      if (columns) columns->finish();
      name = part.name;
      const fs::path folder = into / name;
      create_folder(folder);
      const bool first = !columns;
      if (first)
        dictionary = write_dictionary(
            folder, options.rows(),
            [&](std::uint64_t row) {
              signals.expect_none();
              return options.query_of(row);
            },
            [](std::uint64_t row) { return row; });
      else
        write_dictionary_id(folder, dictionary);
      columns.emplace(folder, LogWriter::Setting{.documents = !first, .pairs = true});
    }
    columns->add(sessions);
    bar.add(sessions.sessions());
    signals.expect_none();
  });
  if (columns) columns->finish();
}

class SimulateTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("config", config_, "An experiment whose data.format is simulation or feature_lists.");
    f.texts("overrides", overrides_, "Options to change, such as data.sessions=100000000.");
    f.text("output", output_, "A new folder for train, valid and test.");
    f.word("format", format_,
           "columns: folders of .npy columns, of lists without simulated clicks; table: CSV files "
           "with a row per shown document.",
           {"columns", "table"});
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"output", "FOLDER", ArgumentForm::Kind::required_option}};
  }
  /// Memory does not grow with the number of sessions, and no byte depends on the number of
  /// threads. Either all parts are written or nothing.
  TaskResults run(const TaskContext& context) override;

 private:
  void simulate_lists(const ExperimentOptions& options) const;

  std::string config_, output_, format_ = "columns";
  std::vector<std::string> overrides_;
};

/// Writes judged lists, with simulated clicks as tables.
void SimulateTask::simulate_lists(const ExperimentOptions& options) const {
  if (options.data.type != "feature_lists")
    throw ConfigError(fmt::format(
        "data.format is '{}'; expected 'simulation', which makes data, or 'feature_lists'",
        options.data.type));
  expect_new_name(output_);
  options.locate_files(fs::path(config_).parent_path());
  const ThreadLimit limit(count_threads(options));
  NewFolder folder(output_);
  const std::string written = format_ == "table"
                                  ? write_list_tables(load_data(options), folder.temporary())
                                  : write_list_columns(options, folder.temporary());
  folder.finish();
  print_to(stdout, "{}: {}\n", output_, written);
}

TaskResults SimulateTask::run(const TaskContext& context) {
  const ExperimentOptions options = resolve_single(config_, overrides_, context.registry);
  const auto* simulation = dynamic_cast<const SimulationOptions*>(options.data.options.get());
  if (simulation == nullptr) {
    simulate_lists(options);
    return {};
  }
  const DataSetting setting{.seed = static_cast<std::uint64_t>(options.seed),
                            .threads = count_threads(options)};
  const ThreadLimit limit(setting.threads);
  std::uint64_t sessions = 0;
  for (const SimulationOptions::Part& part : simulation->parts())
    sessions += static_cast<std::uint64_t>(part.sessions);

  const auto start = std::chrono::steady_clock::now();
  const StopSignals signals;
  NewFolder folder(output_);
  {
    ProgressBar bar(stderr, options.name, sessions, " sessions");
    const auto write = format_ == "table" ? write_tables : write_parts;
    write(*simulation, setting, folder.temporary(), bar, signals);
  }
  folder.finish();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  print_to(stdout, "{}: {} sessions, {} documents each, in {} ({} sessions/s)\n", output_, sessions,
           simulation->shown(), format_duration(spent.count()),
           format_rate(static_cast<double>(sessions) / spent.count()));
  return {};
}

}  // namespace

std::unique_ptr<Task> make_simulate(const Registry&) { return std::make_unique<SimulateTask>(); }

}  // namespace ultr
