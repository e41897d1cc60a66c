#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "base/text/quote.h"
#include "commands/command_table.h"
#include "commands/contributions.h"
#include "commands/list_task.h"
#include "data/text/csv_line.h"

namespace ultr {
namespace {

/// A file, or standard output.
class Output {
 public:
  explicit Output(const std::filesystem::path& file) {
    if (!file.empty()) file_.emplace(file);
  }
  void write(std::string_view text) {
    if (file_)
      file_->write(text);
    else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      flush_standard_output();  // throws
  }
  void finish() {
    if (file_)
      file_->finish();
    else
      flush_standard_output();
  }

 private:
  std::optional<NewFile> file_;
};

/// Formats a number as a cell; empty if it is missing.
std::string cell(const std::vector<double>& numbers, std::size_t at) {
  if (numbers.empty() || std::isnan(numbers[at])) return "";
  return fmt::format("{}", static_cast<float>(numbers[at]));
}

/// The predictions for a batch: one number per document, or none if the model or the batch has
/// none.
struct Predictions {
  std::vector<double> relevance, click, given_clicks_above;

  Predictions(const ListBatch& batch, Predictor& predictor)
      : relevance(predictor.relevance(batch.log)) {
    if (!predictor.predicts_clicks()) return;
    click = predictor.click(batch.log);
    if (batch.has_clicks) given_clicks_above = predictor.click_given_clicks_above(batch.log);
  }
};

/// Formats the rows of a batch. Numbers are computed in float32 and written with all digits.
std::string rows_of(const ListBatch& batch, const IdNames& names, const Predictions& predicted) {
  const SessionLog& lists = batch.log;
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::size_t list = 0; list < lists.sessions(); ++list) {
    const SessionView session = lists[list];
    const std::string query = csv_field(names.text(session.query));
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const std::size_t at = lists.first_document(list) + k;
      fmt::format_to(out, "{},{},{},", batch.first_list + list, query, session.positions[k] + 1);
      if (!batch.documents.empty())
        fmt::format_to(out, "{}", csv_field(names.text(batch.documents[at])));
      fmt::format_to(out, ",{}", static_cast<float>(predicted.relevance[at]));
      if (!predicted.click.empty())
        fmt::format_to(out, ",{},{}", cell(predicted.click, at),
                       cell(predicted.given_clicks_above, at));
      text.push_back('\n');
    }
  }
  return fmt::to_string(text);
}

/// Writes the predictions of a trained model, as CSV, one row per document in the order of the
/// files:
///
///     list             number of its list in the files, from 1
///     query, document  names or ids; empty if the files have no ids of documents
///     position         displayed, from 1
///     relevance        logit of relevance, to rank by
///     click            P(click), whatever happens above; empty in lists that show documents at
///                      positions that the model depends on but does not know
///     click_given_clicks_above   P(click | the clicks above in the file); empty without clicks
///
/// `contributions` is a second file, of what each feature adds (ContributionsFile).
///
/// The last two columns are missing if the model predicts no clicks. The file appears completely or
/// not at all. Query-document pairs that training did not show are predicted by one row that stands
/// for all of them, and counted on standard error. Throws DataError if the run's folder is damaged
/// (SavedModel), the lists do not fit it (ListTask::read_batches) or nothing can be written.
class PredictTask final : public ListTask {
 public:
  PredictTask() : ListTask("A CSV file; default: standard output.") {}

  void check() const override {
    if (!contributions_.empty() && contributions_ == output_)
      throw ConfigError(fmt::format("--output and --contributions are both {}; expected two files",
                                    quote(output_)));
  }

 private:
  void more_fields(Fields& f) override {
    f.text("contributions", contributions_,
           "A CSV file of what each feature adds to relevance (SHAP values), for boosted trees.");
  }
  std::vector<ArgumentForm> more_argument_forms() const override {
    return {{"contributions", "FILE"}};
  }
  TaskResults use(SavedModel& saved, Predictor& predictor) override;

  std::string contributions_;
};

TaskResults PredictTask::use(SavedModel& saved, Predictor& predictor) {
  const bool writes = saved.is_first_process();
  std::optional<ContributionsFile> contributions;
  std::optional<Output> output;  // nothing is written before the files were found
  std::optional<StopSignals> signals;
  if (!output_.empty() || !contributions_.empty()) signals.emplace();  // the files must go
  if (!contributions_.empty() && writes)
    contributions.emplace(contributions_, saved, count_threads(saved.options()));
  const auto write = [&](std::string_view text) {
    if (!output) {
      output.emplace(output_);
      output->write(predictor.predicts_clicks()
                        ? "list,query,position,document,relevance,click,click_given_clicks_above\n"
                        : "list,query,position,document,relevance\n");
    }
    output->write(text);
  };
  const ListCounts counts =
      read_batches(saved,
                   predictor.relevance_reads_positions() ? KnownPositions::of_all_lists
                                                         : KnownPositions::of_no_list,
                   [&](const ListBatch& batch) {
                     if (signals) signals->expect_none();
                     const Predictions predicted(batch, predictor);
                     if (writes) write(rows_of(batch, saved.names(), predicted));
                     if (contributions)
                       contributions->add(batch, saved.names(), predicted.relevance);
                   });
  if (writes) write("");
  if (contributions) contributions->finish();
  if (output) output->finish();
  tell_unknown_pairs(counts, predictor);
  if (!output_.empty())
    print_to(stdout, "{}: {} lists, {} documents\n", output_, counts.lists, counts.documents);
  return {};
}

}  // namespace

std::unique_ptr<Task> make_predict(const Registry&) { return std::make_unique<PredictTask>(); }

}  // namespace ultr
