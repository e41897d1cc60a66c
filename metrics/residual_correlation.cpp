#include "metrics/residual_correlation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "metrics/significance.h"

namespace ultr {
namespace {

/// A residual and the variable that it is correlated with, less the means of both.
struct Deviation {
  std::uint64_t group;
  double residual, other;
};

/// Returns the standard error of a sum of numbers that are independent between groups.
double clustered_error(const std::map<std::uint64_t, double>& sums) {
  double squares = 0;
  for (const auto& [group, sum] : sums) squares += sum * sum;
  const auto groups = static_cast<double>(sums.size());
  return std::sqrt(squares * groups / (groups - 1));
}

Estimate mean_residual(const std::vector<const ClickResidual*>& residuals) {
  double sum = 0;
  for (const ClickResidual* one : residuals) sum += one->residual;
  const auto count = static_cast<double>(residuals.size());
  std::map<std::uint64_t, double> deviations;
  for (const ClickResidual* one : residuals) deviations[one->group] += one->residual - sum / count;
  if (deviations.size() < 2) return {};
  return {.value = sum / count, .standard_error = clustered_error(deviations) / count};
}

Estimate correlation_of(const std::vector<Deviation>& deviations) {
  double product = 0, residuals = 0, others = 0;
  std::map<std::uint64_t, double> products;
  for (const Deviation& one : deviations) {
    product += one.residual * one.other;
    residuals += one.residual * one.residual;
    others += one.other * one.other;
    products[one.group] += one.residual * one.other;
  }
  const double scale = std::sqrt(residuals * others);
  // Equal numbers may differ from their mean by rounding.
  const double rounding = 1e-20 * static_cast<double>(deviations.size());
  if (products.size() < 2 || residuals <= rounding || others <= rounding) return {};
  return {.value = product / scale, .standard_error = clustered_error(products) / scale};
}

/// Adds the residuals and their other variable, less their means.
template <class Other>
void add_deviations(const std::vector<const ClickResidual*>& residuals, Other other,
                    std::vector<Deviation>& into) {
  double residual_sum = 0, other_sum = 0, count = 0;
  for (const ClickResidual* one : residuals) {
    residual_sum += one->residual;
    other_sum += other(*one);
    ++count;
  }
  for (const ClickResidual* one : residuals)
    into.push_back({.group = one->group,
                    .residual = one->residual - residual_sum / count,
                    .other = other(*one) - other_sum / count});
}

/// Returns the number of standard errors between an estimate and 0; 0 if both are 0.
double distance(const Estimate& estimate) {
  return estimate.value == 0 ? 0 : std::abs(estimate.value) / estimate.standard_error;
}

}  // namespace

const ResidualCorrelation::AtRank* ResidualCorrelation::most_certain() const {
  const AtRank* most = nullptr;
  for (const AtRank& at : ranks)
    if (!std::isnan(at.correlation.value) &&
        (most == nullptr || distance(at.correlation) > distance(most->correlation)))
      most = &at;
  return most;
}

bool ResidualCorrelation::follows_policy() const {
  std::vector<Estimate> correlations = {with_score};
  for (const AtRank& at : ranks) correlations.push_back(at.correlation);
  std::erase_if(correlations, [](const Estimate& e) { return std::isnan(e.value); });
  return std::any_of(correlations.begin(), correlations.end(), [&](const Estimate& e) {
    const double p = std::erfc(distance(e) / std::numbers::sqrt2);
    return bonferroni(p, correlations.size()) < 0.05 && std::abs(e.value) >= 0.01;
  });
}

ResidualCorrelation correlate_residuals(std::span<const ClickResidual> residuals) {
  std::map<std::size_t, std::vector<const ClickResidual*>> by_rank;
  std::vector<const ClickResidual*> all;
  for (const ClickResidual& one : residuals) {
    by_rank[one.rank].push_back(&one);
    all.push_back(&one);
  }
  ResidualCorrelation result;
  const auto score = [](const ClickResidual& one) { return one.policy_score; };
  std::vector<Deviation> within_ranks;
  for (const auto& [rank, at_rank] : by_rank) {
    std::vector<const ClickResidual*> scored;
    for (const ClickResidual* one : at_rank)
      if (!std::isnan(one->policy_score)) scored.push_back(one);
    std::vector<Deviation> deviations;
    add_deviations(scored, score, deviations);
    result.ranks.push_back({.rank = rank,
                            .residuals = at_rank.size(),
                            .mean = mean_residual(at_rank),
                            .correlation = correlation_of(deviations)});
    within_ranks.insert(within_ranks.end(), deviations.begin(), deviations.end());
  }
  result.with_score = correlation_of(within_ranks);
  std::vector<Deviation> ranks;
  add_deviations(
      all, [](const ClickResidual& one) { return static_cast<double>(one.rank); }, ranks);
  result.with_rank = correlation_of(ranks);
  return result;
}

}  // namespace ultr
