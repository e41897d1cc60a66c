#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "base/text/formatted_number.h"
#include "base/text/json_number.h"
#include "commands/command_table.h"
#include "commands/list_task.h"
#include "data/text/csv_text.h"
#include "runs/test_queries.h"
#include "training/evaluation.h"

namespace ultr {
namespace {

/// The evaluation of all batches.
class RunEvaluation {
 public:
  /// `by_list`: lists have rows of their own.
  RunEvaluation(const SavedModel& saved, Predictor& predictor, bool by_list)
      : saved_(saved),
        predictor_(predictor),
        by_list_(by_list),
        threads_(count_threads(saved.options())),
        ranking_(saved.options().evaluate.ranking()) {
    clicks_.loss = std::numeric_limits<double>::quiet_NaN();
  }

  /// Returns the header of the rows.
  std::string header() const {
    return fmt::format("list,query,documents,clicks{},relevant,{}\n", session_header(),
                       fmt::join(ranking_.names(), ","));
  }

  /// Adds the lists of a batch and returns their rows, in the process that writes them.
  std::string add(const ListBatch& batch) {
    std::vector<std::string> cells(by_list_ && saved_.is_first_process() ? batch.log.sessions()
                                                                         : 0);
    add_clicks(batch, cells);
    add_ranking(batch, cells);
    std::string rows;
    for (std::size_t i = 0; i < cells.size(); ++i)
      rows += fmt::format("{},{},{}{}\n", batch.first_list + i,
                          csv_field(saved_.names().text(batch.log[i].query)), batch.log.length(i),
                          cells[i]);
    return rows;
  }

  bool found_anything() const { return documents() > 0 || ranking_.lists() > 0; }

  /// Returns what `print` prints: the sections `clicks` and `ranking`, of those that there are.
  nlohmann::ordered_json json() const {
    nlohmann::ordered_json found = nlohmann::ordered_json::object();
    const auto add = [&](const char* section, const std::vector<MetricValue>& values) {
      for (const MetricValue& metric : values)
        found[section][metric.name] = json_number(metric.value);
    };
    if (documents() > 0) add("clicks", click_values());
    if (ranking_.lists() > 0) add("ranking", ranking_.values());
    return found;
  }

  void print() const {
    if (documents() > 0)
      print_values(fmt::format("clicks on {} documents", documents()), click_values());
    if (ranking_.lists() > 0)
      print_values(fmt::format("ranking of {} judged lists",
                               ranking_.lists() - ranking_.lists_without_judged()),
                   ranking_.values());
  }

 private:
  std::uint64_t documents() const { return clicks_.conditional.documents(); }

  /// Returns the measures with one number, in the order of the table. Those that are not computed
  /// over batches are NaN and left out.
  std::vector<MetricValue> click_values() const {
    std::vector<MetricValue> values;
    for (const ClickMeasure& measure : clicks_.measures)
      if (const auto* number = std::get_if<ClickMeasure::Number>(&measure.compute))
        if (const double value = (*number)(clicks_); !std::isnan(value))
          values.push_back({std::string(measure.name), value});
    return values;
  }

  void add_clicks(const ListBatch& batch, std::vector<std::string>& cells) {
    if (!batch.has_clicks || !predictor_.predicts_clicks()) {
      const std::string empty(1 + std::size(session_columns), ',');
      for (std::string& cell : cells) cell += empty;
      return;
    }
    std::vector<SessionLikelihood> each(by_list_ ? batch.log.sessions() : 0);
    const ClickEvaluation result =
        evaluate_clicks(saved_.model(), batch.log, saved_.options().train.mean(), threads_, each);
    clicks_.conditional.add(result.conditional);
    clicks_.unconditional.add(result.unconditional);
    clicks_.calibration.add(result.calibration);
    clicks_.sessions += result.sessions;
    clicks_.impossible_clicks += result.impossible_clicks;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::span<const std::uint8_t> clicks = batch.log[i].clicks;
      cells[i] += fmt::format(",{}{}", std::accumulate(clicks.begin(), clicks.end(), 0),
                              session_cells(each[i], static_cast<double>(clicks.size())));
    }
  }

