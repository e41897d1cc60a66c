#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "python/logs/click_log.h"
#include "python/trained_model.h"

/// Measures and predictions of a trained model, as Python values. All functions release the GIL
/// while they compute.
namespace ultr::python {

/// Throws DataError if a log, called `name`, has no clicks.
void expect_clicks(const ClickLog& log, const std::string& name);
/// Throws DataError if a log, called `name`, has other features, or in another order.
void expect_features(const ClickLog& log, const std::vector<std::string>& names,
                     const std::string& name);
/// Returns the measures of click predictions on a log, by name (click_measures). Throws DataError
/// if it has no clicks.
pybind11::dict evaluate(const TrainedModel& trained, const ClickLog& log);
/// Returns columns with one row per document of a log: those of columns_of, relevance as a logit,
/// and, if the model predicts clicks, their probabilities.
pybind11::dict predict(const TrainedModel& trained, const ClickLog& log);
/// Returns columns with one row per query-document pair of the training sessions: query, document,
/// relevance as a probability and, unless the model was read from a folder, lower and upper (its
/// 95% interval; NaN if there is none), impressions, clicks and mean_position. Throws DataError if
/// the model has no parameters of pairs.
pybind11::dict relevance(const TrainedModel& trained);
/// Returns a log with the lists of another, on which users of the model have clicked.
ClickLog sample(const TrainedModel& trained, const ClickLog& log, std::uint64_t seed);
/// Returns the learned position bias: columns position, and logit or examination. None if the model
/// learns none.
pybind11::object position_bias(const TrainedModel& trained);
/// Returns the values of the parameters by their names: arrays of one or two dimensions.
pybind11::dict parameters(const TrainedModel& trained);

}  // namespace ultr::python
