#pragma once

#include <filesystem>
#include <string>

#include "studies/comparison/comparison.h"

/// Writes a comparison for people and for programs.
namespace ultr {

/// Returns one table per metric for the terminal, then the notes.
std::string comparison_text(const Comparison& comparison);

/// Returns comparison.csv: one row per metric and configuration, with the options that differ.
/// Missing numbers are empty.
std::string comparison_csv(const Comparison& comparison);

/// Returns comparison.json: the whole comparison. Missing numbers are null.
std::string comparison_json(const Comparison& comparison);

/// Writes comparison.html, .csv and .json to an existing folder, replacing old files.
void write_comparison(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace ultr
