#include "sources/simulation.h"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "base/random.h"
#include "base/threads/background_queue.h"
#include "data/simulation/noisy_ranking.h"
#include "data/simulation/simulation_fields.h"
#include "sources/click_model_user.h"

namespace ultr {

void SimulationOptions::fields(Fields& f) {
  f.choice("user", user_,
           "Click model that generates clicks; its parameters are drawn as below unless their "
           "start is given.");
  f.integer("sessions", sessions_, "Training sessions.", between(1, 1e9));
  f.integer("valid_sessions", valid_sessions_, "Validation sessions.", between(0, 1e9));
  f.integer("test_sessions", test_sessions_, "Test sessions.", between(0, 1e9));
  f.integer("queries", queries_, "Distinct queries.", between(1, 1e8));
  f.integer("candidates", candidates_, "Candidate documents per query.", between(1, 1000));
  shown_positions_field(f, positions_);
  f.number("zipf", zipf_, "Exponent of Zipf's law of query frequencies; 0: all equally frequent.",
           at_least(0));
  f.number("ranking_noise", ranking_noise_,
           "Standard deviation of the noise added to the score that ranks documents.", at_least(0));
  examination_field(f, eta_);
  f.number("logit_mean", logit_mean_, "Mean of the documents' logits.", {});
  f.number("logit_spread", logit_spread_, "Standard deviation of the documents' logits.",
           at_least(0));
  global_parameter_field(f, global_);
}

void SimulationOptions::check() const {
  // Pairs, and pairs at ranks, are numbered in 32 bits.
  constexpr double most = 4294967295;
  const double entries = (static_cast<double>(queries_) * static_cast<double>(candidates_) + 1) *
                         static_cast<double>(positions_);
  if (entries > most)
    throw ConfigError(fmt::format(
        "data.queries x data.candidates x data.positions is {:.3g}; expected at most {:.3g}",
        entries, most));
  // Options of the user that do not fit together show when a small one is built.
  static_cast<void>(user_model({.rows = 2, .positions = positions_}));
}

std::shared_ptr<const TrainableModel> SimulationOptions::true_model(
    const DataSetting& setting) const {
  return user_model(
      {.rows = queries_ * candidates_ + 1, .positions = positions_, .seed = setting.seed});
}

std::shared_ptr<const TrainableModel> SimulationOptions::user_model(
    const ModelSetting& size) const {
  auto model = std::make_shared<TrainableModel>(user_.as<ModelOptions>().build(size));
  const auto document = [&](std::uint32_t layer, Domain, std::int64_t entry) {
    RandomStream random(size.seed, RandomPurpose::simulation, layer,
                        static_cast<std::uint64_t>(entry));
    return logit_mean_ + logit_spread_ * random.normal();
  };
  set_user_parameters(*model, size, {.eta = eta_, .global = global_, .document = document},
                      "data.user");
  return model;
}

std::vector<SimulationOptions::Part> SimulationOptions::parts() const {
  std::vector<Part> all = {{"train", &Dataset::train, sessions_},
                           {"valid", &Dataset::valid, valid_sessions_},
                           {"test", &Dataset::test, test_sessions_}};
  std::erase_if(all, [](const Part& part) { return part.sessions == 0; });
  return all;
}

void SimulationOptions::stream(
    const DataSetting& setting,
    const std::function<void(const Part&, const SessionLog&)>& take) const {
  constexpr std::size_t most_waiting = 128;  // blocks: 32768 sessions
  using Block = std::pair<Part, SessionLog>;
  std::optional<BackgroundQueue<Block>> blocks;
  if (setting.threads > 1)
    blocks.emplace(most_waiting, [&](const Block& block) { take(block.first, block.second); });
  if (!blocks) {
    simulate(true_model(setting), setting, take);
    return;
  }
  simulate(true_model(setting), setting, [&](const Part& part, const SessionLog& block) {
    blocks->put({part, block});
  });
  blocks->finish();
}

DrawLists SimulationOptions::list_drawer(const TrainableModel& truth, std::uint64_t seed) const {
  NoisyRanking ranking = {.queries = queries_,
                          .candidates = candidates_,
                          .shown = shown(),
                          .zipf = zipf_,
                          .noise = ranking_noise_};
  // Documents are ranked by the logit of the user's first document parameter, if there is one.
  for (const TrainableModel::Layer& layer : truth.layers())
    if (ranking.quality.values == nullptr && layer.domain == Domain::document) {
      const Parameter& quality = *layer.layer->parameters().back();
      ranking.quality = {quality.row(0).data(), quality.view().stride};
    }
  return ranking.lists(seed);
}

void SimulationOptions::simulate(
    const std::shared_ptr<const TrainableModel>& truth, const DataSetting& setting,
    const std::function<void(const Part&, const SessionLog&)>& take) const {
  SessionSimulation simulation = {.threads = setting.threads,
                                  .draw = list_drawer(*truth, setting.seed),
                                  .users = users_of_model(truth, setting.seed)};
  for (const Part& part : parts()) {
    simulation.sessions = static_cast<std::uint64_t>(part.sessions);
    simulate_sessions(simulation, [&](const SessionLog& block) { take(part, block); });
    simulation.first += simulation.sessions;
  }
}

ExperimentData SimulationOptions::load(const DataSetting& setting) const {
  const auto truth = true_model(setting);
  ExperimentData data;
  for (std::uint64_t row = 1; row < rows(); ++row) data.dataset.dictionary.add(query_of(row), row);
  std::uint64_t sessions = 0;
  for (const Part& part : parts()) sessions += static_cast<std::uint64_t>(part.sessions);
  const auto count = setting.count("simulating", "sessions", sessions);
  simulate(truth, setting, [&](const Part& part, const SessionLog& block) {
    SessionLog& log = data.dataset.*part.log;
    for (std::size_t i = 0; i < block.sessions(); ++i) log.add(block[i]);
    count(block.sessions());
  });
  data.dataset.positions = static_cast<std::size_t>(positions_);
  data.position_bias = learned_position_bias(*truth);
  data.truth = truth;
  return data;
}

OptionType simulation_type(const std::vector<OptionType>& models) {
  return {"simulation",
          "Sessions simulated from a click model with known parameters; needs no files.",
          [&models]() -> std::unique_ptr<Options> {
            return std::make_unique<SimulationOptions>(models);
          }};
}

}  // namespace ultr
