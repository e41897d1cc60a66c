#include "models/model_options.h"

#include <cmath>

namespace ultr {

namespace {

/// Whether entries of a domain are those of query-document pairs.
bool has_rows(Domain domain) {
  return domain == Domain::document || domain == Domain::document_rank;
}

}  // namespace

std::int64_t ModelSetting::entries(Domain domain) const {
  switch (domain) {
    case Domain::rank:
      return positions;
    case Domain::rank_pair:
      return positions * (positions + 1);
    case Domain::document:
      return rows;
    case Domain::document_rank:
      return rows * positions;
    default:
      return 1;
  }
}

TrainableModel::TrainableModel(std::string type, std::unique_ptr<ClickModel> model,
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

/// Notes what a model declares; nothing is built.
class ModelOptions::Describer final : public ModelBuilder {
 public:
  Describer(std::vector<Declared>& declared, const std::vector<OptionType>& layers)
      : declared_(declared), layers_(layers) {}

  LogitParameter parameter(const std::string& name, Domain domain, const std::string& help,
                           ClickEffect effect) override {
    const char* layer = has_rows(domain) ? "embedding" : "table";
    declared_.push_back({name, domain, help, effect, Choice(layers_, layer)});
    return {};
  }

 private:
  std::vector<Declared>& declared_;
  const std::vector<OptionType>& layers_;
};

/// Builds the layers that the options chose, in the order of declaration.
class ModelOptions::Maker final : public ModelBuilder {
 public:
  Maker(const std::vector<Declared>& declared, const ModelSetting& setting)
      : declared_(declared), setting_(setting) {}

  LogitParameter parameter(const std::string& name, Domain domain, const std::string&,
                           ClickEffect effect) override {
    const auto& options = declared_[layers_.size()].layer.as<LayerOptions>();
    const double start = options.start.value_or(0.5);
    const LayerSetting setting{.name = name,
                               .domain = domain,
                               .entries = setting_.entries(domain),
                               .unknown = unknown(domain),
                               .start = std::log(start) - std::log1p(-start),
                               .seed = setting_.seed,
                               .number = static_cast<std::uint32_t>(layers_.size())};
    const std::shared_ptr<LogitLayer> layer = options.build(setting);
    layers_.push_back({name, domain, effect, options.start.has_value(), layer});
    return {name, layer};
  }

  std::vector<TrainableModel::Layer> take_layers() { return std::move(layers_); }

 private:
  /// Entries of the unknown pair, which come first.
  std::int64_t unknown(Domain domain) const {
    return domain == Domain::document        ? 1
           : domain == Domain::document_rank ? setting_.positions
                                             : 0;
  }

  const std::vector<Declared>& declared_;
  const ModelSetting& setting_;
  std::vector<TrainableModel::Layer> layers_;
};

ModelOptions::ModelOptions(ModelType type, const std::vector<OptionType>& layers)
    : type_(std::move(type)) {
  Describer describer(parameters_, layers);
  type_.make(describer);
}

void ModelOptions::fields(Fields& f) {
  for (Declared& declared : parameters_) f.choice(declared.name, declared.layer, declared.help);
}

std::vector<std::string> ModelOptions::document_parameters() const {
  std::vector<std::string> names;
  for (const Declared& declared : parameters_)
    if (has_rows(declared.domain)) names.push_back(declared.name);
  return names;
}

TrainableModel ModelOptions::build(const ModelSetting& setting) const {
  Maker maker(parameters_, setting);
  auto model = type_.make(maker);
  return {type_.name, std::move(model), maker.take_layers(), setting};
}

}  // namespace ultr
