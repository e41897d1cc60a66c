#pragma once

#include <filesystem>
#include <string>

#include "report/html.h"
#include "studies/choice/model_choice.h"

/// The page about the choice of a click model.
namespace ultr {

/// Returns "best", "as good", "worse" or "not tested" for model number `m`.
std::string choice_verdict(const ModelChoice& choice, std::size_t m);

/// Returns a table with one row per fitted model, the best first.
ReportTable choice_table(const ModelChoice& choice);

/// Returns report.html: the answer, warnings, the models, what the clicks say about the users,
/// where models differ, examination, and models that could not be fitted. Models link to the
/// reports of their runs, as seen from the page's folder.
Report choice_report(const ModelChoice& choice, const std::filesystem::path& folder);

}  // namespace ultr
