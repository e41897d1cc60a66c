#include "models/model_options.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/core.h>

#include "layers/weighted_representation.h"
#include "metrics/position_bias.h"
#include "options/config_tree.h"
#include "options/write.h"

namespace ultr {

namespace {

/// Returns the layer of a parameter whose configuration names none.
Choice default_layer(Domain domain, const std::vector<OptionType>& layers) {
  return {layers, is_of_documents(domain) ? "embedding" : "table"};
}

}  // namespace

const std::vector<std::string>& propensity_estimators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const BiasMethod& method : bias_methods()) all.emplace_back(method.name);
    all.emplace_back(regression_em_name);
    return all;
  }();
  return names;
}

RowPart ModelSetting::part() const {
  return ranks == nullptr ? RowPart() : RowPart{ranks->rank(), ranks->size()};
}

std::int64_t ModelSetting::entries(Domain domain) const {
  switch (domain) {
    case Domain::rank:
      return positions;
    case Domain::rank_pair:
      return positions * (positions + 1);
    case Domain::document:
      return part().held(rows);
    case Domain::document_rank:
      return part().held(rows) * positions;
    default:
      return 1;
  }
}

std::int64_t ModelSetting::feature_columns(Domain domain) const {
  if (domain == Domain::rank) return entries(domain) + features.bias_count();
  if (!is_of_documents(domain)) return entries(domain);
  if (features.empty()) return 0;
  return features.relevance_count() + (domain == Domain::document_rank ? positions : 0);
}

TrainableModel::TrainableModel(std::string type, std::shared_ptr<const ClickModel> model,
                               std::vector<Layer> layers, const ModelSetting& setting)
    : type_(std::move(type)),
      model_(std::move(model)),
      layers_(std::move(layers)),
      setting_(setting) {}

std::vector<Parameter*> TrainableModel::parameters() const {
  std::vector<Parameter*> all;
  for (const Layer& layer : layers_)
    for (Parameter* parameter : layer.layer->parameters()) all.push_back(parameter);
  return all;
}

std::vector<TrainableModel> TrainableModel::stages() const {
  std::vector<TrainableModel> stages;
  std::vector<Layer> left = layers_;
  for (const TrainingStage& stage : model_->stages()) {
    for (const std::string& name : stage.parameters)
      if (std::none_of(left.begin(), left.end(), [&](const Layer& l) { return l.name == name; }))
        throw Error(
            fmt::format("{}: stage {} is to train '{}', which is no parameter of it or is "
                        "trained before",
                        type_, stage.name, name));
    const auto is_changed = [&](const Layer& layer) {
      return std::find(stage.parameters.begin(), stage.parameters.end(), layer.name) !=
             stage.parameters.end();
    };
    std::vector<Layer> changed;
    std::copy_if(layers_.begin(), layers_.end(), std::back_inserter(changed), is_changed);
    std::erase_if(left, is_changed);
    // A stage's story may refer to the model's story, so it keeps the model's story alive.
    const auto both = std::make_shared<
        std::pair<std::shared_ptr<const ClickModel>, std::shared_ptr<const ClickModel>>>(
        model_, stage.story);
    stages.emplace_back(type_ + "." + stage.name,
                        std::shared_ptr<const ClickModel>(both, both->second.get()),
                        std::move(changed), setting_);
  }
  stages.emplace_back(type_, model_, std::move(left), setting_);
  for (TrainableModel& stage : stages)
    for (const Layer& layer : layers_)
      if (std::none_of(stage.layers_.begin(), stage.layers_.end(),
                       [&](const Layer& own) { return own.layer == layer.layer; }))
        stage.other_layers_.push_back(layer);
  return stages;
}

/// Records what a model declares, without building anything.
class ModelOptions::Describer final : public ModelBuilder {
 public:
  explicit Describer(ModelOptions& options) : options_(options) {}

  LogitParameter parameter(const std::string& name, Domain domain, const std::string& help,
                           ClickEffect effect) override {
    options_.declared_.push_back(
        {name, help, DeclaredParameter{domain, effect, default_layer(domain, options_.layers_)}});
    return {};
  }

  LogitParameter weighted_representation(const std::string&, Domain,
                                         const LogitParameter&) override {
    return {};
  }

  ShareParameter shares(const std::string& name, std::size_t, const std::string& help) override {
    options_.declared_.push_back({name, help, DeclaredShares{}});
    return {};
  }

