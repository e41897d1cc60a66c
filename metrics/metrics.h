#pragma once

/// The menu of metrics/: the quality of predictions and rankings, and the significance of
/// differences. Estimates of position bias are in metrics/bias/.
#include "metrics/click_evaluation.h"      // ClickEvaluation and the table of its measures
#include "metrics/click_metrics.h"         // ClickMetrics: likelihood, perplexity; Calibration
#include "metrics/measure.h"               // Measure: name, help and direction of a result
#include "metrics/rank_correlation.h"      // kendall_tau
#include "metrics/ranking_metrics.h"       // RankingMetrics and the table of its measures
#include "metrics/residual_correlation.h"  // correlation with the logging policy
#include "metrics/seed_summary.h"          // SeedSummary and SeedTest: results over seeds
#include "metrics/significance.h"          // paired_t_test, bonferroni, bootstrap_interval
#include "metrics/two_sample_auc.h"        // separability of two samples by features
