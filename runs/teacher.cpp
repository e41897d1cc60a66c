#include "runs/teacher.h"

#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "base/error.h"
#include "experiment/run_directory.h"
#include "losses/distill.h"
#include "options/config_tree.h"
#include "training/predictor.h"
#include "training/ranking_evaluation.h"

namespace ultr {
namespace {

/// Returns a log with other targets: those of the rows of its documents.
SessionLog with_targets(const SessionLog& log, std::span<const float> by_row) {
  SessionLog taught;
  std::vector<float> targets;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    SessionView session = log[i];
    targets.clear();
    for (const std::uint32_t row : session.rows) targets.push_back(by_row[row]);
    session.targets = targets;
    taught.add(session);
  }
  if (!log.features().empty()) taught.set_features(log.features());
  return taught;
}

/// Returns the lists on which student and teacher are compared. Labels do not matter.
JudgedLists held_out(const Dataset& dataset) {
  if (dataset.labels.size() > 0) return dataset.labels;
  const SessionLog& log = dataset.test.sessions() > 0    ? dataset.test
                          : dataset.valid.sessions() > 0 ? dataset.valid
                                                         : dataset.train;
  JudgedLists lists;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    lists.add(log[i].rows, std::vector<int>(log[i].rows.size()), log[i].query);
  return lists;
}

}  // namespace

Teacher::Teacher(const std::filesystem::path& run, Registry& registry, int threads)
    : pairs_(run, registry, threads) {
  if (pairs_.saved().features() == 0 || pairs_.reads_dictionary() || pairs_.reads_positions())
    throw DataError(fmt::format(
        "{}: cannot teach: the relevance of its model, {}, depends on {}; expected a tower over "
        "the features or words of documents",
        run.string(), model_type(),
        pairs_.reads_positions() ? "positions" : "query-document pairs by number"));
}

std::vector<float> Teacher::scores(const ExperimentData& data) const {
  const std::vector<double> logits = pairs_.of(data);
  return {logits.begin(), logits.end()};
}

std::string teacher_of(const TrainableModel& model) {
  const auto* loss = dynamic_cast<const DistillLoss*>(&model.story());
  return loss == nullptr ? std::string() : loss->teacher();
}

std::optional<Teacher> make_teacher(const TrainableModel& model, const ExperimentOptions& options) {
  if (dynamic_cast<const DistillLoss*>(&model.story()) == nullptr) return std::nullopt;
  const std::string run = teacher_of(model);
  if (run.empty())
    throw ConfigError("loss.teacher is missing; expected the folder of a trained run");
  return std::optional<Teacher>(std::in_place, run, *options.known_types, count_threads(options));
}

std::optional<TaughtData> taught_data(const TrainableModel& model, const ExperimentOptions& options,
                                      const ExperimentData& data) {
  const std::optional<Teacher> teacher = make_teacher(model, options);
  if (!teacher) return std::nullopt;
  TaughtData taught{.teacher = teacher_of(model),
                    .model_type = teacher->model_type(),
                    .scores = teacher->scores(data),
                    .data = {.dataset = {},
                             .scaling = data.scaling,
                             .bias_columns = data.bias_columns,
                             .feature_names = data.feature_names,
                             .vocabulary = data.vocabulary,
                             .learns_labels = false,
                             .truth = data.truth,
                             .policy_scores = data.policy_scores,
                             .position_bias = data.position_bias}};
  const Dataset& given = data.dataset;
  taught.data.dataset = {.dictionary = {},
                         .train = with_targets(given.train, taught.scores),
                         .valid = with_targets(given.valid, taught.scores),
                         .test = with_targets(given.test, taught.scores),
                         .features = given.features,
                         .labels = given.labels,
                         .positions = given.positions,
                         .notes = given.notes};
  return taught;
}

TeacherAgreement agreement_with_teacher(const TrainableModel& student, const TaughtData& taught,
                                        int threads) {
  const JudgedLists lists = held_out(taught.data.dataset);
  std::vector<double> theirs;
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const std::uint32_t row : lists.rows(i))
      theirs.push_back(static_cast<double>(taught.scores[row]));
  return {rank_agreement(relevance_logits(student, lists, threads), theirs, lists), taught.teacher,
          taught.model_type};
}

}  // namespace ultr
