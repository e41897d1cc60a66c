#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Trust-bias model (Agarwal et al., WWW 2019). Users examine rank k with probability θ_k. They
/// click an examined document with probability ε⁺_k if it is relevant and, because they trust the
/// ranking, with probability ε⁻_k if it is not:
///
///     P(C_k = 1) = θ_k (ε⁺_k γ_d + ε⁻_k (1 - γ_d)) = e_k (γ_d + t_k (1 - γ_d))
///
/// Clicks show only the products θ_k ε⁺_k and θ_k ε⁻_k, so the model learns e_k = θ_k ε⁺_k
/// (`examination`) and t_k = ε⁻_k / ε⁺_k (`trust`). A probability t_k means ε⁺_k > ε⁻_k: the
/// opposite describes the same clicks, with 1 - γ_d in place of γ_d.
///
/// The slopes α_k = e_k (1 - t_k) and offsets β_k = e_k t_k of P(C_k = 1) = α_k γ_d + β_k are
/// identified up to γ_d = s + u γ'_d, which gives α'_k = u α_k and β'_k = β_k + s α_k. The order of
/// documents by γ_d is identified.
class TrustBiasModel final : public ExaminationModel {
 public:
  explicit TrustBiasModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank,
                                     "Click rate of relevant documents at each rank, θ ε⁺.")),
        trust_(build.parameter(
            "trust", Domain::rank,
            "Click rate of irrelevant documents over that of relevant ones, ε⁻/ε⁺.")),
        attraction_(build.parameter("attraction", Domain::document,
                                    "Attraction of each query-document pair, γ.")) {}
  Examination story(const Session& s) const override {
    return {.examination = examination_(s),
            .attraction = mix(attraction_(s), s.always(), trust_(s))};
  }
  Prob relevance(const Session& s) const override { return attraction_(s); }

 private:
  LogitParameter examination_, trust_, attraction_;
};

}  // namespace ultr
