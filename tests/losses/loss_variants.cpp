#include "losses/loss_variants.h"

#include <algorithm>
#include <stdexcept>

#include "data/formats/propensities.h"
#include "models/model_fixture.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

std::vector<LossVariant> loss_variants() {
  std::vector<LossVariant> variants = {
      {"naive_pointwise", "naive", "{base: pointwise}"},
      {"naive_softmax", "naive", "{base: softmax}"},
      {"naive_pairwise", "naive", "{base: pairwise}"},
      {"naive_lambdarank", "naive", "{base: lambdarank, normalise: false}"},
      {"naive_lambdarank_normalised", "naive", "{base: lambdarank}"},
      {"two_tower", "two_tower", "{}"},
      {"two_tower_multiplicative", "two_tower", "{combination: multiplicative}"},
      {"two_tower_dropout", "two_tower", "{bias_dropout: 0.3}"},
      {"two_tower_multiplicative_adversary", "two_tower",
       "{combination: multiplicative, bias_dropout: 0.3, gradient_reversal: 2}"},
      {"two_tower_reversal", "two_tower", "{gradient_reversal: 0.5}"},
      {"backdoor", "backdoor", "{}"},
      {"backdoor_dla", "backdoor", "{estimate: dla}"},
      {"backdoor_propensity", "backdoor", "{target: propensity}"},
      {"backdoor_softmax", "backdoor", "{base: softmax}"},
      {"backdoor_lambdarank", "backdoor", "{base: lambdarank}"},
      {"pbm", "pbm", "{}"},
      {"pbm_fixed", "pbm", "{propensities: PROPENSITIES}"},
      {"ips_pointwise", "ips", "{base: pointwise, propensities: PROPENSITIES}"},
      {"ips_softmax", "ips", "{base: softmax, propensities: PROPENSITIES, normalise: false}"},
      {"ips_softmax_before", "ips",
       "{base: softmax, propensities: PROPENSITIES, weighting: before_normalisation}"},
      {"ips_policy_aware", "ips", "{propensities: PROPENSITIES, policy_aware: true}"},
      {"ips_self_normalised", "ips",
       "{base: pointwise, propensities: PROPENSITIES, policy_aware: true, self_normalise: true}"},
      {"affine", "affine", "{}"},
      {"affine_given", "affine", "{bias: BIAS}"},
      {"affine_softmax", "affine", "{base: softmax, policy_aware: true}"},
      {"affine_policy_aware", "affine", "{bias: BIAS, policy_aware: true, clip: 0}"},
      {"doubly_robust", "doubly_robust", "{policy_aware: true}"},
      {"doubly_robust_given", "doubly_robust", "{bias: BIAS, base: softmax, clip: 0.4}"},
      {"logging_policy_weights", "logging_policy_weights", "{}"},
      {"logging_policy_weights_pbm", "logging_policy_weights", "{base: pbm}"},
      {"logging_policy_weights_pointwise", "logging_policy_weights", "{base: pointwise}"},
      {"pairwise_debias", "pairwise_debias", "{}"},
      {"pairwise_debias_plain", "pairwise_debias", "{base: pairwise, penalty: 0.5}"},
      {"pairwise_debias_unweighted_ratios", "pairwise_debias",
       "{ratio_pairs: unweighted, max_weight: 1.5}"},
      {"pairwise_debias_unnormalised", "pairwise_debias", "{normalise: false}"},
      {"pairwise_debias_multiplied_gains", "pairwise_debias", "{ratio_use: multiply_gains}"},
      {"distill", "distill", "{}"},
      {"distill_warm", "distill", "{temperature: 2.5}"},
      {"distill_squared", "distill", "{base: squared}"},
      {"distill_margins", "distill", "{base: margins}"},
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

std::vector<double> test_propensities() { return {1, 0.75, 0.5, 0.25, 0.125, 0.0625}; }

std::string test_bias() {
  return "position,alpha,beta\n1,0.35,0.65\n2,0.5,0.25\n3,0.5,0.15\n4,0.25,0\n5,0.2,0.05\n"
         "6,0.1,0.05\n";
}

TrainableModel build_loss(const std::string& type, const ModelSetting& setting,
                          const std::string& options) {
  ModelOptions made(loss_type(type), registry().models());
  configure(made, options);
  return made.build(setting);
}

TrainableModel build_loss(const LossVariant& variant, const ModelSetting& setting) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "propensities.csv";
  write_propensities(file, "examination", test_propensities());
  const auto bias = folder.write("bias.csv", test_bias());
  std::string options = variant.options;
  for (const auto& [placeholder, path] :
       {std::pair<std::string, std::string>("PROPENSITIES", file.string()), {"BIAS", bias}})
    if (const auto at = options.find(placeholder); at != std::string::npos)
      options.replace(at, placeholder.size(), path);
  return build_loss(variant.type, setting, options);
}

}  // namespace ultr::testing
