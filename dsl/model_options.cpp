#include "dsl/model_options.h"

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "base/random.h"
#include "layers/logit_table.h"
#include "layers/position_encoding.h"
#include "options/config_tree.h"
#include "options/write.h"

namespace ultr {

/// A value that a function visits as a field.
template <class T>
struct ValueField : OptionsWithFiles {
  using Visit = std::function<void(Fields& f, T& value)>;
  ValueField(T default_value, Visit visits)
      : value(std::move(default_value)), visit(std::move(visits)) {}
  void fields(Fields& f) override { visit(f, value); }

  T value;
  Visit visit;
};

/// The name of a file; empty if the configuration gives none.
struct FileField final : ValueField<std::string> {
  using ValueField::ValueField;
  void locate_files(const FindFile& find) override {
    if (!value.empty()) value = find(value);
  }
};

/// The layer of a parameter.
struct ParameterField final : OptionsWithFiles {
  ParameterField(std::string its_name, Domain its_domain, std::string its_help,
                 const std::vector<OptionType>& layers)
      : name(std::move(its_name)),
        help(std::move(its_help)),
        domain(its_domain),
        layer(default_layer(its_domain, layers)) {}
  void fields(Fields& f) override { f.choice(name, layer, help); }
  void locate_files(const FindFile& find) override { layer.as<LayerOptions>().locate_files(find); }
  /// Returns true if the options were set to values that differ from those of `other`.
  bool is_set_otherwise_than(const ParameterField& other) const {
    const auto text = [](const Choice& choice) {
      return choice.type + "\n" + write_options(*choice.options);
    };
    const std::string own = text(layer);
    return own != text(other.layer) && own != text(default_layer(domain, *layer.types));
  }
  /// Returns the layer of a parameter whose configuration names none.
  static Choice default_layer(Domain domain, const std::vector<OptionType>& layers) {
    return {layers, is_of_documents(domain) ? "embedding" : "table"};
  }

  std::string name, help;
  Domain domain;
  Choice layer;
};

/// The component models of a model, and the names of the parameters that they share.
struct ComponentsField final : OptionsWithFiles {
  ComponentsField(std::string its_name, const std::vector<std::string>& default_types,
                  std::string its_help, const std::vector<OptionType>& all_types)
      : name(std::move(its_name)), help(std::move(its_help)), types(all_types) {
    for (const std::string& type : default_types) models.emplace_back(types, type);
  }
  void fields(Fields& f) override {
    f.choices(name, models, types, help);
    f.texts("share", shared,
            "Parameters that the models share, with the options of the first model that has them.");
  }
  void locate_files(const FindFile& find) override {
    for (const Choice& model : models) model.as<ModelOptions>().locate_files(find);
  }

  std::string name, help;
  const std::vector<OptionType>& types;
  std::vector<Choice> models;
  std::vector<std::string> shared;
};

/// Parameters that the components of a model have in common. The first component that has one
/// builds it.
struct SharedParameters {
  struct Built {
    LogitParameter parameter;
    std::string model;
    const ParameterField* field;
  };
  std::string prefix;       // begins their names
  SharedParameters* outer;  // those that the model itself shares with others; null if it is none
  std::map<std::string, std::optional<Built>> by_name{};
};

namespace {

/// Throws ConfigError if `model` gives a shared parameter another domain or other options than the
/// component that built it.
void expect_same(const SharedParameters::Built& built, const ParameterField& field,
                 const std::string& model) {
  if (built.field->domain != field.domain)
    throw ConfigError(fmt::format(
        "model: '{}' cannot be shared: it is one per {} in {} and one per {} in {}", field.name,
        to_string(built.field->domain), built.model, to_string(field.domain), model));
  if (field.is_set_otherwise_than(*built.field))
    throw ConfigError(fmt::format(
        "model: '{}' is shared, but its options differ between {} and {}; expected them with the "
        "first component that has it",
        field.name, built.model, model));
}

}  // namespace

/// Describes the options that a model's constructor declares, or builds what they chose: a model
/// makes the same declarations, in the same order, each time it is constructed.
class ModelOptions::Builder final : public ModelBuilder {
 public:
  /// Adds what the model declares to the options, with its defaults, and builds nothing.
  explicit Builder(ModelOptions& options) : options_(options), added_(&options.declared_) {}
  /// Appends the layers of the parameters to `layers`. `prefix` begins the names of the
  /// parameters; `shared` are those in common with other components, null if there are none.
  Builder(const ModelOptions& options, const ModelSetting& setting,
          std::vector<TrainableModel::Layer>& layers, std::string prefix = "",
          SharedParameters* shared = nullptr)
      : options_(options),
        setting_(&setting),
        layers_(&layers),
        prefix_(std::move(prefix)),
        shared_(shared) {}

