#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/features/bias_columns.h"

namespace ultr {

/// Reads the names of features: one per line, in the order of the features. Throws DataError if the
/// file cannot be read or does not have `features` names that differ.
std::vector<std::string> read_feature_names(const std::filesystem::path& file,
                                            std::size_t features);

/// Writes what read_feature_names reads. Throws DataError if the file cannot be written.
void write_feature_names(const std::filesystem::path& file, const std::vector<std::string>& names);

/// Returns the names of the features that towers over documents read, in their order: all but bias
/// features. Empty if `names` is.
std::vector<std::string> relevance_names(const std::vector<std::string>& names,
                                         const BiasColumns& bias);

}  // namespace ultr
