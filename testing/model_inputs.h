#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "data/log/shard.h"
#include "dsl/model_options.h"
#include "dsl/programs/click_program.h"

namespace ultr {

/// Prints a type of model in GoogleTest's messages.
inline void PrintTo(const ModelType& type, std::ostream* out) { *out << type.name; }

}  // namespace ultr

/// Inputs and helpers for tests of click models.
namespace ultr::testing {

/// Builds a model with the default options, from the components and layers of ultr.
TrainableModel build_model(const ModelType& type, const ModelSetting& setting);

/// Sets every number of each parameter, baselines included, to a random number in [low, high].
void randomise(const TrainableModel& model, double low, double high, std::uint64_t seed);

/// Returns a log with one list for each of the 2^K click vectors over the given rows. Vector number
/// v clicks rank k if bit k of v is set. All have the same made-up signals.
SessionLog all_click_vectors(const std::vector<std::uint32_t>& rows);

/// Returns a log of 40 lists of different lengths (at most 6) over rows 1 to 8, drawn by the seed,
/// with gaps between displayed positions (0 to 5) and made-up signals.
SessionLog uneven_lists(std::uint64_t seed);

/// Packs all sessions of a log (at most shard_sessions) into one shard.
Shard pack_all(const SessionLog& log);

/// Returns d loss / d values of every parameter by its name, row by row, from a loss program that
/// has run backward. The shard that it ran on must still live.
std::map<std::string, std::vector<double>> gradients_of(const TrainableModel& model,
                                                        const ClickProgram& program);

}  // namespace ultr::testing