  LogitParameter parameter(const std::string& name, Domain domain, const std::string& help,
                           ClickEffect effect) override {
    const auto& field = next<ParameterField>(name, domain, help, options_.layers_);
    if (setting_ == nullptr) return {};
    SharedParameters* shared = shared_;
    while (shared != nullptr && !shared->by_name.contains(name)) shared = shared->outer;
    if (shared == nullptr) return build(field, prefix_ + name, effect);
    auto& built = shared->by_name[name];
    const std::string& model = options_.type_.name;
    if (!built)
      built = {build(field, shared->prefix + name, effect), model, &field};
    else
      expect_same(*built, field, model);
    return built->parameter;
  }

  LogitParameter position_encoding(const std::string& name, const LogitParameter& of) override {
    if (setting_ == nullptr) return {};
    const auto layer =
        std::make_shared<PositionEncoding>(of.layer(), prefix_ + name, setting_->positions);
    layers_->push_back({prefix_ + name, Domain::document_rank, ClickEffect::none, true, layer});
    return {prefix_ + name, layer};
  }

  ShareParameter shares(const std::string& name, std::size_t count,
                        const std::string& help) override {
    const auto visit = [=](Fields& f, auto& value) { f.numbers(name, value, help, above(0)); };
    using Numbers = std::vector<double>;
    Numbers start = next<ValueField<Numbers>>(Numbers(), visit).value;
    if (setting_ == nullptr) return {};
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
    layers_->push_back({prefix_ + name, Domain::alternative, ClickEffect::raises, true, layer});
    return {prefix_ + name, layer, count};
  }

  double number(const std::string& name, double default_value, Limits limits,
                const std::string& help) override {
    const auto visit = [=](Fields& f, double& value) { f.number(name, value, help, limits); };
    return next<ValueField<double>>(default_value, visit).value;
  }

  bool boolean(const std::string& name, bool default_value, const std::string& help) override {
    const auto visit = [=](Fields& f, bool& value) { f.boolean(name, value, help); };
    return next<ValueField<bool>>(default_value, visit).value;
  }

  std::string word(const std::string& name, const std::string& default_value,
                   const std::vector<std::string>& words, const std::string& help) override {
    const auto visit = [=](Fields& f, std::string& value) { f.word(name, value, help, words); };
    return next<ValueField<std::string>>(default_value, visit).value;
  }

  std::string file(const std::string& name, const std::string& help) override {
    const auto visit = [=](Fields& f, std::string& value) { f.text(name, value, help); };
    return next<FileField>(std::string(), visit).value;
  }

  GivenPropensities propensities(bool required, const std::string& help) override {
    const auto& options = next<PropensityOptions>(required, help);
    return setting_ == nullptr ? GivenPropensities() : options.read(*setting_);
  }

  const ModelSetting* setting() const override { return setting_; }

  std::vector<std::unique_ptr<ClickModel>> components(const std::string& name,
                                                      const std::vector<std::string>& default_types,
                                                      const std::string& help) override {
    const auto& field = next<ComponentsField>(name, default_types, help, options_.models_);
    if (setting_ == nullptr) return {};
    if (field.models.empty())
      throw ConfigError(fmt::format("model: {} is empty; expected models", prefix_ + name));
    SharedParameters shared{prefix_, shared_};
    for (const std::string& parameter : field.shared) shared.by_name[parameter];
    std::vector<std::unique_ptr<ClickModel>> models;
    std::map<std::string, int> numbers;  // of components, by type
    for (const Choice& choice : field.models) {
      const auto& options = choice.as<ModelOptions>();
      const int number = ++numbers[choice.type];
      const std::string own = number == 1 ? choice.type : fmt::format("{}_{}", choice.type, number);
      const std::size_t first = layers_->size();
      Builder builder(options, *setting_, *layers_, prefix_ + own + ".", &shared);
      models.push_back(options.type_.make(builder));
      if (number > 1) start_apart(first);
    }
    for (const auto& [parameter, built] : shared.by_name)
      if (!built)
        throw ConfigError(fmt::format(
            "model: '{}' is shared, but no component has a parameter of that name", parameter));
    return models;
  }

