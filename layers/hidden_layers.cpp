#include "layers/hidden_layers.h"

#include <fmt/core.h>

#include "autograd/ops/dropout.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// Maximum number of hidden layers of a tower. Each parameter reserves this many dropout salts, so
/// that all layers of all parameters draw different random numbers.
constexpr std::size_t most_layers = 64;

}  // namespace

void HiddenLayerOptions::fields(Fields& f) {
  f.integers("widths", widths, "Number of outputs of each hidden layer.", between(1, 65536));
  f.word("activation", activation, "Activation function after each hidden layer.",
         activation_names());
  f.word(
      "initialisation", initialisation,
      "Variance of initial weights: he (2 / inputs) or glorot (2 / (inputs + outputs)); usual: he "
      "for relu and elu, glorot for tanh.",
      {"usual", "he", "glorot"});
  f.numbers("dropout", dropout,
            "Share of each layer's outputs that training sets to 0: one per layer, or one for all.",
            {.low = 0, .high = 1, .high_open = true});
}

void HiddenLayerOptions::check(const std::string& parameter) const {
  if (widths.empty() || widths.size() > most_layers)
    throw ConfigError(
        fmt::format("{}: widths has {} numbers; expected 1 to {}, one per hidden layer", parameter,
                    widths.size(), most_layers));
  if (dropout.size() != 1 && dropout.size() != widths.size())
    throw ConfigError(
        fmt::format("{}: dropout has {} numbers; expected one, or one for each of {} hidden layers",
                    parameter, dropout.size(), widths.size()));
}

HiddenLayers::HiddenLayers(const HiddenLayerOptions& options, std::int64_t inputs,
                           const LayerSetting& setting, std::uint64_t first_number)
    : activation_(activation_called(options.activation)),
      dropout_(options.dropout),
      salt_(setting.number * static_cast<std::uint32_t>(most_layers)) {
  if (dropout_.size() == 1) dropout_.resize(options.widths.size(), dropout_.front());
  const Initialisation initialisation = options.initialisation == "he" ? Initialisation::he
                                        : options.initialisation == "glorot"
                                            ? Initialisation::glorot
                                            : usual_initialisation(activation_);
  for (const std::int64_t width : options.widths) {
    layers_.emplace_back(fmt::format("{}.hidden_{}", setting.name, layers_.size() + 1), inputs,
                         width, initialisation, setting, first_number + layers_.size());
    inputs = width;
  }
}

Tensor HiddenLayers::operator()(Tensor x, const Inputs& inputs) const {
  const auto noise = inputs.noise();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = activate(activation_, layers_[i](x));
    if (noise && dropout_[i] > 0)
      x = dropout(x, dropout_[i], *noise, salt_ + static_cast<std::uint32_t>(i));
  }
  return x;
}

Tensor HiddenLayers::frozen(Tensor x, Tensor shift) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i].frozen(x);
    x = activate(activation_, i == 0 ? x + shift : x);
  }
  return x;
}

GraphValue HiddenLayers::graph(GraphBuilder& build, GraphValue x) const {
  for (const AffineLayer& layer : layers_) x = activate(activation_, build, layer.graph(build, x));
  return x;
}

}  // namespace ultr
