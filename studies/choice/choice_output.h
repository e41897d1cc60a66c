#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "studies/choice/model_choice.h"

/// Writes the choice of a click model for people and for programs.
namespace ultr {

/// Returns the table of models, the answer, what the clicks say about users, warnings, and models
/// that could not be fitted, for the terminal.
std::string choice_text(const ModelChoice& choice);

/// Returns results.json: everything that was measured, the sentences included. Missing numbers are
/// null.
nlohmann::ordered_json choice_json(const ModelChoice& choice);

/// Returns models.csv: one row per fitted model, the best first.
std::string choice_csv(const ModelChoice& choice);

/// Returns patterns.csv: one row per pattern, value on its axis, and model or `observed`.
std::string patterns_csv(const ModelChoice& choice);

/// Writes all of these files and report.html to an existing folder, replacing old ones;
/// results.json comes last.
void write_choice(const ModelChoice& choice, const std::filesystem::path& folder);

}  // namespace ultr
