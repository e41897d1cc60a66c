#include "sources/click_model_user.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "data/simulation/simulation_fields.h"
#include "dsl/programs/sampler.h"
#include "dsl/signal_domains.h"
#include "runs/saved_model.h"

namespace ultr {
namespace {

/// Sets the clicks of all sessions of a log, the first of which has the number `first`.
void sample_clicks(ClickSampler& sampler, std::uint64_t seed, SessionLog& sessions,
                   std::uint64_t first) {
  std::vector<std::uint32_t> of_shard;
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint8_t> sampled;
  Shard shard;
  for (std::size_t begin = 0; begin < sessions.sessions(); begin += shard_sessions) {
    of_shard.resize(std::min(shard_sessions, sessions.sessions() - begin));
    std::iota(of_shard.begin(), of_shard.end(), static_cast<std::uint32_t>(begin));
    shard.pack(sessions, of_shard);
    numbers.clear();
    for (const std::uint32_t session : shard.order()) numbers.push_back(first + session);
    sampler.sample_clicks(shard, seed, numbers, sampled);
    for (std::size_t j = 0; j < shard.sessions(); ++j) {
      const std::span<std::uint8_t> clicks = sessions.clicks(shard.order()[j]);
      for (std::size_t k = 0; k < clicks.size(); ++k) clicks[k] = sampled[shard.begin(k) + j];
    }
  }
}

/// Builds a click model for users of a setting. Its parameters follow from the relevance of
/// documents and the options.
std::shared_ptr<TrainableModel> model_of_relevance(const ModelOptions& options,
                                                   const SimulatedUserSetting& setting,
                                                   double noise, double eta, double global,
                                                   const std::string& section) {
  const auto positions = static_cast<std::int64_t>(setting.positions);
  const ModelSetting size{.rows = static_cast<std::int64_t>(setting.relevance.size()),
                          .positions = positions,
                          .seed = setting.seed};
  auto model = std::make_shared<TrainableModel>(options.build(size));
  const auto document = [&](std::uint32_t, Domain domain, std::int64_t entry) {
    const bool ranked = domain == Domain::document_rank;
    const auto row = static_cast<std::size_t>(ranked ? entry / positions : entry);
    const double examined =
        ranked ? position_bias(static_cast<std::size_t>(entry % positions), eta) : 1;
    return finite_logit(examined * attractiveness(setting.relevance[row], noise));
  };
  set_user_parameters(*model, size, {.eta = eta, .global = global, .document = document}, section);
  return model;
}

constexpr const char* user_section = "data.learn_from.user";
constexpr const char* noise_help = "Probability ε for documents without relevance.";

class ClickModelUserOptions final : public SimulatedUserOptions {
 public:
  explicit ClickModelUserOptions(const std::vector<OptionType>& models) : model_(models, "ubm") {}

  void fields(Fields& f) override {
    f.choice("model", model_, "Click model; parameters with a given start have that probability.");
    examination_field(f, eta_);
    f.number("noise", noise_, noise_help, between(0, 1));
    global_parameter_field(f, global_);
  }
  void check() const override {  // what does not fit shows when a small model is built
    static_cast<void>(users({.relevance = std::vector<double>{0, 1}, .positions = 2}));
  }
  SimulatedUsers users(const SimulatedUserSetting& setting) const override {
    return users_of_model(model_of_relevance(model_.as<ModelOptions>(), setting, noise_, eta_,
                                             global_, std::string(user_section) + ".model"),
                          setting.seed);
  }
  std::optional<SimulatedPositionBias> position_bias(std::size_t) const override { return {}; }

 private:
  Choice model_;
  double eta_ = 1, noise_ = 0.1, global_ = 0.9;
};

class FittedClickModelUserOptions final : public SimulatedUserOptions {
 public:
  FittedClickModelUserOptions(const std::vector<OptionType>& models,
                              const MakeRegistry& make_registry)
      : models_(models), make_registry_(make_registry) {}

  void fields(Fields& f) override {
    f.text("run", run_, "Run folder of a trained click model.");
    f.number("noise", noise_, noise_help, between(0, 1));
  }
  void locate_files(const std::function<std::string(const std::string& file)>& find) override {
    run_ = find(run_);
  }
  SimulatedUsers users(const SimulatedUserSetting& setting) const override {
    Registry registry = make_registry_();
    const SavedModel saved(run_, registry);
    const std::string& type = saved.model().type();
    if (std::none_of(models_.begin(), models_.end(),
                     [&](const OptionType& known) { return known.name == type; }))
      throw ConfigError(fmt::format("{}.run: {} has the model {}; expected a click model",
                                    user_section, run_, type));
    const std::int64_t known = saved.model().setting().positions;
    if (known < static_cast<std::int64_t>(setting.positions))
      throw ConfigError(fmt::format(
          "{}.run: {} knows {} positions; expected at least {}, as many as sessions show",
          user_section, run_, known, setting.positions));
    // Use as many positions as the fitted model, so that entries have the same numbers in both.
    SimulatedUserSetting like_fitted = setting;
    like_fitted.positions = static_cast<std::size_t>(known);
    const Choice same(models_, type);
    const auto model =
        model_of_relevance(same.as<ModelOptions>(), like_fitted, noise_, 0, 0.5, user_section);
    for (std::size_t i = 0; i < model->layers().size(); ++i) copy(saved.model(), i, *model);
    return users_of_model(model, setting.seed);
  }
  std::optional<SimulatedPositionBias> position_bias(std::size_t) const override { return {}; }