  double number(const std::string& name, double default_value, Limits limits,
                const std::string& help) override {
    options_.declared_.push_back({name, help, DeclaredNumber{default_value, limits}});
    return default_value;
  }

  bool boolean(const std::string& name, bool default_value, const std::string& help) override {
    options_.declared_.push_back({name, help, DeclaredBoolean{default_value}});
    return default_value;
  }

  std::string word(const std::string& name, const std::string& default_value,
                   const std::vector<std::string>& words, const std::string& help) override {
    options_.declared_.push_back({name, help, DeclaredWord{default_value, words}});
    return default_value;
  }

  std::string file(const std::string& name, const std::string& help) override {
    options_.declared_.push_back({name, help, DeclaredFile{}});
    return {};
  }

  GivenPropensities propensities(bool required, const std::string& help) override {
    options_.declared_.push_back(
        {"propensities", help, DeclaredPropensities{.required = required, .file = {}}});
    return {};
  }

  const ModelSetting* setting() const override { return nullptr; }

  std::vector<std::unique_ptr<ClickModel>> components(const std::string& name,
                                                      const std::vector<std::string>& types,
                                                      const std::string& help) override {
    DeclaredComponents components;
    for (const std::string& type : types) components.models.emplace_back(options_.models_, type);
    options_.declared_.push_back({name, help, std::move(components)});
    return {};
  }

 private:
  ModelOptions& options_;
};

/// Builds what the options chose, in the order of declaration.
class ModelOptions::Maker final : public ModelBuilder {
 public:
  Maker(const ModelOptions& options, const ModelSetting& setting,
        std::vector<TrainableModel::Layer>& layers)
      : Maker(options, setting, layers, "", nullptr) {}

  LogitParameter parameter(const std::string& name, Domain domain, const std::string&,
                           ClickEffect effect) override {
    const auto& declared = next<DeclaredParameter>();
    Sharing* sharing = sharing_;
    while (sharing != nullptr && !sharing->names.contains(name)) sharing = sharing->outer;
    if (sharing == nullptr) return build(declared, prefix_ + name, domain, effect);
    const auto known = sharing->built.find(name);
    if (known == sharing->built.end()) {
      LogitParameter built = build(declared, sharing->prefix + name, domain, effect);
      sharing->built.emplace(name,
                             Sharing::Built{built, domain, options_.type_.name, &declared.layer});
      return built;
    }
    const Sharing::Built& built = known->second;
    if (built.domain != domain)
      throw ConfigError(fmt::format(
          "model: '{}' cannot be shared: it is one per {} in {} and one per {} in {}", name,
          to_string(built.domain), built.model, to_string(domain), options_.type_.name));
    if (differ(*built.layer, declared))
      throw ConfigError(fmt::format(
          "model: '{}' is shared, but its options differ between {} and {}; expected them with the "
          "first component that has it",
          name, built.model, options_.type_.name));
    return built.parameter;
  }

  LogitParameter weighted_representation(const std::string& name, Domain domain,
                                         const LogitParameter& of) override {
    const auto layer = std::make_shared<WeightedRepresentation>(
        of.layer(), LayerSetting{.name = prefix_ + name,
                                 .domain = domain,
                                 .seed = setting_.seed,
                                 .number = static_cast<std::uint32_t>(layers_.size())});
    layers_.push_back({prefix_ + name, domain, ClickEffect::none, true, layer});
    return {prefix_ + name, layer};
  }

  ShareParameter shares(const std::string& name, std::size_t count, const std::string&) override {
    std::vector<double> start = next<DeclaredShares>().start;
    if (start.empty()) start.assign(count, 1.0);
    if (start.size() != count)
      throw ConfigError(fmt::format("model: {} has {} numbers; expected one for each of {}",
                                    prefix_ + name, start.size(), count));
    const double sum = std::accumulate(start.begin(), start.end(), 0.0);
    const auto layer =
        std::make_shared<LogitTable>(LayerSetting{.name = prefix_ + name,
                                                  .domain = Domain::alternative,
                                                  .entries = static_cast<std::int64_t>(count)});
    std::vector<float> logits;
    for (const double share : start) logits.push_back(static_cast<float>(std::log(share / sum)));
    layer->parameters().front()->assign(logits);
    layers_.push_back({prefix_ + name, Domain::alternative, ClickEffect::raises, true, layer});
    return {prefix_ + name, layer, count};
  }

  double number(const std::string&, double, Limits, const std::string&) override {
    return next<DeclaredNumber>().value;
  }

