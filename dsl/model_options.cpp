#include "dsl/model_options.h"

#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "dsl/shared_parameters.h"
#include "layers/logit_table.h"
#include "layers/weighted_representation.h"
#include "options/config_tree.h"

namespace ultr {

/// Builds what the options chose, in the order of declaration.
class ModelOptions::Maker final : public ModelBuilder {
 public:
  /// Appends the layers of the parameters to `layers`. `prefix` begins the names of the
  /// parameters; `shared` are those in common with other components, null if there are none.
  Maker(const ModelOptions& options, const ModelSetting& setting,
        std::vector<TrainableModel::Layer>& layers, std::string prefix = "",
        SharedParameters* shared = nullptr)
      : options_(options),
        setting_(setting),
        layers_(layers),
        prefix_(std::move(prefix)),
        shared_(shared) {}

  LogitParameter parameter(const std::string& name, Domain, const std::string&,
                           ClickEffect effect) override {
    const auto& field = next<ParameterField>();
    SharedParameters* const shared = shared_ == nullptr ? nullptr : shared_->that_have(name);
    if (shared == nullptr) return build(field, prefix_ + name, effect);
    return shared->get(field, options_.type_.name, [&](const std::string& whole_name) {
      return build(field, whole_name, effect);
    });
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
    std::vector<double> start = next<ValueField<std::vector<double>>>().value;
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
    return next<ValueField<double>>().value;
  }

  bool boolean(const std::string&, bool, const std::string&) override {
    return next<ValueField<bool>>().value;
  }

  std::string word(const std::string&, const std::string&, const std::vector<std::string>&,
                   const std::string&) override {
    return next<ValueField<std::string>>().value;
  }

  std::string file(const std::string&, const std::string&) override {
    return next<FileField>().file;
  }

  GivenPropensities propensities(bool, const std::string&) override {
    return next<PropensityOptions>().read(setting_);
  }

  const ModelSetting* setting() const override { return &setting_; }

  std::vector<std::unique_ptr<ClickModel>> components(const std::string& name,
                                                      const std::vector<std::string>&,
                                                      const std::string&) override {
    const auto& field = next<ComponentsField>();
    if (field.models.empty())
      throw ConfigError(fmt::format("model: {} is empty; expected models", prefix_ + name));
    SharedParameters shared(field.shared, prefix_, shared_);
    std::vector<std::unique_ptr<ClickModel>> models;
    std::map<std::string, int> numbers;  // of components, by type
    for (const Choice& choice : field.models) {
      const auto& options = choice.as<ModelOptions>();
      const int number = ++numbers[choice.type];
      const std::string own = number == 1 ? choice.type : fmt::format("{}_{}", choice.type, number);
      Maker maker(options, setting_, layers_, prefix_ + own + ".", &shared);
      models.push_back(options.type_.make(maker));
    }
    shared.expect_all_built();
    return models;
  }

 private:
  template <class Field>
  const Field& next() {
    return dynamic_cast<const Field&>(*options_.declared_.at(next_++));
  }

  LogitParameter build(const ParameterField& field, const std::string& name, ClickEffect effect) {
    const auto& options = field.layer.as<LayerOptions>();
    const double start = options.start.value_or(0.5);
    const std::shared_ptr<LogitLayer> layer = options.build(
        setting_.layer(name, field.domain, std::log(start) - std::log1p(-start), layers_.size()));
    layers_.push_back({name, field.domain, effect, options.start.has_value(), layer});
    return {name, layer};
  }

  const ModelOptions& options_;
  const ModelSetting& setting_;
  std::vector<TrainableModel::Layer>& layers_;
  std::string prefix_;
  SharedParameters* shared_;
  std::size_t next_ = 0;  // number of the next declaration
};

namespace {

/// Returns those of the options that are of a type.
template <class Type>
std::vector<const Type*> all_of(const std::vector<std::unique_ptr<OptionsWithFiles>>& declared) {
  std::vector<const Type*> all;
  for (const auto& options : declared)
    if (const auto* typed = dynamic_cast<const Type*>(options.get())) all.push_back(typed);
  return all;
}

}  // namespace

ModelOptions::ModelOptions(ModelType type, const std::vector<OptionType>& models,
                           const std::vector<OptionType>& layers)
    : type_(std::move(type)), declared_(declared_options(type_, models, layers)) {}

void ModelOptions::fields(Fields& f) {
  for (const auto& options : declared_) options->fields(f);
}

void ModelOptions::locate_files(const FindFile& find) {
  for (const auto& options : declared_) options->locate_files(find);
}

std::vector<std::string> ModelOptions::document_parameters() const {
  std::vector<std::string> names;
  for (const auto* field : all_of<ParameterField>(declared_))
    if (is_of_documents(field->domain)) names.push_back(field->name);
  return names;
}

void ModelOptions::check() const {
  for (const auto* propensities : all_of<PropensityOptions>(declared_)) propensities->check();
}

std::string ModelOptions::propensity_estimator() const {
  for (const auto* propensities : all_of<PropensityOptions>(declared_))
    if (!propensities->estimator().empty()) return propensities->estimator();
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
