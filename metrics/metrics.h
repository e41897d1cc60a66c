#pragma once

/// The menu of metrics/: the quality of predictions and rankings, the significance of differences,
/// and the effect of positions on clicks.
#include <string_view>

#include "metrics/additive_clicks.h"       // σ(θ_k + γ_qd) by maximum likelihood
#include "metrics/click_metrics.h"         // ClickMetrics: likelihood, perplexity; Calibration
#include "metrics/interventions.h"         // InterventionSums: clicks on pairs at several positions
#include "metrics/metric_value.h"          // MetricValue
#include "metrics/order_variety.h"         // OrderVariety: variety of the orders of lists
#include "metrics/position_bias.h"         // CTR and intervention harvesting
#include "metrics/rank_correlation.h"      // kendall_tau
#include "metrics/rank_graph.h"            // RankGraph: ranks linked by pairs shown at several
#include "metrics/ranking_metrics.h"       // RankingMetrics: DCG, nDCG, MRR, MAP, precision, ARP
#include "metrics/residual_correlation.h"  // correlation with the logging policy
#include "metrics/significance.h"    // paired_t_test, bonferroni, bootstrap_interval, quantile
#include "metrics/seed_summary.h"        // summaries and tests over seeds
#include "metrics/two_sample_auc.h"  // separability of two samples by features

namespace ultr {

/// A metric's name and help text.
struct MetricDescription {
  std::string_view name;  // K stands for a number
  std::string_view help;  // one line
};

/// Every metric under whose name results are reported, in the order of reports.
inline constexpr MetricDescription metric_table[] = {
    {"ll", "mean log-likelihood of a click or skip given earlier clicks (natural log)"},
    {"ppl", "perplexity of unconditional click predictions, over all documents; 1 is perfect"},
    {"ppl_rank_mean", "ppl of each rank, then the plain mean over ranks"},
    {"cond_ppl", "perplexity of click predictions given earlier clicks, over all documents"},
    {"cond_ppl_rank_mean", "cond_ppl of each rank, then the plain mean over ranks"},
    {"ppl_rank_K", "ppl of the documents at rank K"},
    {"cond_ppl_rank_K", "cond_ppl of the documents at rank K"},
    {"ctr_rank_K", "observed clicks over documents at rank K"},
    {"dcg@K",
     "discounted cumulative gain of the first K, gain 2^y-1 or y, discount 1/log2(1+rank)"},
    {"ndcg@K", "dcg@K over that of the best order; 1 is perfect"},
    {"mrr@K", "1 / rank of the first relevant document, 0 below rank K"},
    {"map@K", "precision at the relevant ranks up to K, summed, over all relevant documents"},
    {"precision@K", "relevant documents among the first K, over K"},
    {"arp", "mean rank of relevant documents, weighted by label; lower is better"},
};

}  // namespace ultr
