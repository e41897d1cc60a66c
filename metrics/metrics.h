#pragma once

/// The menu of metrics/: how good predictions and rankings are, whether differences are real,
/// and how much clicks depend on positions.
#include <string_view>

#include "metrics/additive_clicks.h"   // σ(θ_k + γ_qd) by maximum likelihood
#include "metrics/click_metrics.h"     // ClickMetrics: likelihood, perplexity; Calibration
#include "metrics/interventions.h"     // InterventionSums: clicks on pairs at several positions
#include "metrics/metric_value.h"      // MetricValue
#include "metrics/order_variety.h"     // OrderVariety: are lists always in one order?
#include "metrics/position_bias.h"     // CTR and intervention harvesting
#include "metrics/rank_correlation.h"  // kendall_tau
#include "metrics/rank_graph.h"        // RankGraph: which ranks do pairs at several of them link?
#include "metrics/ranking_metrics.h"   // RankingMetrics: DCG, nDCG, MRR, MAP, precision, ARP
#include "metrics/residual_correlation.h"  // do residuals go with the logging policy?
#include "metrics/significance.h"    // paired_t_test, bonferroni, bootstrap_interval, quantile
#include "metrics/two_sample_auc.h"  // can features tell two samples apart?

namespace ultr {

struct MetricDescription {
  std::string_view name;  // K stands for a number
  std::string_view help;  // one line
};

/// Every metric that results are reported under, in the order of reports.
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
