#include "commands/predict.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "experiment/single_run.h"
#include "training/predictor.h"

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
      fail();
  }
  void finish() {
    if (file_)
      file_->finish();
    else if (std::fflush(stdout) != 0)
      fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw DataError(fmt::format("standard output: cannot be written ({})", std::strerror(errno)));
  }
  std::optional<NewFile> file_;
};

/// A number as a cell; empty where there is none.
std::string cell(const std::vector<double>& numbers, std::size_t at) {
  if (numbers.empty() || std::isnan(numbers[at])) return "";
  return fmt::format("{}", static_cast<float>(numbers[at]));
}

/// The rows of a batch. Numbers are computed in float32, and written with all of its digits.
std::string rows_of(const ListBatch& batch, Predictor& predictor) {
  const SessionLog& lists = batch.log;
  const std::vector<double> relevance = predictor.relevance(lists);
  const bool clicks = predictor.predicts_clicks();
  const auto click = clicks ? predictor.click(lists) : std::vector<double>();
  const auto given = clicks && batch.has_clicks ? predictor.click_given_clicks_above(lists)
                                                : std::vector<double>();
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::size_t list = 0; list < lists.sessions(); ++list) {
    const SessionView session = lists[list];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const std::size_t at = lists.first_document(list) + k;
      fmt::format_to(out, "{},{},{},", batch.first_list + list, session.query,
                     session.positions[k] + 1);
      if (!batch.documents.empty()) fmt::format_to(out, "{}", batch.documents[at]);
      fmt::format_to(out, ",{}", static_cast<float>(relevance[at]));
      if (clicks) fmt::format_to(out, ",{},{}", cell(click, at), cell(given, at));
      text.push_back('\n');
    }
  }
  return fmt::to_string(text);
}

}  // namespace

void predict(const PredictCommand& command, Registry& registry) {
  SavedModel saved(command.run, registry);
  const int threads = count_threads(saved.options());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  Predictor predictor(saved.model(), threads);
  std::optional<Output> output;  // nothing is written before the files were found
  const auto write = [&](std::string_view text) {
    if (!output) {
      output.emplace(command.output);
      output->write(predictor.predicts_clicks()
                        ? "list,query,position,document,relevance,click,click_given_clicks_above\n"
                        : "list,query,position,document,relevance\n");
    }
    output->write(text);
  };
  const ListCounts counts =
      read_list_batches(saved, command.data,
                        predictor.relevance_reads_positions() ? KnownPositions::of_all_lists
                                                              : KnownPositions::of_no_list,
                        [&](const ListBatch& batch) { write(rows_of(batch, predictor)); });
  write("");
  output->finish();
  tell_unknown_pairs(counts, predictor.reads_dictionary());
  if (!command.output.empty())
    fmt::print("{}: {} lists, {} documents\n", command.output.string(), counts.lists,
               counts.documents);
}

}  // namespace ultr