 private:
  /// Returns the options of the next declaration, which are made of the arguments if the
  /// declarations are only described.
  template <class Field, class... Arguments>
  const Field& next(const Arguments&... arguments) {
    if (added_ != nullptr) added_->push_back(std::make_unique<Field>(arguments...));
    return dynamic_cast<const Field&>(*options_.declared_.at(next_++));
  }

  /// Shifts the starting values of layers, from number `first` on, of a component whose type
  /// another component has too: from equal starts, their gradients would be equal for ever.
  void start_apart(std::size_t first) {
    constexpr std::uint64_t no_entry = std::numeric_limits<std::uint64_t>::max() - 1;
    for (std::size_t i = first; i < layers_->size(); ++i) {
      if (const auto& layer = (*layers_)[i]; !layer.start_given) {
        RandomStream random(setting_->seed, RandomPurpose::initialisation,
                            static_cast<std::uint32_t>(i), no_entry);
        const double size = 0.25 + 0.5 * random.uniform();
        layer.layer->shift(static_cast<float>(random.uniform() < 0.5 ? -size : size));
      }
    }
  }

  LogitParameter build(const ParameterField& field, const std::string& name, ClickEffect effect) {
    const auto& options = field.layer.as<LayerOptions>();
    const double start = options.start.value_or(0.5);
    const std::shared_ptr<LogitLayer> layer = options.build(
        setting_->layer(name, field.domain, std::log(start) - std::log1p(-start), layers_->size()));
    layers_->push_back({name, field.domain, effect, options.start.has_value(), layer});
    return {name, layer};
  }

  const ModelOptions& options_;
  std::vector<std::unique_ptr<OptionsWithFiles>>* added_ = nullptr;  // null: builds
  const ModelSetting* setting_ = nullptr;                            // null: describes
  std::vector<TrainableModel::Layer>* layers_ = nullptr;
  std::string prefix_;
  SharedParameters* shared_ = nullptr;
  std::size_t next_ = 0;  // number of the next declaration
};

ModelOptions::ModelOptions(ModelType type, const std::vector<OptionType>& models,
                           const std::vector<OptionType>& layers)
    : type_(std::move(type)), models_(models), layers_(layers) {
  Builder describer(*this);
  type_.make(describer);
}

template <class Field>
std::vector<const Field*> ModelOptions::declared() const {
  std::vector<const Field*> all;
  for (const auto& options : declared_)
    if (const auto* field = dynamic_cast<const Field*>(options.get())) all.push_back(field);
  return all;
}

void ModelOptions::fields(Fields& f) {
  for (const auto& options : declared_) options->fields(f);
}

void ModelOptions::locate_files(const FindFile& find) {
  for (const auto& options : declared_) options->locate_files(find);
}

std::vector<std::string> ModelOptions::document_parameters() const {
  std::vector<std::string> names;
  for (const auto* field : declared<ParameterField>())
    if (is_of_documents(field->domain)) names.push_back(field->name);
  return names;
}

void ModelOptions::check() const {
  for (const auto* propensities : declared<PropensityOptions>()) propensities->check();
}

std::string ModelOptions::propensity_estimator() const {
  for (const auto* propensities : declared<PropensityOptions>())
    if (!propensities->estimator().empty()) return propensities->estimator();
  return {};
}

TrainableModel ModelOptions::build(const ModelSetting& setting) const {
  if (setting.features.rows() > 1 && setting.features.rows() != setting.rows)
    throw Error(fmt::format("model: features of {} pairs for a dictionary of {}",
                            setting.features.rows(), setting.rows));
  std::vector<TrainableModel::Layer> layers;
  Builder builder(*this, setting, layers);
  auto model = type_.make(builder);
  return {type_.name, std::move(model), std::move(layers), setting};
}

}  // namespace ultr
