#pragma once

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
                        const std::vector<std::string>& default_components = {"pbm", "dbn"});
  Chain chain(const Session& s) const override;
  Prob relevance(const Session& s) const override;
  std::optional<Tensor> objective(const Session& s, Impossible rule) const override;
  bool maximises_likelihood() const override;

 private:
  std::vector<std::unique_ptr<ClickModel>> components_;
  ShareParameter prior_;
  double temperature_;
};

}  // namespace ultr
