#pragma once

#include <algorithm>

#include "autograd/ops/arithmetic.h"
#include "dsl/click_model.h"

namespace ultr {

/// Mixture of click models (thesis section 5.3, eq. 5.12). In each session the user follows one of
/// the component models, component m with probability P(m) = softmax(prior)_m. Components may share
/// parameters and may themselves be mixtures.
///
/// Training minimises -log Σ_m P(m) exp(-NLL_m / τ) per session, where NLL_m is component m's own
/// loss. A temperature τ above 1 keeps one component from taking all sessions early. Predictions
/// use τ = 1: click probabilities weight components by their posterior given the clicks above.
/// Relevance weights the components' relevance by their prior.
class MixtureModel final : public ClickModel {
 public:
  explicit MixtureModel(ModelBuilder& build,
                        const std::vector<std::string>& default_components = {"pbm", "dbn"})
      : components_(build.components("components", default_components,
                                     "The component models: type names, or sections with a type.")),
        prior_(build.shares("prior", components_.size(),
                            "Share of sessions per component at the start of training; empty: "
                            "equal shares.")),
        temperature_(build.number("temperature", 1, above(0),
                                  "Divides the components' log-likelihoods in training, τ.")) {}
  Chain chain(const Session& s) const override {
    std::vector<Chain> chains;
    for (const auto& component : components_) chains.push_back(component->chain(s));
    return mixture(prior_(s), std::move(chains));
  }
  Prob relevance(const Session& s) const override {
    const std::vector<Prob> prior = prior_(s);
    Prob sum = s.never();
    for (std::size_t m = 0; m < components_.size(); ++m)
      sum = sum + prior[m] * components_[m]->relevance(s);
    return sum;
  }
  std::optional<Tensor> objective(const Session& s, Impossible rule) const override {
    const std::vector<Prob> prior = prior_(s);
    Prob sum = s.never();
    for (std::size_t m = 0; m < components_.size(); ++m) {
      const Tensor log_likelihood = session_objective(*components_[m], s, rule);
      sum = sum + prior[m] * s.probabilities().from_log(log_likelihood / temperature_);
    }
    return sum.log();
  }
  bool maximises_likelihood() const override {
    return temperature_ == 1 &&
           std::all_of(components_.begin(), components_.end(),
                       [](const auto& component) { return component->maximises_likelihood(); });
  }

 private:
  std::vector<std::unique_ptr<ClickModel>> components_;
  ShareParameter prior_;
  double temperature_;
};

}  // namespace ultr
