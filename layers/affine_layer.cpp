#include "layers/affine_layer.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "autograd/ops/activations.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "base/error.h"
#include "base/random.h"

namespace ultr {

const std::vector<std::string>& activation_names() {
  static const std::vector<std::string> names = {"relu", "elu", "tanh"};
  return names;
}

Activation activation_called(std::string_view name) {
  if (name == "relu") return Activation::relu;
  if (name == "elu") return Activation::elu;
  if (name == "tanh") return Activation::tanh;
  throw Error(fmt::format("no activation is called '{}'", name));
}

Tensor activate(Activation activation, Tensor x) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::elu:
      return elu(x);
    case Activation::tanh:
      return tanh(x);
    default:
      return x;
  }
}

GraphValue activate(Activation activation, GraphBuilder& build, GraphValue x) {
  switch (activation) {
    case Activation::relu:
      return build.relu(x);
    case Activation::elu:
      return build.elu(x);
    case Activation::tanh:
      return build.tanh(x);
    default:
      return x;
  }
}

Initialisation usual_initialisation(Activation activation) {
  return activation == Activation::relu || activation == Activation::elu ? Initialisation::he
                                                                         : Initialisation::glorot;
}

void draw_weights(DenseParameter& weights, Initialisation initialisation,
                  const LayerSetting& setting, std::uint64_t number) {
  const std::int64_t inputs = weights.rows(), outputs = weights.columns();
  const auto fan =
      static_cast<double>(initialisation == Initialisation::he ? inputs : inputs + outputs);
  const double spread = std::sqrt(2 / fan);
  RandomStream random(setting.seed, RandomPurpose::initialisation, setting.number, number);
  for (float& weight : weights.all_values()) weight = static_cast<float>(spread * random.normal());
}

AffineLayer::AffineLayer(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                         Initialisation initialisation, const LayerSetting& setting,
                         std::uint64_t number)
    : weights_(std::make_unique<DenseParameter>(name + ".weights", inputs, outputs)),
      bias_(std::make_unique<DenseParameter>(name + ".bias", outputs, 1)) {
  bias_->set_decays(false);
  draw_weights(*weights_, initialisation, setting, number);
}

Tensor AffineLayer::operator()(Tensor x) const {
  return affine(x, read_matrix(x.tape(), weights_->view()), read(x.tape(), bias_->view()));
}

Tensor AffineLayer::score(Tensor x) const {
  return matvec(x, read(x.tape(), weights_->view())) + read(x.tape(), bias_->view());
}

Tensor AffineLayer::frozen(Tensor x) const {
  return affine(x, stop_gradient(read_matrix(x.tape(), weights_->view())),
                stop_gradient(read(x.tape(), bias_->view())));
}

Tensor AffineLayer::frozen_score(Tensor x) const {
  return matvec(x, stop_gradient(read(x.tape(), weights_->view()))) +
         stop_gradient(read(x.tape(), bias_->view()));
}

GraphValue AffineLayer::graph(GraphBuilder& build, GraphValue x) const {
  return build.affine(x, *weights_, *bias_);
}

}  // namespace ultr
