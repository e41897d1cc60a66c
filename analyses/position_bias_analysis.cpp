#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "analyses/analyses.h"
#include "analyses/bias_report.h"
#include "analyses/refused_targets.h"
#include "base/text/json_number.h"
#include "data/formats/propensities.h"
#include "dsl/model_options.h"
#include "runs/data_task.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the mean over the ranks that both know; NaN if there are none.
double mean_squared_difference(const Propensities& a, const Propensities& b) {
  double sum = 0, known = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const double difference = a[k] - b[k];
    if (!std::isfinite(difference)) continue;
    sum += difference * difference;
    ++known;
  }
  return sum / known;
}

Json shown(const BiasEstimate& estimate, const Propensities& truth) {
  Json result = Json::object();
  Json::array_t estimates, low, high;
  for (const double value : estimate.propensities) estimates.push_back(json_number(value));
  for (const auto& interval : estimate.intervals) {
    low.push_back(interval ? json_number(interval->lower) : Json(nullptr));
    high.push_back(interval ? json_number(interval->upper) : Json(nullptr));
  }
  if (!truth.empty())
    result["error"] = json_number(mean_squared_difference(estimate.propensities, truth));
  result["estimate"] = estimates;
  if (!low.empty()) result["low"] = low, result["high"] = high;
  return result;
}

void write_bias(const BiasPage& page, const RunDirectory& folder) {
  for (const BiasEstimate& estimate : page.estimation.estimates)
    write_propensities(folder.path() / fmt::format("propensities_{}.csv", estimate.method),
                       estimate.method, estimate.propensities);
  folder.write("position_bias.svg", draw_bias(page));
  folder.write("report.html", render_report(bias_report(page)));
}

/// Position bias, estimated from the training sessions of a source of data, which must not have
/// relevance labels in place of clicks. Results are `sessions`, their number, and an object for
/// each method that knows anything:
///
///     estimate     by rank, relative to rank 1; null: unknown
///     low, high    bounds of its intervals, if it has any
///     error        mean squared difference from the truth over the known ranks, if the truth is
///                  known; `true` has it
class PositionBiasAnalysis final : public DataTask {
 public:
  explicit PositionBiasAnalysis(const std::vector<OptionType>& data)
      : DataTask(data, "simulation", Sessions::training) {}

  void settings(Fields& f) override {
    f.texts("methods", methods_,
            fmt::format("Any of {}; none: all.", fmt::join(propensity_estimators(), ", ")));
    f.integer("pivot", pivot_, "Rank that the method `pivot` compares all others with, from 1.",
              at_least(1));
    f.integer("resamples", resamples_,
              "Bootstrap resamples of the sessions, for 95% intervals; 0: no intervals.",
              between(0, 1e6));
    f.integer("passes", passes_, "Maximum number of passes of `regression_em`.", at_least(1));
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"methods", "NAME"}, {"pivot", "RANK"}, {"resamples", "COUNT"}, {"passes", "COUNT"}};
  }
  void check() const override {
    DataTask::check();
    check_bias_methods(methods_);
  }
  TaskResults run(const TaskContext& context) override {
    const ExperimentData data = load(context);
    refuse_labels(data);
    BiasPage page{.name = context.name,
                  .sessions = data.dataset.train.sessions(),
                  .documents = data.dataset.train.documents()};
    page.estimation = estimate_bias(
        data.dataset,
        {.methods = methods_,
         .pivot = static_cast<std::size_t>(pivot_),
         .resamples = static_cast<std::size_t>(resamples_),
         .most_passes = passes_,
         .seed = context.seed,
         .threads = context.threads},
        context.progress ? context.progress
                         : [](std::string_view, std::string_view, std::uint64_t, std::uint64_t) {});
    page.truth = true_position_bias(data, context.threads);
    Json json = {{"sessions", page.sessions}};
    for (const BiasEstimate& estimate : page.estimation.estimates)
      json[estimate.method] = shown(estimate, page.truth);
    if (!page.truth.empty()) json["true"] = page.truth;
    return {.json = std::move(json),
            .notes = page.estimation.notes,
            .text = render_text_table(bias_table(page)),
            .write_files = [page](const RunDirectory& folder) { write_bias(page, folder); },
            .files = "propensities, position_bias.svg and report.html"};
  }

 private:
  std::vector<std::string> methods_;
  std::int64_t pivot_ = 1, resamples_ = 0, passes_ = 1000;
};

}  // namespace

OptionType position_bias_type(const std::vector<OptionType>& data) {
  return {"position_bias", "Estimates position bias without training a ranker.",
          [&data]() -> std::unique_ptr<Options> {
            return std::make_unique<PositionBiasAnalysis>(data);
          }};
}

}  // namespace ultr