  bool boolean(const std::string&, bool, const std::string&) override {
    return next<DeclaredBoolean>().value;
  }

  std::string word(const std::string&, const std::string&, const std::vector<std::string>&,
                   const std::string&) override {
    return next<DeclaredWord>().value;
  }

  std::string file(const std::string&, const std::string&) override {
    return next<DeclaredFile>().name;
  }

  GivenPropensities propensities(bool, const std::string&) override {
    const auto& declared = next<DeclaredPropensities>();
    declared.check();
    if (declared.estimator == no_estimator) {
      if (declared.file.empty()) return {};
      return {.source = declared.file, .values = read_propensities(declared.file)};
    }
    if (setting_.estimated_propensities.empty())
      throw Error("model: built with an estimator of propensities, but without its estimate");
    return {
        .source = declared.estimator, .estimated = true, .values = setting_.estimated_propensities};
  }

  const ModelSetting* setting() const override { return &setting_; }

  std::vector<std::unique_ptr<ClickModel>> components(const std::string& name,
                                                      const std::vector<std::string>&,
                                                      const std::string&) override {
    const auto& declared = next<DeclaredComponents>();
    if (declared.models.empty())
      throw ConfigError(fmt::format("model: {} is empty; expected models", prefix_ + name));
    Sharing sharing{.names = {declared.shared.begin(), declared.shared.end()},
                    .prefix = prefix_,
                    .outer = sharing_};
    std::vector<std::unique_ptr<ClickModel>> models;
    std::map<std::string, int> numbers;  // of components, by type
    for (const Choice& choice : declared.models) {
      const auto& options = choice.as<ModelOptions>();
      const int number = ++numbers[choice.type];
      const std::string own = number == 1 ? choice.type : fmt::format("{}_{}", choice.type, number);
      Maker maker(options, setting_, layers_, prefix_ + own + ".", &sharing);
      models.push_back(options.type_.make(maker));
    }
    for (const std::string& shared : sharing.names)
      if (!sharing.built.contains(shared))
        throw ConfigError(fmt::format(
            "model: '{}' is shared, but no component has a parameter of that name", shared));
    return models;
  }

 private:
  /// Parameters that the components of a model have in common.
  struct Sharing {
    struct Built {
      LogitParameter parameter;
      Domain domain;
      std::string model;
      const Choice* layer;
    };
    std::set<std::string> names;
    std::string prefix;
    Sharing* outer = nullptr;
    std::map<std::string, Built> built = {};
  };

  Maker(const ModelOptions& options, const ModelSetting& setting,
        std::vector<TrainableModel::Layer>& layers, std::string prefix, Sharing* sharing)
      : options_(options),
        setting_(setting),
        layers_(layers),
        prefix_(std::move(prefix)),
        sharing_(sharing) {}

  template <class Kind>
  const Kind& next() {
    return std::get<Kind>(options_.declared_[next_++].what);
  }

  LogitParameter build(const DeclaredParameter& declared, const std::string& name, Domain domain,
                       ClickEffect effect) {
    const auto& options = declared.layer.as<LayerOptions>();
    const double start = options.start.value_or(0.5);
    const std::shared_ptr<LogitLayer> layer =
        options.build({.name = name,
                       .domain = domain,
                       .entries = setting_.entries(domain),
                       .part = is_of_documents(domain) ? setting_.part() : RowPart(),
                       .entries_per_pair = domain == Domain::document_rank ? setting_.positions : 1,
                       .features = setting_.feature_columns(domain),
                       .unknown = unknown(domain),
                       .start = std::log(start) - std::log1p(-start),
                       .seed = setting_.seed,
                       .number = static_cast<std::uint32_t>(layers_.size())});
    layers_.push_back({name, domain, effect, options.start.has_value(), layer});
    return {name, layer};
  }

  /// True if the options of `later` were set to other values than those of `first`.
  bool differ(const Choice& first, const DeclaredParameter& later) const {
    const auto text = [](const Choice& choice) {
      return choice.type + "\n" + write_options(*choice.options);
    };
    const std::string set = text(later.layer);
    return set != text(first) && set != text(default_layer(later.domain, options_.layers_));
  }

  /// Returns the number of entries of the unknown pair, which come first.
  std::int64_t unknown(Domain domain) const {
    return domain == Domain::document        ? 1
           : domain == Domain::document_rank ? setting_.positions
                                             : 0;
  }

