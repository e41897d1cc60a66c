#pragma once

#include <string>

#include "analyses/diagnosis_verdict.h"
#include "report/arc_diagram.h"
#include "report/html.h"

namespace ultr {

/// What a page of a diagnosis shows.
struct DiagnosisPage {
  std::string name{};  // of the configuration
  Diagnosis diagnosis{};
  Verdict verdict{};
};

/// A row for each rank: impressions, click rate, the weakest link to the first rank and what it is
/// worth, standard error of its bias, and, where they were measured, areas of feature overlap,
/// residuals and their correlation with the policy's score.
ReportTable rank_table(const Diagnosis& diagnosis);
/// What is known of the log as a whole, and the verdict with its reasons and the advice, in lines
/// for a terminal.
std::string diagnosis_text(const DiagnosisPage& page);

/// The graph of ranks: arcs are the stronger the more swaps they are worth, on a log scale; the
/// widest paths to the first rank are emphasised. Of more than 30 ranks only these are drawn.
ArcDiagram rank_graph_picture(const RankGraph& graph);
/// The areas by which features tell ranks apart, from the rank before and from the first.
Chart overlap_chart(const FeatureOverlap& overlap);
/// By rank, with 95% intervals: the mean residual, and the correlation of residual and policy
/// score.
Chart mean_residual_chart(const PolicyResiduals& residuals);
Chart residual_correlation_chart(const PolicyResiduals& residuals);

Report diagnosis_report(const DiagnosisPage& page);

}  // namespace ultr
