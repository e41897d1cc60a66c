#include "losses/loss_variants.h"

#include <algorithm>
#include <stdexcept>

#include "models/model_fixture.h"

namespace ultr::testing {

std::vector<LossVariant> loss_variants() {
  std::vector<LossVariant> variants = {
      {"naive_pointwise", "naive", "{base: pointwise}"},
      {"naive_softmax", "naive", "{base: softmax}"},
      {"naive_pairwise", "naive", "{base: pairwise}"},
      {"naive_lambdarank", "naive", "{base: lambdarank, normalise: false}"},
      {"naive_lambdarank_normalised", "naive", "{base: lambdarank}"},
  };
  for (const ModelType& type : ranking_losses()) {
    const auto same = [&](const LossVariant& known) { return known.type == type.name; };
    if (std::none_of(variants.begin(), variants.end(), same))
      variants.push_back({type.name, type.name, "{}"});
  }
  return variants;
}

const ModelType& loss_type(const std::string& name) {
  for (const ModelType& type : ranking_losses())
    if (type.name == name) return type;
  throw std::runtime_error("no loss called " + name);
}

TrainableModel build_loss(const std::string& type, const ModelSetting& setting,
                          const std::string& options) {
  ModelOptions made(loss_type(type), registry().models());
  configure(made, options);
  return made.build(setting);
}

TrainableModel build_loss(const LossVariant& variant, const ModelSetting& setting) {
  return build_loss(variant.type, setting, variant.options);
}

}  // namespace ultr::testing
