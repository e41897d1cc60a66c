#pragma once

/// The menu of metrics/: the quality of predictions and rankings, the significance of differences,
/// and the effect of positions on clicks.
#include "metrics/additive_clicks.h"       // σ(θ_k + γ_qd) by maximum likelihood
#include "metrics/click_evaluation.h"      // ClickEvaluation and the table of its measures
#include "metrics/click_metrics.h"         // ClickMetrics: likelihood, perplexity; Calibration
#include "metrics/interventions.h"         // InterventionSums: clicks on pairs at several positions
#include "metrics/measure.h"               // Measure: name, help and direction of a result
#include "metrics/order_variety.h"         // OrderVariety: variety of the orders of lists
#include "metrics/position_bias.h"         // CTR and intervention harvesting
#include "metrics/rank_correlation.h"      // kendall_tau
#include "metrics/rank_graph.h"            // RankGraph: ranks linked by pairs shown at several
#include "metrics/ranking_metrics.h"       // RankingMetrics and the table of its measures
#include "metrics/residual_correlation.h"  // correlation with the logging policy
#include "metrics/seed_summary.h"          // SeedSummary and SeedTest: results over seeds
#include "metrics/significance.h"          // paired_t_test, bonferroni, bootstrap_interval
#include "metrics/two_sample_auc.h"        // separability of two samples by features