 private:
  /// Copies the values of layer `number`, unless the layer is over documents.
  void copy(const TrainableModel& from, std::size_t number, TrainableModel& to) const {
    const TrainableModel::Layer& target = to.layers()[number];
    if (is_of_documents(target.domain)) return;
    EntryLogits known;
    // The layers may differ: a mixture of other components has others.
    if (number < from.layers().size() && from.layers()[number].name == target.name &&
        from.layers()[number].domain == target.domain)
      known = from.layers()[number].layer->entry_logits().value_or(EntryLogits{});
    Parameter& values = *target.layer->parameters().back();
    if (known.values == nullptr || known.values->rows() != values.rows())
      throw ConfigError(fmt::format(
          "{}.run: {} does not have one logit per {} in {}; expected embedding or table",
          user_section, run_, to_string(target.domain), target.name));
    const float baseline = known.baseline == nullptr ? 0 : known.baseline->value(0);
    for (std::int64_t i = 0; i < values.rows(); ++i)
      values.value(i) = baseline + known.values->value(i);
  }

  const std::vector<OptionType>& models_;
  MakeRegistry make_registry_;
  std::string run_;
  double noise_ = 0.1;
};

}  // namespace

double finite_logit(double p) {
  p = std::clamp(p, 1e-30, 1 - 1e-6);
  return std::log(p) - std::log1p(-p);
}

void set_user_parameters(const TrainableModel& model, const ModelSetting& size,
                         const UserParameters& user, const std::string& section) {
  std::uint32_t number = 0;
  for (const TrainableModel::Layer& layer : model.layers()) {
    ++number;
    if (const auto signal = signal_of(layer.domain))
      throw ConfigError(fmt::format(
          "{} is {}, which reads {}, and simulated sessions have none; expected another model",
          section, model.type(), type_of(*signal).plural));
    if (layer.start_given) continue;
    // The last parameter of a layer has one entry per entry of the domain.
    const std::vector<Parameter*> parameters = layer.layer->parameters();
    if (parameters.empty() || parameters.back()->rows() != size.entries(layer.domain))
      throw ConfigError(fmt::format(
          "{}.{}: the layer does not have one logit per {}; expected embedding or table", section,
          layer.name, to_string(layer.domain)));
    for (Parameter* parameter : parameters) parameter->fill(0);
    Parameter& values = *parameters.back();
    const auto logit = [&](std::int64_t entry) {
      switch (layer.domain) {
        case Domain::rank_viewed:
        case Domain::rank_skipped:
        case Domain::dwell:        // refused above
        case Domain::alternative:  // equally likely
          break;
        case Domain::global:
          return finite_logit(user.global);
        case Domain::rank:
          return finite_logit(position_bias(static_cast<std::size_t>(entry), user.eta));
        case Domain::rank_pair: {
          const std::int64_t below = entry / (size.positions + 1) - entry % (size.positions + 1);
          const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(below, 0));
          return finite_logit(position_bias(skipped, user.eta));
        }
        case Domain::document:
        case Domain::document_rank:
          return user.document(number, layer.domain, entry);
      }
      return 0.;
    };
    for (std::int64_t i = 0; i < values.rows(); ++i) values.value(i) = static_cast<float>(logit(i));
  }
}

SimulatedUsers users_of_model(std::shared_ptr<const TrainableModel> model, std::uint64_t seed) {
  return [model = std::move(model), seed] {
    return SimulatedUser([model, sampler = std::make_shared<ClickSampler>(*model), seed](
                             SessionLog& sessions, std::uint64_t first) {
      sample_clicks(*sampler, seed, sessions, first);
    });
  };
}

OptionType click_model_user(const std::vector<OptionType>& models) {
  return {"click_model", "Users who follow a click model with given parameters.",
          [&models]() -> std::unique_ptr<Options> {
            return std::make_unique<ClickModelUserOptions>(models);
          }};
}

OptionType fitted_click_model_user(const std::vector<OptionType>& models,
                                   const MakeRegistry& make_registry) {
  return {"fitted_click_model", "Users who follow a click model trained in another run.",
          [&models, make_registry]() -> std::unique_ptr<Options> {
            return std::make_unique<FittedClickModelUserOptions>(models, make_registry);
          }};
}

}  // namespace ultr
