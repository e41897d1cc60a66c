#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include <fmt/core.h>

#include "commands/built_in_registry.h"
#include "dsl/programs/start.h"
#include "experiment/data_options.h"
#include "optim/adam.h"
#include "optim/coins.h"
#include "optim/schedule.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "training/evaluation.h"
#include "training/fitters.h"

/// Fits every model that EM can fit, by EM and by gradients, on simulated sessions and, if its file
/// is given, on the training split of TianGong. Then it continues from either result with the other
/// method: a small gain means that both have found the same maximum. Prints a table.
///
///     build/release/benchmarks/em_against_gradients [TIANGONG_TRAIN]
namespace {

using namespace ultr;

const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));

/// Returns options of a type, read from YAML.
template <class T>
T configured(const std::string& yaml) {
  T options;
  read_options(parse_config(yaml, "options"), options);
  return options;
}

struct Outcome {
  TrainableModel model;
  double log_likelihood;  // per document
  double seconds;
};

class Comparison {
 public:
  Comparison(const ModelOptions& options, const Dataset& dataset, std::int64_t epochs)
      : options_(options), dataset_(dataset), epochs_(epochs) {}

  /// Fits from the default start or from another outcome.
  Outcome by_gradients(double rate, const Outcome* from = nullptr) const {
    return fit(configured<AdamOptions>(fmt::format("{{lr: {}, schedule: cosine}}", rate)), epochs_,
               from);
  }
  Outcome by_em(std::int64_t passes, const Outcome* from = nullptr) const {
    return fit(EmOptions(), passes, from);
  }

 private:
  Outcome fit(const FitOptions& how, std::int64_t epochs, const Outcome* from) const {
    TrainableModel model =
        options_.build({.rows = dataset_.dictionary.rows(),
                        .positions = static_cast<std::int64_t>(dataset_.positions)});
    start_at_click_rate(model, dataset_.train);
    const auto parameters = model.parameters();
    for (std::size_t i = 0; from != nullptr && i < parameters.size(); ++i)
      parameters[i]->assign(from->model.parameters()[i]->values());
    TrainOptions train;
    train.epochs = epochs;
    const auto fitter = make_fitter(
        how, {.model = model, .train = dataset_.train, .options = train, .threads = threads});
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) fitter->pass(epoch, {});
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double loss = evaluate_loss(model, dataset_.train, LossMean::documents, threads);
    return {std::move(model), -loss, seconds};
  }

  const ModelOptions& options_;
  const Dataset& dataset_;
  std::int64_t epochs_;
};

void print_row(const std::string& data, const std::string& name, const ModelOptions& options,
               const Dataset& dataset, std::int64_t epochs, std::int64_t passes) {
  const Comparison comparison(options, dataset, epochs);
  const Outcome em = comparison.by_em(passes);
  const Outcome gradients = comparison.by_gradients(0.1);
  const Outcome then_em = comparison.by_em(passes, &gradients);
  const Outcome then_gradients = comparison.by_gradients(0.01, &em);
  fmt::print("| {} | {} | {:.5f} | {:.1f} | {:.5f} | {:.1f} | {:.1e} | {:.1e} |\n", data, name,
             em.log_likelihood, em.seconds, gradients.log_likelihood, gradients.seconds,
             then_gradients.log_likelihood - em.log_likelihood,
             then_em.log_likelihood - gradients.log_likelihood);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Registry registry = built_in_registry();
  fmt::print(
      "| sessions | model | EM ll | EM s | gradients ll | gradients s | gradients after EM | "
      "EM after gradients |\n|---|---|---|---|---|---|---|---|\n");
  for (const OptionType& type : registry.models()) {
    if (type.name == "two_tower" || type.name == "cm") continue;  // EM refuses them
    const auto made = type.make();
    auto& options = static_cast<ModelOptions&>(*made);
    if (type.name == "mixture")
      read_options(parse_config("{share: [attraction]}", "options"), options);
    if (argc > 1) {
      const Choice source(registry.data(), "tiangong", "format");
      read_options(
          parse_config("{train: '" + std::filesystem::absolute(argv[1]).string() + "'}", "options"),
          *source.options);
      const auto data = source.as<DataOptions>().load({.threads = threads});
      print_row("TianGong", type.name, options, data.dataset, 3000, 2000);
    }
    const Choice source(registry.data(), "simulation", "format");
    read_options(parse_config("{user: " + type.name +
                                  ", sessions: 100000, valid_sessions: 0, test_sessions: 0, "
                                  "queries: 50, positions: 10}",
                              "options"),
                 *source.options);
    const auto data = source.as<DataOptions>().load({.threads = threads});
    print_row("simulated", type.name, options, data.dataset, 30, 500);
  }
}
