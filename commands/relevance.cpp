#include <functional>
#include <string>

#include "base/files/file.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/standard_output.h"
#include "commands/command_table.h"
#include "data/text/csv_text.h"
#include "experiment/task.h"
#include "runs/bootstrap_relevance.h"
#include "runs/pair_relevance.h"
#include "runs/run_inputs.h"

namespace ultr {
namespace {

/// Writes the probability of relevance of every query-document pair of the training sessions, as
/// CSV: `query`, `document` (names or ids), `relevance` (of the model's story, such as attraction),
/// its 95% interval `lower` to `upper` (empty if there is none), and from the training sessions
/// `impressions`, `clicks` and `mean_position` (from 1). The training data of the run are read
/// again. If relevance depends on the position, it is that at the first. Throws DataError if the
/// run's folder is damaged, its model does not tell pairs apart, or its data have changed.
class RelevanceTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("run", run_, "The folder of a trained run.");
    f.text("output", output_, "A CSV file with one row per query-document pair.");
    f.integer("bootstrap", resamples_,
              "Resamples of the sessions for bootstrap intervals; 0: likelihood intervals.",
              between(0, 1e6));
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"run", "RUN", ArgumentForm::Kind::required_positional},
            {"output", "FILE", ArgumentForm::Kind::required_option},
            {"bootstrap", "COUNT"}};
  }
  TaskResults run(const TaskContext& context) override;

 private:
  void write(const SavedModel& saved, const std::vector<PairRelevance>& pairs) const;

  std::string run_, output_;
  std::int64_t resamples_ = 0;
};

void RelevanceTask::write(const SavedModel& saved, const std::vector<PairRelevance>& pairs) const {
  constexpr std::size_t most_text = 1 << 20;
  NewFile file(output_);
  file.write("query,document,relevance,lower,upper,impressions,clicks,mean_position\n");
  std::string memory;
  CsvText csv;
  for (const PairRelevance& pair : pairs) {
    const RelevanceEstimate& estimate = pair.estimate;
    csv.add(saved.names().text(pair.query, memory));
    csv.add(saved.names().text(pair.document, memory));
    csv.add(static_cast<float>(estimate.relevance));
    csv.add_rounded(estimate.lower);
    csv.add_rounded(estimate.upper);
    csv.add(estimate.impressions);
    csv.add(pair.clicks);
    csv.add_rounded(pair.mean_position);
    csv.end_row();
    if (csv.text().size() < most_text) continue;
    file.write(csv.text());
    csv.clear();
  }
  file.write(csv.text());
  file.finish();
  print_to(stdout, "{}: {} query-document pairs\n", output_, pairs.size());
}

/// Prints the learned bias of each position with its interval.
void print_position_bias(const PairRelevances& relevance) {
  if (!relevance.position_bias || relevance.position_bias_intervals.empty()) return;
  print_to(stdout, "position bias relative to position 1, with 95% intervals{}\n",
           relevance.position_bias->additive ? ", as logits" : "");
  for (std::size_t k = 0; k < relevance.position_bias_intervals.size(); ++k)
    print_to(stdout, "{:>4}  {:.4f}  {:.4f} to {:.4f}\n", k + 1,
             relevance.position_bias->by_rank[k], relevance.position_bias_intervals[k].lower,
             relevance.position_bias_intervals[k].upper);
}

TaskResults RelevanceTask::run(const TaskContext& context) {
  SavedModel saved(run_, context.registry);
  { const NewFile can_be_written(output_); }  // throws before the work, which takes long
  auto [data, relevance] = relevance_of_run(saved, resamples_ == 0);
  if (resamples_ > 0) {
    ProgressBars bars;
    const Progress progress = context.progress ? context.progress : std::ref(bars);
    const std::vector<ConfidenceInterval> intervals = bootstrap_relevance(
        saved, data.dataset,
        {.resamples = static_cast<std::size_t>(resamples_),
         .seed = static_cast<std::uint64_t>(saved.options().seed),
         .threads = count_threads(saved.options())},
        [&](std::size_t done) {
          progress("bootstrap", "resamples", done, static_cast<std::uint64_t>(resamples_));
        });
    for (std::size_t i = 0; i < relevance.pairs.size(); ++i) {
      relevance.pairs[i].estimate.lower = intervals[i + 1].lower;
      relevance.pairs[i].estimate.upper = intervals[i + 1].upper;
    }
  } else if (!relevance.no_intervals.empty()) {
    log().info("no intervals: {}; --bootstrap 200 takes them from resamples",
               relevance.no_intervals);
  }
  write(saved, relevance.pairs);
  if (resamples_ == 0) print_position_bias(relevance);
  return {};
}

}  // namespace

std::unique_ptr<Task> make_relevance(const Registry&) { return std::make_unique<RelevanceTask>(); }

}  // namespace ultr
