#pragma once

#include <memory>

#include "distributed/divided_tables.h"
#include "dsl/model_options.h"

namespace ultr {

/// Returns the tables of a model that several processes train together (ModelSetting::processes),
/// for programs to run on. Returns null if this process trains it alone. The model must outlive the
/// result. Throws ConfigError if a parameter's table of query-document pairs cannot be divided.
std::unique_ptr<DividedTables> divide_tables(const TrainableModel& model);

}  // namespace ultr
