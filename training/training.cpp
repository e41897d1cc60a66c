#include "training/training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "base/log.h"

namespace ultr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void copy_values(const std::vector<Parameter*>& parameters,
                 std::vector<std::vector<float>>& values) {
  values.clear();  // frees the old values first
  for (const Parameter* parameter : parameters) values.push_back(parameter->values());
}

void assign_values(const std::vector<Parameter*>& parameters,
                   const std::vector<std::vector<float>>& values) {
  if (values.size() != parameters.size())
    throw Error(fmt::format("the best epoch has {} parameters; expected {}, as in the model",
                            values.size(), parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i]->assign(values[i]);
}

bool are_finite(const std::vector<Parameter*>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const Parameter* parameter) {
    const std::vector<float> values = parameter->values();
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
  });
}

/// Returns the number of epochs since the best one.
std::int64_t epochs_in_vain(const TrainingResult& done) {
  return static_cast<std::int64_t>(done.epochs.size()) - done.best_epoch;
}

double loss_of(const EpochResult& epoch) {
  return epoch.valid ? epoch.valid->loss() : epoch.train_loss;
}

/// Returns true if the training loss is the mean negative log-likelihood of clicks, and of nothing
/// else, such as masked words.
bool trains_on_clicks_alone(const TrainableModel& model, LossMean mean) {
  const auto learns_words = [&](const TrainableModel::Layer& layer) {
    return model.learns_words(layer);
  };
  return model.story().predicts_clicks() && mean == LossMean::documents &&
         std::ranges::none_of(model.layers(), learns_words);
}

/// Returns the perplexity of an epoch on the validation sessions, or if there are none, during
/// training. Returns NaN if it is not known, or infinite because a click is impossible, as after
/// counting.
double perplexity_of(const EpochResult& epoch, const TrainableModel& model, LossMean mean) {
  if (std::isinf(loss_of(epoch))) return std::numeric_limits<double>::quiet_NaN();
  if (epoch.valid) return (*epoch.valid)["ppl"];
  return trains_on_clicks_alone(model, mean) ? std::exp(epoch.train_loss)
                                             : std::numeric_limits<double>::quiet_NaN();
}

/// The perplexity above which a model has learned nothing, whatever the data are: a coin has 2, and
/// a cascade model on sessions with several clicks some hundreds.
constexpr double useless_perplexity = 1e6;

/// Returns what says that the last epoch diverges; empty if nothing does. `lowest`: the lowest loss
/// of all epochs.
std::string sign_of_divergence(const std::vector<EpochResult>& epochs, double lowest,
                               const TrainableModel& model, LossMean mean) {
  const EpochResult& last = epochs.back();
  const char* const split = last.valid ? "validation" : "training";
  if (const double perplexity = perplexity_of(last, model, mean); perplexity > useless_perplexity)
    return fmt::format("the {} perplexity of epoch {} is {:.3g}", split, last.epoch, perplexity);
  if (lowest > 0 && std::isfinite(loss_of(last)) && loss_of(last) > 10 * lowest &&
      loss_of(last) > loss_of(epochs.front()))
    return fmt::format("the {} loss of epoch {} is {:.3g}, and was {:.3g} before", split,
                       last.epoch, loss_of(last), lowest);
  return "";
}

constexpr const char* remedy = "a smaller optimizer.lr or optimizer.clip_norm may help";

/// Throws Diverged, or if there is an epoch to keep, notes why training ended.
void end_diverged(TrainingState& state, const TrainableModel& model, const std::string& reason) {
  if (state.best.empty() || !std::isfinite(state.best_loss)) throw Diverged(reason);
  const EpochResult& best = state.done.epochs[static_cast<std::size_t>(state.done.best_epoch) - 1];
  if (perplexity_of(best, model, LossMean::documents) > useless_perplexity) throw Diverged(reason);
  state.done.divergence =
      fmt::format("training diverged after epoch {}, and the parameters are those of epoch {}: {}",
                  state.done.epochs.size(), state.done.best_epoch, reason);
}

}  // namespace

double ValidationScores::operator[](std::string_view name) const {
  for (const MetricValue& score : values)
    if (score.name == name) return score.value;
  return std::numeric_limits<double>::quiet_NaN();
}

TrainingResult train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                           const Dataset& dataset, int threads, const TrainingObserver& observer) {
  TrainingState state;
  train_model(model, fitter, options, dataset, threads, observer, state);
  return state.done;
}

