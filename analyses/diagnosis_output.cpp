#include "analyses/diagnosis_report.h"
#include "base/text/json_number.h"

namespace ultr {
namespace {

using DiagnosisJson = nlohmann::ordered_json;

DiagnosisJson from_one(const std::vector<std::size_t>& ranks) {
  DiagnosisJson array = DiagnosisJson::array();
  for (const std::size_t rank : ranks) array.push_back(rank + 1);
  return array;
}

DiagnosisJson json_of(const RankLink& link) {
  return {{"ranks", {link.a + 1, link.b + 1}},
          {"pairs", link.pairs},
          {"effective_swaps", link.effective_swaps}};
}

DiagnosisJson json_of_components(const RankGraph& graph) {
  DiagnosisJson components = DiagnosisJson::array();
  for (const auto& component : graph.components) components.push_back(from_one(component));
  return components;
}

DiagnosisJson json_of(const RankGraph& graph) {
  DiagnosisJson links = DiagnosisJson::array(), weakest = DiagnosisJson::array(),
                swaps = DiagnosisJson::array();
  for (const RankLink& link : graph.links) links.push_back(json_of(link));
  for (const auto& link : graph.weakest_links) {
    weakest.push_back(link ? DiagnosisJson{link->a + 1, link->b + 1} : DiagnosisJson());
    swaps.push_back(link ? DiagnosisJson(link->effective_swaps) : DiagnosisJson());
  }
  return {{"ranks", from_one(graph.ranks)},
          {"impressions", json_numbers(graph.impressions)},
          {"click_rates", json_numbers(graph.click_rates())},
          {"weakest_links", std::move(weakest)},
          {"weakest_effective_swaps", std::move(swaps)},
          {"standard_errors", json_numbers(graph.standard_errors)},
          {"components", json_of_components(graph)},
          {"links", std::move(links)}};
}

DiagnosisJson json_of(const BiasFeatureDiagnosis& d) {
  DiagnosisJson names = DiagnosisJson::array();
  for (std::size_t i = 0; i < d.combinations.all.size(); ++i)
    names.push_back(d.combinations.name(i));
  return {{"features", d.combinations.features},
          {"names", std::move(names)},
          {"impressions", json_numbers(d.graph.impressions)},
          {"click_rates", json_numbers(d.graph.click_rates())},
          {"standard_errors", json_numbers(d.graph.standard_errors)},
          {"components", json_of_components(d.graph)},
          {"hardest_step", json_numbers(d.overlap.hardest_step)}};
}

double as_number(Identification identification) {
  return identification == Identification::identified ? 1
         : identification == Identification::weak     ? 0.5
                                                      : 0;
}

DiagnosisJson json_of(const Verdict& verdict) {
  return {{"answer", verdict.answer},
          {"pairs", identification_name(verdict.pairs)},
          {"features", identification_name(verdict.features)},
          {"pairs_identified", as_number(verdict.pairs)},
          {"features_identified", as_number(verdict.features)},
          {"reasons", verdict.reasons},
          {"advice", verdict.advice}};
}

DiagnosisJson json_of(const Estimate& estimate) {
  return {{"value", json_number(estimate.value)},
          {"standard_error", json_number(estimate.standard_error)}};
}

DiagnosisJson json_of(const PolicyResiduals& residuals) {
  using AtRank = ResidualCorrelation::AtRank;
  const std::vector<AtRank>& at_ranks = residuals.correlation.ranks;
  std::vector<std::size_t> ranks;
  for (const AtRank& at : at_ranks) ranks.push_back(at.rank);
  const auto by_rank = [&](Estimate AtRank::*estimate, double Estimate::*number) {
    std::vector<double> numbers;
    for (const AtRank& at : at_ranks) numbers.push_back(at.*estimate.*number);
    return json_numbers(numbers);
  };
  return {
      {"model", residuals.model},
      {"policy", residuals.policy},
      {"follows_policy", residuals.correlation.follows_policy() ? 1 : 0},
      {"correlation_with_rank", json_of(residuals.correlation.with_rank)},
      {"correlation_with_score", json_of(residuals.correlation.with_score)},
      {"ranks", from_one(ranks)},
      {"means", by_rank(&AtRank::mean, &Estimate::value)},
      {"mean_standard_errors", by_rank(&AtRank::mean, &Estimate::standard_error)},
      {"correlations", by_rank(&AtRank::correlation, &Estimate::value)},
      {"correlation_standard_errors", by_rank(&AtRank::correlation, &Estimate::standard_error)}};
}

}  // namespace

DiagnosisJson diagnosis_json(const Diagnosis& d, const Verdict& verdict) {
  DiagnosisJson json = {{"verdict", json_of(verdict)},
                        {"sessions", d.sessions},
                        {"documents", d.documents},
                        {"features", d.features},
                        {"rank_graph", json_of(d.graph)},
                        {"orders",
                         {{"repeated_queries", d.orders.repeated_queries},
                          {"same_order", json_number(d.orders.same_order)},
                          {"repeated_pairs", d.orders.repeated_pairs},
                          {"rank_entropy", json_number(d.orders.rank_entropy)}}}};
  json["bias_combinations"] = nullptr;
  if (d.bias_features) json["bias_combinations"] = json_of(*d.bias_features);
  json["feature_overlap"] = nullptr;
  if (d.overlap)
    json["feature_overlap"] = {{"from_rank_before", json_numbers(d.overlap->from_rank_before)},
                               {"from_first", json_numbers(d.overlap->from_first)},
                               {"hardest_step", json_numbers(d.overlap->hardest_step)}};
  json["logging_policy"] = nullptr;
  if (d.policy)
    json["logging_policy"] = {{"queries", d.policy->queries},
                              {"lists", d.policy->lists},
                              {"ndcg@10", d.policy->ndcg},
                              {"interval", {d.policy->interval.lower, d.policy->interval.upper}},
                              {"random_ndcg@10", d.policy->random_ndcg}};
  json["residuals"] = json_of(d.residuals);
  return json;
}

}  // namespace ultr
