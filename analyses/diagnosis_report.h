#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyses/diagnosis_verdict.h"
#include "report/arc_diagram.h"
#include "report/html.h"

namespace ultr {

/// Returns the contents of diagnosis.json: the verdict and everything it rests on. Arrays are
/// indexed by `rank_graph.ranks`, which count from 1; missing values are null. Those of
/// `bias_combinations`, which is null without bias features, have one entry per combination.
/// `verdict.pairs_identified` and `verdict.features_identified` are 1 if clicks tell position bias
/// from relevance, 0.5 if they do weakly, else 0.
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis, const Verdict& verdict);

/// Returns a table with one row per rank: impressions, click rate, the weakest link to the first
/// rank and the swaps it is worth, and the standard error of the rank's bias. If they were
/// measured, also areas of feature overlap, residuals and their correlation with the policy's
/// score.
ReportTable rank_table(const Diagnosis& diagnosis);
/// Returns a table with one row per combination of rank and bias features: impressions, click rate,
/// the part that connects it to others, the standard error of its bias, and the area of its hardest
/// step.
ReportTable combination_table(const BiasFeatureDiagnosis& diagnosis);
/// Returns lines for a terminal: what is known of the whole log, the verdict with its reasons, and
/// advice.
std::string diagnosis_text(const Diagnosis& diagnosis, const Verdict& verdict);

/// Returns the graph of ranks. Arcs that are worth more swaps are stronger, on a log scale. The
/// widest paths to the first rank are emphasised; with more than 30 ranks, only they are drawn.
ArcDiagram rank_graph_picture(const RankGraph& graph);
/// Returns the areas by which features tell a rank from the one before and from the first.
Chart overlap_chart(const FeatureOverlap& overlap);
/// Returns the mean residual, and the correlation of residual and policy score, by rank, with 95%
/// intervals.
std::vector<Chart> residual_charts(const PolicyResiduals& residuals);

/// Returns the page of a diagnosis; `name` is that of the configuration.
Report diagnosis_report(const std::string& name, const Diagnosis& diagnosis,
                        const Verdict& verdict);

}  // namespace ultr
