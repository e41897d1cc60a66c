#include <iterator>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/standard_output.h"
#include "commands/command_table.h"
#include "data/text/csv_line.h"
#include "experiment/task.h"
#include "runs/pair_relevance.h"

namespace ultr {
namespace {

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

TaskResults RelevanceTask::run(const TaskContext& context) {
  SavedModel saved(run_, context.registry);
  std::optional<NewFile> file;  // nothing is written before the data were read
  fmt::memory_buffer text;
  std::size_t written = 0;
  for_each_learned_pair(saved, [&](std::span<const LearnedPair> pairs) {
    if (!file) {
      file.emplace(output_);
      file->write("query,document,relevance,impressions,clicks,mean_position\n");
    }
    text.clear();
    for (const LearnedPair& pair : pairs)
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n",
                     csv_field(saved.names().text(pair.query)),
                     csv_field(saved.names().text(pair.document)),
                     static_cast<float>(pair.relevance), pair.impressions, pair.clicks,
                     pair.impressions == 0 ? "" : fmt::format("{:.4g}", pair.mean_position()));
    file->write({text.data(), text.size()});
    written += pairs.size();
  });
  file->finish();
  print_to(stdout, "{}: {} query-document pairs\n", output_, written);
  return {};
}

}  // namespace

std::unique_ptr<Task> make_relevance(const Registry&) { return std::make_unique<RelevanceTask>(); }

}  // namespace ultr
