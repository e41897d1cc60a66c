#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "data/log/shard.h"
#include "models/click_program.h"
#include "models/model_options.h"

namespace ultr {

/// How GoogleTest shows a type of model.
inline void PrintTo(const ModelType& type, std::ostream* out) { *out << type.name; }

}  // namespace ultr

/// What tests of click models run them on, and look at.
namespace ultr::testing {

/// Builds a model with the defaults of its options, of components and layers that ultr has.
TrainableModel build_model(const ModelType& type, const ModelSetting& setting);

/// Sets every number of each parameter, baselines included, at random in [low, high].
void randomise(const TrainableModel& model, double low, double high, std::uint64_t seed);

/// A log of one list for each of the 2^K click vectors over the given rows, the vector with number
/// v clicking rank k if bit k of v is set.
SessionLog all_click_vectors(const std::vector<std::uint32_t>& rows);

/// A log of 40 lists of different lengths (at most 6) over rows 1 to 8, drawn by the seed, with
/// gaps between displayed positions (0 to 5).
SessionLog uneven_lists(std::uint64_t seed);

/// All sessions of a log (at most shard_sessions) in one shard.
Shard pack_all(const SessionLog& log);

/// d loss / d values by parameter name, for every parameter, row by row, from a loss program that
/// has run backward; the shard that it ran on must live.
std::map<std::string, std::vector<double>> gradients_of(const TrainableModel& model,
                                                        const ClickProgram& program);

}  // namespace ultr::testing
