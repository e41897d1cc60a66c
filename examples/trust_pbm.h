#pragma once

#include "dsl/click_model.h"

/// Trust-bias position-based model (Agarwal et al., 2019). Users examine rank k with probability
/// θ_k. They click an examined document with probability ε⁺_k if it is relevant and, because they
/// trust the ranking, with probability ε⁻_k if it is not: P(C_k = 1) = θ_k (ε⁺_k γ + ε⁻_k (1-γ)).
class TrustPbm final : public ultr::ExaminationModel {
 public:
  explicit TrustPbm(ultr::ModelBuilder& build)
      : examination_(build.parameter("examination", ultr::Domain::rank, "Examination, θ.")),
        relevance_(build.parameter("relevance", ultr::Domain::document, "Relevance, γ.")),
        relevant_(build.parameter("click_relevant", ultr::Domain::rank, "Clicks if relevant, ε⁺.")),
        other_(build.parameter("click_irrelevant", ultr::Domain::rank, "Clicks if not, ε⁻.")) {}
  ultr::Examination story(const ultr::Session& s) const override {
    return {examination_(s), mix(relevance_(s), relevant_(s), other_(s))};
  }
  ultr::Prob relevance(const ultr::Session& s) const override { return relevance_(s); }

 private:
  ultr::LogitParameter examination_, relevance_, relevant_, other_;
};
