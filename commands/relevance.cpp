#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/threads/thread_limit.h"
#include "commands/command_table.h"
#include "data/text/csv_line.h"
#include "experiment/task.h"
#include "runs/pair_relevance.h"

namespace ultr {
namespace {

/// Writes the probability of relevance of every query-document pair of the training sessions, as
/// CSV: `query`, `document` (names or ids), `relevance` (of the model's story, such as attraction),
/// its 95% interval `lower` to `upper` (empty if there is none), and from the training sessions
/// `impressions`, `clicks` and `mean_position` (from 1). The training data of the run are read
/// again. If relevance depends on the position, it is that at the first. Throws DataError if the
/// run's folder is damaged, its model has no parameters of pairs, or its data have changed.
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

/// Returns a number as text; empty if it is not known.
std::string text_of(double x, const char* form) {
  return std::isnan(x) ? std::string() : fmt::format(fmt::runtime(form), x);
}

TaskResults RelevanceTask::run(const TaskContext& context) {
  constexpr std::size_t most_text = 1 << 20;
  SavedModel saved(run_, context.registry);
  const int threads = count_threads(saved.options());
  const ThreadLimit limit(threads);
  expect_pair_parameters(saved);
  const ExperimentData data = training_data(saved);
  const PairRelevances relevance = pair_relevance(saved, data.dataset.train, threads);
  if (!relevance.no_intervals.empty()) log().info("no intervals: {}", relevance.no_intervals);

  NewFile file(output_);
  file.write("query,document,relevance,lower,upper,impressions,clicks,mean_position\n");
  fmt::memory_buffer text;
  for (const PairRelevance& pair : relevance.pairs) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n",
                   csv_field(saved.names().text(pair.query)),
                   csv_field(saved.names().text(pair.document)), static_cast<float>(pair.relevance),
                   text_of(pair.lower, "{:.4g}"), text_of(pair.upper, "{:.4g}"), pair.impressions,
                   pair.clicks, text_of(pair.mean_position, "{:.4g}"));
    if (text.size() < most_text) continue;
    file.write({text.data(), text.size()});
    text.clear();
  }
  file.write({text.data(), text.size()});
  file.finish();
  print_to(stdout, "{}: {} query-document pairs\n", output_, relevance.pairs.size());
  return {};
}

}  // namespace

std::unique_ptr<Task> make_relevance(const Registry&) { return std::make_unique<RelevanceTask>(); }

}  // namespace ultr