void train_model(const TrainableModel& model, Fitter& fitter, const TrainOptions& options,
                 const Dataset& dataset, int threads, const TrainingObserver& observer,
                 TrainingState& state) {
  const bool validates = dataset.valid.sessions() > 0;
  const bool chooses_epoch = validates && !fitter.ends_by_itself();  // by its validation loss
  TrainingResult& done = state.done;
  bool warned = false;
  double lowest = std::numeric_limits<double>::infinity();
  for (const EpochResult& epoch : done.epochs) lowest = std::min(lowest, loss_of(epoch));
  const Clock::time_point start = Clock::now();
  const double seconds_before = done.seconds;
  const auto show_state = [&] {
    state.fit = fitter.progress();
    done.seconds = seconds_before + seconds_since(start);
    if (observer.state) observer.state(state);
  };
  const auto is_over = [&] {
    return static_cast<std::int64_t>(done.epochs.size()) >= options.epochs || fitter.finished() ||
           (chooses_epoch && options.early_stopping > 0 &&
            epochs_in_vain(done) >= options.early_stopping);
  };

  if (const std::string why = fitter.why_validation_is_ignored();
      validates && options.early_stopping > 0 && !why.empty() && done.epochs.empty())
    log().warn("{}: validation neither ends training nor chooses an epoch, because {}",
               model.type(), why);
  fitter.resume(state.fit);
  // A pass that was stopped goes on, even if the fitter has nothing to do after it.
  bool is_in_pass = state.fit.sessions > 0;
  while (is_in_pass || !is_over()) {
    is_in_pass = false;
    EpochResult current{.stage = model.type(),
                        .epoch = static_cast<std::int64_t>(done.epochs.size()) + 1};
    const Clock::time_point epoch_start = Clock::now();
    const double epoch_seconds_before = state.epoch_seconds;
    const auto epoch_seconds = [&] { return epoch_seconds_before + seconds_since(epoch_start); };
    PassResult pass;
    try {
      pass = fitter.pass(current.epoch, [&](std::size_t sessions_done) {
        if (observer.step) observer.step(current.epoch, sessions_done);
        state.epoch_seconds = epoch_seconds();
        show_state();
      });
    } catch (const Diverged& error) {
      end_diverged(state, model, error.what());
      break;
    }
    state.epoch_seconds = 0;
    current.train_loss = pass.loss;
    current.learning_rate = pass.learning_rate;
    current.seconds = epoch_seconds();
    current.sessions_per_second = static_cast<double>(dataset.train.sessions()) / current.seconds;

    if (validates) {
      try {
        current.valid.emplace(evaluate_clicks(model, dataset.valid, options.mean(), threads, {},
                                              EvaluatedParts::likelihoods));
        for (MetricValue& accuracy : evaluate_masked_words(model, dataset.valid, threads))
          current.valid->values.push_back(std::move(accuracy));
      } catch (const Error&) {
        if (are_finite(model.parameters())) throw;
        end_diverged(state, model, fmt::format("the parameters are not finite; {}", remedy));
        break;
      }
      current.best =
          chooses_epoch && (current.epoch == 1 || current.valid->loss() < state.best_loss);
    }
    if (current.best) {
      state.best_loss = current.valid->loss();
      copy_values(model.parameters(), state.best);
    }
    if (current.best || !chooses_epoch) done.best_epoch = current.epoch;
    done.epochs.push_back(current);
    if (observer.epoch) observer.epoch(done.epochs.back());
    lowest = std::min(lowest, loss_of(current));
    if (const std::string sign = sign_of_divergence(done.epochs, lowest, model, options.mean());
        !sign.empty() && !warned) {
      log().warn("{}: training diverges: {}; {}", model.type(), sign, remedy);
      warned = true;
    }
    if (validates && std::isnan(loss_of(current))) {
      end_diverged(state, model, fmt::format("the validation loss is not a number; {}", remedy));
      break;
    }
    show_state();
  }
  if (fitter.ends_by_itself() && !fitter.finished())
    log().warn(
        "{}: training ended after {} epochs, before all probabilities settled within "
        "optimizer.tolerance; expected more train.epochs, or a larger tolerance",
        model.type(), done.epochs.size());
  if ((epochs_in_vain(done) > 0 || !done.divergence.empty()) && !state.best.empty())
    assign_values(model.parameters(), state.best);
  if (done.divergence.empty() && done.best_epoch > 0) {
    const EpochResult& kept = done.epochs[static_cast<std::size_t>(done.best_epoch) - 1];
    if (const double perplexity = perplexity_of(kept, model, options.mean());
        perplexity > useless_perplexity)
      done.divergence = fmt::format("training diverged: the best epoch has perplexity {:.3g}; {}",
                                    perplexity, remedy);
  }
  state.best = {};  // the parameters have these values
  done.seconds = seconds_before + seconds_since(start);
}

}  // namespace ultr
