#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "analyses/analyses.h"
#include "analyses/refused_targets.h"
#include "base/text/json_number.h"
#include "dsl/programs/start.h"
#include "options/config_tree.h"
#include "runs/data_task.h"
#include "training/evaluation.h"
#include "training/fitters.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

/// The passes of one fitter: the loss after each, and the processor time until then.
struct TimedPasses {
  double start_loss = 0;
  std::vector<double> seconds{}, losses{};

  double best_loss() const { return std::min(start_loss, std::ranges::min(losses)); }
  /// Returns the number of passes after which the loss is at most `target`; nothing if it never is.
  std::optional<std::size_t> passes_to(double target) const {
    for (std::size_t pass = 0; pass < losses.size(); ++pass)
      if (losses[pass] <= target) return pass + 1;
    return std::nullopt;
  }
  double seconds_to(double target) const {
    const auto passes = passes_to(target);
    return passes ? seconds[*passes - 1] : std::nan("");
  }
  Json json(double target) const {
    const auto passes = passes_to(target);
    return {{"passes", passes ? Json(*passes) : Json(nullptr)},
            {"seconds", json_number(seconds_to(target))},
            {"start_loss", json_number(start_loss)},
            {"best_loss", json_number(best_loss())},
            {"seconds_by_pass", json_numbers(seconds)},
            {"loss_by_pass", json_numbers(losses)}};
  }
};

/// Races two fitters of a click model from the same start to the same loss on the training
/// sessions. Both begin with the parameters that the seed draws, shifted to the click rate. With B
/// the larger of the best losses that the two reach, and L the loss at the start, the race ends at
///
///     target_loss = B + share (L - B),
///
/// after the first pass whose loss is no larger. Times are processor seconds of passes, without the
/// evaluation of losses. Results are `target_loss`; `first` and `second`, each with
///
///     passes, seconds           until the target
///     start_loss, best_loss     before the first pass, and of all passes
///     seconds_by_pass, loss_by_pass
///
/// and `ratio`, the seconds of `first` over those of `second`.
class TimeToLoss final : public DataTask {
 public:
  TimeToLoss(const std::vector<OptionType>& data, const std::vector<OptionType>& models,
             const std::vector<OptionType>& optimizers)
      : DataTask(data, "simulation", Sessions::training),
        model_(models, "pbm"),
        first_(optimizers, "em"),
        second_(optimizers, "adamw") {}

  void settings(Fields& f) override {
    f.choice("model", model_, "Click model that both fit.");
    f.choice("first", first_, "One method that fits it.");
    f.choice("second", second_, "The other.");
    f.section("train", train_, "Settings of both; both run all epochs.");
    f.number("share", share_,
             "Share of the way from the start to the loss that both reach which may be left.",
             {.low = 0, .high = 1, .low_open = true, .high_open = true});
  }
  TaskResults run(const TaskContext& context) override;

 private:
  TimedPasses passes_of(const Choice& fitter, const Dataset& dataset,
                        const TaskContext& context) const;

  Choice model_, first_, second_;
  TrainOptions train_;
  double share_ = 0.01;
};

TimedPasses TimeToLoss::passes_of(const Choice& fitter, const Dataset& dataset,
                                  const TaskContext& context) const {
  const TrainableModel model =
      model_.as<ModelOptions>().build({.rows = dataset.dictionary.rows(),
                                       .positions = static_cast<std::int64_t>(dataset.positions),
                                       .seed = context.seed,
                                       .features = dataset.features,
                                       .train = &dataset.train});
  start_at_click_rate(model, dataset.train);
  const auto loss = [&] {
    return evaluate_loss(model, dataset.train, train_.mean(), context.threads);
  };
  TimedPasses made{.start_loss = loss()};
  const auto running = make_fitter(fitter.as<FitOptions>(), {.model = model,
                                                             .train = dataset.train,
                                                             .options = train_,
                                                             .seed = context.seed,
                                                             .threads = context.threads});
  double seconds = 0;
  for (std::int64_t epoch = 1; epoch <= train_.epochs && !running->finished(); ++epoch) {
    const std::clock_t begin = std::clock();
    running->pass(epoch, [](std::size_t) {});
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    made.seconds.push_back(seconds);
    made.losses.push_back(loss());
  }
  return made;
}

TaskResults TimeToLoss::run(const TaskContext& context) {
  const ExperimentData data = load(context);
  refuse_click_rates(data.dataset.train);
  const TimedPasses first = passes_of(first_, data.dataset, context),
                    second = passes_of(second_, data.dataset, context);
  const double both = std::max(first.best_loss(), second.best_loss());
  const double target = both + share_ * (first.start_loss - both);
  const double ratio = first.seconds_to(target) / second.seconds_to(target);
  const auto line = [&](const Choice& fitter, const TimedPasses& passes) {
    return fmt::format("{:>10}: {} of {} passes, {:.3g} s, best loss {:.5f}\n", fitter.type,
                       passes.passes_to(target).value_or(0), passes.losses.size(),
                       passes.seconds_to(target), passes.best_loss());
  };
  return {.json = {{"target_loss", json_number(target)},
                   {"ratio", json_number(ratio)},
                   {"first", first.json(target)},
                   {"second", second.json(target)}},
          .text = fmt::format("from loss {:.5f} to {:.5f}\n", first.start_loss, target) +
                  line(first_, first) + line(second_, second)};
}

}  // namespace

OptionType time_to_loss_type(const std::vector<OptionType>& data,
                             const std::vector<OptionType>& models,
                             const std::vector<OptionType>& optimizers) {
  return {"time_to_loss", "Races two ways to fit a click model from one start to one loss.",
          [&data, &models, &optimizers]() -> std::unique_ptr<Options> {
            return std::make_unique<TimeToLoss>(data, models, optimizers);
          }};
}

}  // namespace ultr
