#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/features/feature_importance.h"
#include "experiment/data_options.h"
#include "report/html.h"

namespace ultr {

/// File in a run's folder with the importance of features, if the model has trees.
inline constexpr const char* importance_file = "importance.csv";

/// Returns the importance of the features of each layer of boosted trees. Contributions are those
/// of a sample of the data's documents, at even distances (affordable_contributions).
std::vector<TreeImportance> feature_importance(const TrainableModel& model,
                                               const ExperimentData& data, int threads);

/// Returns importance.csv: one row per layer and feature, by falling contribution.
std::string importance_csv(std::span<const TreeImportance> all);

/// Returns the section of a report with the most important features of each layer.
ReportSection importance_section(std::span<const TreeImportance> all);

}  // namespace ultr
