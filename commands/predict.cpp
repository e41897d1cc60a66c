#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "base/text/quote.h"
#include "base/threads/number_range.h"
#include "commands/command_table.h"
#include "commands/contributions.h"
#include "commands/list_task.h"
#include "data/log/parallel_shards.h"
#include "data/text/csv_text.h"

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

/// Returns the path of a file that may not exist yet, the same however it is written.
std::filesystem::path place_of(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
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

/// Writes the rows of some lists of a batch. Numbers are computed in float32 and written with all
/// digits.
void write_rows(const ListBatch& batch, NumberRange lists, const IdNames& names,
                const Predictions& predicted, CsvText& csv) {
  constexpr std::size_t soon = 16;
  std::string memory;
  const auto add = [&](const std::vector<double>& numbers, std::size_t at) {
    csv.add(numbers.empty() ? NAN : static_cast<float>(numbers[at]));
  };
  for (std::size_t list = lists.first; list < lists.last; ++list) {
    const SessionView session = batch.log[list];
    const std::string query = names.text(session.query);
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const std::size_t at = batch.log.first_document(list) + k;
      if (at + soon < batch.documents.size()) names.prefetch(batch.documents[at + soon]);
      csv.add(batch.first_list + list);
      csv.add(query);
      csv.add(session.positions[k] + 1);
      csv.add(batch.documents.empty() ? "" : names.text(batch.documents[at], memory));
      add(predicted.relevance, at);
      if (!predicted.click.empty()) {
        add(predicted.click, at);
        add(predicted.given_clicks_above, at);
      }
      csv.end_row();
    }
  }
}

/// Returns the rows of a batch, as one text after the other.
std::vector<CsvText> rows_of(const ListBatch& batch, const IdNames& names,
                             const Predictions& predicted, int threads) {
  constexpr std::size_t lists_at_once = 64;
  const std::size_t lists = batch.log.sessions();
  std::vector<CsvText> texts((lists + lists_at_once - 1) / lists_at_once);
  for_each_item(threads, texts.size(), [&](std::size_t, std::size_t part) {
    write_rows(batch, part_of(lists, part, texts.size()), names, predicted, texts[part]);
  });
  return texts;
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
    if (!contributions_.empty() && !output_.empty() &&
        place_of(contributions_) == place_of(output_))
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
  const int threads = count_threads(saved.options());
  std::optional<ContributionsFile> contributions;
  std::optional<Output> output;  // nothing is written before the files were found
  std::optional<StopSignals> signals;
  if (!output_.empty() || !contributions_.empty()) signals.emplace();  // the files must go
  if (!contributions_.empty() && writes) contributions.emplace(contributions_, saved, threads);
  const auto open = [&] {
    if (output) return;
    output.emplace(output_);
    output->write(predictor.predicts_clicks()
                      ? "list,query,position,document,relevance,click,click_given_clicks_above\n"
                      : "list,query,position,document,relevance\n");
  };
  const ListCounts counts =
      read_batches(saved,
                   predictor.relevance_reads_positions() ? KnownPositions::of_all_lists
                                                         : KnownPositions::of_no_list,
                   [&](const ListBatch& batch) {
                     if (signals) signals->expect_none();
                     const Predictions predicted(batch, predictor);
                     if (writes) {
                       open();
                       for (const CsvText& rows : rows_of(batch, saved.names(), predicted, threads))
                         output->write(rows.text());
                     }
                     if (contributions)
                       contributions->add(batch, saved.names(), predicted.relevance);
                   });
  if (writes) open();
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
