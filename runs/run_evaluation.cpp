#include "runs/run_evaluation.h"

#include "runs/test_queries.h"

namespace ultr {
namespace {

/// Returns mean examination by position under the model that simulated the sessions, on the last
/// split that has any; empty if no model did.
std::vector<double> true_examination(const ExperimentData& data, LossMean mean, int threads) {
  if (!data.truth) return {};
  const Dataset& d = data.dataset;
  const SessionLog& last = d.test.sessions() > 0    ? d.test
                           : d.valid.sessions() > 0 ? d.valid
                                                    : d.train;
  return evaluate_clicks(*data.truth, last, mean, threads).examination;
}

}  // namespace

void evaluate_run(const TrainableModel& model, const ExperimentOptions& options,
                  const ExperimentData& data, const RunDirectory& folder,
                  const std::function<void()>& pause, RunResult& result) {
  const Dataset& dataset = data.dataset;
  const LossMean mean = options.train.mean();
  const int threads = count_threads(options);
  const RankingOptions ranking = options.evaluate.ranking();
  const auto evaluate =
      [&](const SessionLog& sessions,
          std::span<SessionLikelihood> each = {}) -> std::optional<ClickEvaluation> {
    pause();
    if (sessions.sessions() == 0) return std::nullopt;
    return evaluate_clicks(model, sessions, mean, threads, each);
  };
  result.train = evaluate(dataset.train);
  result.valid = evaluate(dataset.valid);
  std::vector<SessionLikelihood> each(dataset.test.sessions());
  result.test = evaluate(dataset.test, each);
  if (result.test && result.test->conditional.documents() > 0)
    folder.write(query_clicks_file,
                 query_clicks_csv(dataset.test, each, dataset.dictionary.names()));
  pause();
  if (dataset.labels.size() > 0) {
    result.ranking = evaluate_ranking(model, dataset.labels, ranking);
    folder.write(query_rankings_file,
                 query_rankings_csv(dataset.labels, *result.ranking, dataset.dictionary.names()));
  }
  if (!data.policy_scores.empty())
    result.policy_ranking = evaluate_scores(data.policy_scores, dataset.labels, ranking);
  result.true_examination = true_examination(data, mean, threads);
  result.position_bias = learned_position_bias(model);
  result.true_position_bias = data.position_bias;
  pause();
}

}  // namespace ultr
