#include "models/mixture.h"

#include <algorithm>

#include "autograd/arithmetic.h"

namespace ultr {

MixtureModel::MixtureModel(ModelBuilder& build, const std::vector<std::string>& default_components)
    : components_(build.components("components", default_components,
                                   "The component models: type names, or sections with a type.")),
      prior_(build.shares("prior", components_.size(),
                          "Share of sessions per component at the start of training; empty: "
                          "equal shares.")),
      temperature_(build.number("temperature", 1, above(0),
                                "Divides the components' log-likelihoods in training, τ.")) {}

Chain MixtureModel::chain(const Session& s) const {
  std::vector<Chain> chains;
  for (const auto& component : components_) chains.push_back(component->chain(s));
  return mixture(prior_(s), std::move(chains));
}

Prob MixtureModel::relevance(const Session& s) const {
  const std::vector<Prob> prior = prior_(s);
  Prob sum = s.never();
  for (std::size_t m = 0; m < components_.size(); ++m)
    sum = sum + prior[m] * components_[m]->relevance(s);
  return sum;
}

std::optional<Tensor> MixtureModel::objective(const Session& s, Impossible rule) const {
  const std::vector<Prob> prior = prior_(s);
  Prob sum = s.never();
  for (std::size_t m = 0; m < components_.size(); ++m) {
    const Tensor log_likelihood = session_objective(*components_[m], s, rule);
    sum = sum + prior[m] * s.probabilities().from_log(log_likelihood / temperature_);
  }
  return sum.log();
}

bool MixtureModel::maximises_likelihood() const {
  return temperature_ == 1 &&
         std::all_of(components_.begin(), components_.end(),
                     [](const auto& component) { return component->maximises_likelihood(); });
}

}  // namespace ultr