  void add_ranking(const ListBatch& batch, std::vector<std::string>& cells) {
    if (batch.labels.empty()) {
      for (std::string& cell : cells) cell += std::string(ranking_.names().size() + 1, ',');
      return;
    }
    const std::vector<double> scores = predictor_.relevance(batch.log);
    RankingMetrics metrics(saved_.options().evaluate.ranking());
    for (std::size_t i = 0; i < batch.log.sessions(); ++i)
      metrics.add(of_list(batch, i, std::span(scores)), of_list(batch, i, std::span(batch.labels)));
    const auto values = cells.empty() ? std::vector<std::string>() : ranking_cells(metrics);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto labels = of_list(batch, i, std::span(batch.labels));
      const auto relevant = std::count_if(labels.begin(), labels.end(), [&](int label) {
        return label >= ranking_.options().relevant;
      });
      cells[i] += fmt::format(",{}{}", relevant, values[i]);
    }
    ranking_.add(metrics);
  }

  /// Returns the numbers of a list's documents, of those of all in the batch.
  template <class T>
  static std::span<const T> of_list(const ListBatch& batch, std::size_t list,
                                    std::span<const T> all) {
    return all.subspan(batch.log.first_document(list), batch.log.length(list));
  }

  static void print_values(const std::string& title, const std::vector<MetricValue>& values) {
    print_to(stdout, "{}\n", title);
    for (const MetricValue& metric : values)
      print_to(stdout, "  {:<22} {}\n", metric.name, format_measure(metric.value));
  }

  const SavedModel& saved_;
  Predictor& predictor_;
  bool by_list_;
  int threads_;
  ClickEvaluation clicks_;
  RankingMetrics ranking_;
};

/// Prints how well a trained model ranks the lists of some files, if they have labels, and predicts
/// their clicks, if they have any and the model predicts clicks: means over all lists or documents,
/// under the names of results.json. `output` has one row per list in the order of the files:
///
///     list                       number in the files, from 1
///     query, documents           name or id, and number of documents
///     clicks, ll, unconditional_ll
///                                clicks, and the mean over documents of the log-likelihood of
///                                P(click | clicks above) and of P(click), natural logarithm
///     relevant, ndcg@10, ...     relevant documents (evaluate.relevant), and every ranking metric
///
/// Cells are empty if the files have no clicks or labels, or the list does not count. The file
/// appears completely or not at all. Keeps 8 bytes per ranking metric and judged list
/// (RankingMetrics). Throws DataError as `predict` does, and if there is nothing to evaluate.
class EvaluateTask final : public ListTask {
 public:
  EvaluateTask() : ListTask("A CSV file with one row per list; default: none.") {}

 private:
  TaskResults use(SavedModel& saved, Predictor& predictor) override;
};

TaskResults EvaluateTask::use(SavedModel& saved, Predictor& predictor) {
  RunEvaluation evaluation(saved, predictor, !output_.empty());
  const KnownPositions known = predictor.relevance_reads_positions() ? KnownPositions::of_all_lists
                               : predictor.clicks_read_positions()
                                   ? KnownPositions::of_lists_with_clicks
                                   : KnownPositions::of_no_list;
  std::optional<StopSignals> signals;
  std::optional<NewFile> output;
  if (!output_.empty()) {
    signals.emplace();  // the file must go
    if (saved.is_first_process()) output.emplace(output_).write(evaluation.header());
  }
  const ListCounts counts = read_batches(saved, known, [&](const ListBatch& batch) {
    if (signals) signals->expect_none();
    const std::string rows = evaluation.add(batch);
    if (output) output->write(rows);
  });
  if (!evaluation.found_anything())
    throw DataError(fmt::format(
        "{}: has no relevance labels{}; expected something to evaluate", fmt::join(files_, ", "),
        predictor.predicts_clicks() ? " and no clicks" : ", and the model predicts no clicks"));
  if (output) output->finish();
  tell_unknown_pairs(counts, predictor);
  print_to(stdout, "{} lists, {} documents\n", counts.lists, counts.documents);
  evaluation.print();
  return {.json = evaluation.json()};
}

}  // namespace

std::unique_ptr<Task> make_evaluate(const Registry&) { return std::make_unique<EvaluateTask>(); }

}  // namespace ultr
