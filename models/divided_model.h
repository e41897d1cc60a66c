#pragma once

#include <memory>

#include "distributed/divided_tables.h"
#include "models/model_options.h"

namespace ultr {

/// The tables of a model that several processes train together (ModelSetting::ranks), for programs
/// to run on; null if it is trained by this process alone. It must not outlive the model. Throws
/// ConfigError if a parameter's numbers of query-document pairs cannot be divided.
std::unique_ptr<DividedTables> divide_tables(const TrainableModel& model);

}  // namespace ultr
