#pragma once

#include <string>
#include <vector>

#include "studies/choice/model_choice.h"

/// A choice of a click model in plain words, from what was measured.
namespace ultr {

/// Returns the answer, a sentence or two each: which model predicts best and what is as good, why,
/// and which model to take relevance from. Says so if no model was fitted.
std::vector<std::string> answer_of(const ModelChoice& choice);

/// Returns what the clicks say about the users, a sentence or two each: how clicks fall with the
/// rank, what changes after a click, and how many sessions have no click or several. Sessions that
/// the best model without memory of clicks samples show what to expect if clicks did not depend on
/// each other.
std::vector<std::string> users_of(const ModelChoice& choice);

/// Returns the warnings of all models and of the choice itself, a line each.
std::vector<std::string> warnings_of(const ModelChoice& choice);

}  // namespace ultr
