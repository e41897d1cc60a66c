#pragma once

#include "measurements/measurement.h"

namespace ultr::bench {

/// Measures `ultr-run convert` of a file of two million sessions, in Yandex's format and as a table
/// whose ids are texts, start to end, on one core: megabytes (10^6 bytes) of text per second.
/// Throws Error if the program fails.
void measure_conversion(const MeasurementPlan& plan, const TakeMeasurement& take);
/// Measures `ultr-run convert` of tables of ten million rows, whose ids are texts and whole
/// numbers: text and rows per second of processor time, and peak memory. Throws Error if the
/// program fails.
void measure_tables(const MeasurementPlan& plan, const TakeMeasurement& take);
/// Measures commands that answer questions about a table of ten million rows, whose ids are texts,
/// and about a pbm that is trained on it for three epochs: seconds, start to end. Throws Error if
/// the program fails.
void measure_commands(const MeasurementPlan& plan, const TakeMeasurement& take);
/// Measures `ultr-run simulate` of two million sessions of a pbm, start to end, including the
/// writing of files. Throws Error if the program fails.
void measure_simulation(const MeasurementPlan& plan, const TakeMeasurement& take);

}  // namespace ultr::bench