  const ModelOptions& options_;
  const ModelSetting& setting_;
  std::vector<TrainableModel::Layer>& layers_;
  std::string prefix_;  // of the names of this model's parameters
  Sharing* sharing_;
  std::size_t next_ = 0;  // index into declared_
};

ModelOptions::ModelOptions(ModelType type, const std::vector<OptionType>& models,
                           const std::vector<OptionType>& layers)
    : type_(std::move(type)), models_(models), layers_(layers) {
  Describer describer(*this);
  type_.make(describer);
}

void ModelOptions::locate_files(const std::function<std::string(const std::string& file)>& find) {
  for (Declared& declared : declared_) {
    if (auto* file = std::get_if<DeclaredFile>(&declared.what)) {
      if (!file->name.empty()) file->name = find(file->name);
    } else if (auto* propensities = std::get_if<DeclaredPropensities>(&declared.what)) {
      if (!propensities->file.empty()) propensities->file = find(propensities->file);
    } else if (auto* components = std::get_if<DeclaredComponents>(&declared.what)) {
      for (const Choice& model : components->models) model.as<ModelOptions>().locate_files(find);
    }
  }
}

void ModelOptions::fields(Fields& f) {
  for (Declared& declared : declared_) {
    const std::string &name = declared.name, &help = declared.help;
    if (auto* parameter = std::get_if<DeclaredParameter>(&declared.what)) {
      f.choice(name, parameter->layer, help);
    } else if (auto* number = std::get_if<DeclaredNumber>(&declared.what)) {
      f.number(name, number->value, help, number->limits);
    } else if (auto* boolean = std::get_if<DeclaredBoolean>(&declared.what)) {
      f.boolean(name, boolean->value, help);
    } else if (auto* word = std::get_if<DeclaredWord>(&declared.what)) {
      f.word(name, word->value, help, word->words);
    } else if (auto* file = std::get_if<DeclaredFile>(&declared.what)) {
      f.text(name, file->name, help);
    } else if (auto* propensities = std::get_if<DeclaredPropensities>(&declared.what)) {
      std::vector<std::string> estimators = propensity_estimators();
      estimators.emplace_back(no_estimator);
      f.text(name, propensities->file, help);
      f.word("estimator", propensities->estimator,
             "Estimator to run on the training sessions instead of a file (see ultr-run "
             "estimate-bias).",
             estimators);
    } else if (auto* shares = std::get_if<DeclaredShares>(&declared.what)) {
      f.numbers(name, shares->start, help, above(0));
    } else {
      auto& components = std::get<DeclaredComponents>(declared.what);
      f.choices(name, components.models, models_, help);
      f.texts("share", components.shared,
              "Parameters that the models share, with the options of the first model that has "
              "them.");
    }
  }
}

std::vector<std::string> ModelOptions::document_parameters() const {
  std::vector<std::string> names;
  for (const Declared& declared : declared_)
    if (const auto* parameter = std::get_if<DeclaredParameter>(&declared.what))
      if (is_of_documents(parameter->domain)) names.push_back(declared.name);
  return names;
}

void ModelOptions::DeclaredPropensities::check() const {
  if (estimator != no_estimator && !file.empty())
    throw ConfigError(
        fmt::format("loss: propensities are given by {} and estimator is {}; expected one of them",
                    file, estimator));
  if (required && estimator == no_estimator && file.empty())
    throw ConfigError(
        "loss: propensities is missing; expected a CSV file of propensities, or an estimator");
}

void ModelOptions::check() const {
  for (const Declared& declared : declared_)
    if (const auto* propensities = std::get_if<DeclaredPropensities>(&declared.what))
      propensities->check();
}

std::string ModelOptions::propensity_estimator() const {
  for (const Declared& declared : declared_)
    if (const auto* propensities = std::get_if<DeclaredPropensities>(&declared.what))
      if (propensities->estimator != no_estimator) return propensities->estimator;
  return {};
}

TrainableModel ModelOptions::build(const ModelSetting& setting) const {
  if (setting.features.rows() > 1 && setting.features.rows() != setting.rows)
    throw Error(fmt::format("model: features of {} pairs for a dictionary of {}",
                            setting.features.rows(), setting.rows));
  std::vector<TrainableModel::Layer> layers;
  Maker maker(*this, setting, layers);
  auto model = type_.make(maker);
  return {type_.name, std::move(model), std::move(layers), setting};
}

}  // namespace ultr
