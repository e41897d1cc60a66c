#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/sigmoid.h"
#include "base/standard_output.h"
#include "base/threads/thread_limit.h"
#include "commands/command_table.h"
#include "data/text/csv_line.h"
#include "experiment/task.h"
#include "runs/run_inputs.h"
#include "runs/saved_model.h"
#include "training/predictor.h"

namespace ultr {
namespace {

/// Counts of a query-document pair over training sessions.
struct PairCounts {
  std::uint64_t impressions = 0, clicks = 0, positions = 0;  // positions are summed, from 1
};

std::vector<PairCounts> count_pairs(const SessionLog& log, std::size_t rows) {
  std::vector<PairCounts> counts(rows);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      PairCounts& pair = counts[session.rows[k]];
      ++pair.impressions;
      pair.clicks += session.clicks[k];
      pair.positions += session.positions[k] + std::uint64_t{1};
    }
  }
  return counts;
}

/// Writes the probability of relevance of every query-document pair of the training sessions, as
/// CSV: `query`, `document` (names or ids), `relevance` (of the model's story, such as attraction),
/// and from the training sessions `impressions`, `clicks` and `mean_position` (from 1). The
/// training data of the run are read again. If relevance depends on the position, it is that at the
/// first. Throws DataError if the run's folder is damaged, its model has no parameters of pairs, or
/// its data have changed.
class RelevanceTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("run", run_, "The folder of a trained run.");
    f.text("output", output_, "A CSV file with one row per query-document pair.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"run", "RUN", ArgumentForm::Kind::required_positional},
            {"output", "FILE", ArgumentForm::Kind::required_option}};
  }
  TaskResults run(const TaskContext& context) override;

 private:
  std::string run_, output_;
};

/// Returns the logit of relevance of rows `first` to `last` - 1 of the dictionary.
std::vector<double> relevance_of_rows(Predictor& predictor, std::uint32_t first,
                                      std::uint32_t last) {
  constexpr std::uint16_t top = 0;
  constexpr std::uint8_t skipped = 0;
  SessionLog lists;
  for (std::uint32_t row = first; row < last; ++row)
    lists.add({.rows = {&row, 1}, .positions = {&top, 1}, .clicks = {&skipped, 1}});
  return predictor.relevance(lists);
}

/// Returns the data that a run was trained on. Throws DataError if they have changed.
ExperimentData training_data(SavedModel& saved) {
  ExperimentOptions& options = saved.options();
  options.data.as<DataOptions>().keep_training_only();
  ExperimentData data = load_data(options);
  if (data.dataset.dictionary.id() != saved.dictionary().id())
    throw DataError(
        fmt::format("{}: its training data show other query-document pairs than when "
                    "it was trained; expected the same files",
                    saved.run().string()));
  return data;
}

TaskResults RelevanceTask::run(const TaskContext& context) {
  constexpr std::uint32_t rows_at_once = std::uint32_t{1} << 16;
  SavedModel saved(run_, context.registry);
  const int threads = count_threads(saved.options());
  const ThreadLimit limit(threads);
  Predictor predictor(saved.model(), threads);
  if (!predictor.reads_dictionary() || saved.features() > 0 || saved.dictionary().is_hashed())
    throw DataError(fmt::format(
        "{}: the model has no parameters of single query-document pairs; expected one that learns "
        "them (ultr-run predict scores documents with any model)",
        run_));
  const ExperimentData data = training_data(saved);
  const auto rows = static_cast<std::uint32_t>(saved.dictionary().rows());
  const std::vector<PairCounts> counts = count_pairs(data.dataset.train, rows);
  const std::vector<std::uint64_t> queries = saved.dictionary().queries();
  const std::vector<std::uint64_t> documents = saved.dictionary().documents();

  NewFile file(output_);
  file.write("query,document,relevance,impressions,clicks,mean_position\n");
  fmt::memory_buffer text;
  for (std::uint32_t first = 1; first < rows; first += rows_at_once) {
    const std::uint32_t last = std::min(rows, first + rows_at_once);
    const std::vector<double> logits = relevance_of_rows(predictor, first, last);
    text.clear();
    for (std::uint32_t row = first; row < last; ++row) {
      const PairCounts& pair = counts[row];
      fmt::format_to(
          std::back_inserter(text), "{},{},{},{},{},{}\n",
          csv_field(saved.names().text(queries[row])),
          csv_field(saved.names().text(documents[row])),
          static_cast<float>(sigmoid(logits[row - first])), pair.impressions, pair.clicks,
          pair.impressions == 0 ? ""
                                : fmt::format("{:.4g}", static_cast<double>(pair.positions) /
                                                            static_cast<double>(pair.impressions)));
    }
    file.write({text.data(), text.size()});
  }
  file.finish();
  print_to(stdout, "{}: {} query-document pairs\n", output_, rows - 1);
  return {};
}

}  // namespace

std::unique_ptr<Task> make_relevance(const Registry&) { return std::make_unique<RelevanceTask>(); }

}  // namespace ultr
