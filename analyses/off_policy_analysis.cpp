#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "analyses/analyses.h"
#include "analyses/refused_targets.h"
#include "base/text/json_number.h"
#include "metrics/policies/off_policy.h"
#include "metrics/policies/ranked_lists.h"
#include "runs/data_task.h"
#include "runs/pair_scores.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

/// Above this share of displays that the log never has, a note says that estimates guess.
constexpr double many_unsupported = 0.01;

Json shown_values(const OffPolicyEvaluation& evaluation) {
  Json::array_t all;
  for (const PolicyValue& value : evaluation.values) {
    Json one = {{"estimator", value.estimator}, {"clicks_per_list", json_number(value.value)}};
    if (!std::isnan(value.interval.lower)) {
      one["lower"] = json_number(value.interval.lower);
      one["upper"] = json_number(value.interval.upper);
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> notes_on(const SessionLog& log, const OffPolicyEvaluation& evaluation) {
  std::vector<std::string> notes;
  if (!log.has_propensities())
    notes.emplace_back(
        "the log has no propensities; the shares of documents at each position of a query stand "
        "for them");
  if (evaluation.unsupported > many_unsupported)
    notes.push_back(fmt::format(
        "{:.1f} % of what the policy shows is never shown there in the log; ips counts it as "
        "never clicked, the other estimators guess",
        100 * evaluation.unsupported));
  if (std::ranges::find(evaluation.values, "ips", &PolicyValue::estimator)->value == 0)
    notes.emplace_back(
        "nothing that the policy shows was clicked in the log, which is too small to tell its "
        "clicks; the intervals of ips and snips mean nothing");
  return notes;
}

/// The clicks per list that a policy would get, estimated from the log of another policy: `data`
/// has the log as training sessions. The policy to evaluate is that of a log, the test sessions, or
/// the ranking of a trained run (ranked_lists), for the test sessions or else those of the log.
/// Results are `lists` and `target_lists`, their numbers, `values` as OffPolicyEvaluation has them,
/// without `observed` for a run, `largest_weight`, `effective_documents` and `unsupported`.
/// Sessions must have clicks: relevance labels and click rates are refused.
class OffPolicyAnalysis final : public DataTask {
 public:
  explicit OffPolicyAnalysis(const std::vector<OptionType>& data)
      : DataTask(data, "open_bandit", Sessions::all) {}

  void settings(Fields& f) override {
    f.text("run", run_,
           "Folder of a trained run whose ranking is the policy to evaluate. Test sessions then "
           "say for which queries and positions it ranks; without any, the log itself does. "
           "Default: the policy that made the test sessions.");
    f.number("clip", clip_, "Upper limit of weights; 0: none.", at_least(0));
    f.number("pseudo_count", pseudo_count_,
             "Impressions at the click rate of the position that are added to those of each "
             "document where an estimator predicts clicks.",
             at_least(0));
    f.integer("resamples", resamples_,
              "Bootstrap resamples of the lists of both logs, for 95% intervals; 0: no intervals.",
              between(0, 1e6));
  }
  void locate_files(const std::filesystem::path& config_folder) override {
    DataTask::locate_files(config_folder);
    if (!run_.empty()) run_ = find_data_file(run_, config_folder).string();
  }
  TaskResults run(const TaskContext& context) override {
    const ExperimentData data = load(context);
    const SessionLog &log = data.dataset.train, &test = data.dataset.test;
    refuse_labels(data);
    for (const SessionLog* sessions : {&log, &test}) refuse_click_rates(*sessions);
    const bool no_test = test.sessions() == 0;
    if (no_test && run_.empty())
      throw ConfigError(
          "analysis.data has no test sessions; expected a log of the policy to evaluate as "
          "data.test, or a trained run as analysis.run");
    SessionLog ranked;
    if (!run_.empty())
      ranked = ranked_lists(log, no_test ? log : test,
                            PairScores(run_, context.registry, context.threads).of(data));
    const SessionLog& target = run_.empty() ? test : ranked;
    OffPolicyEvaluation evaluation =
        evaluate_off_policy(log, target,
                            {.clip = clip_,
                             .pseudo_count = pseudo_count_,
                             .resamples = static_cast<std::size_t>(resamples_),
                             .seed = context.seed,
                             .same_lists = no_test},
                            context.progress);
    if (!run_.empty()) evaluation.values.pop_back();  // nobody saw its lists
    TaskResults results;
    results.json = {{"lists", log.sessions()},
                    {"target_lists", target.sessions()},
                    {"largest_weight", evaluation.largest_weight},
                    {"effective_documents", evaluation.effective_documents},
                    {"unsupported", evaluation.unsupported},
                    {"values", shown_values(evaluation)}};
    results.notes = notes_on(log, evaluation);
    return results;
  }

 private:
  std::string run_;
  double clip_ = 0, pseudo_count_ = 10;
  std::int64_t resamples_ = 1000;
};

}  // namespace

OptionType off_policy_type(const std::vector<OptionType>& data) {
  return {
      "off_policy", "Estimates the clicks that a policy would get from the log of another.",
      [&data]() -> std::unique_ptr<Options> { return std::make_unique<OffPolicyAnalysis>(data); }};
}

}  // namespace ultr
