#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "options/option_values.h"
#include "training/training.h"

namespace ultr {

/// The options, data and number of processes that a checkpoint depends on; resuming with others is
/// refused.
struct RunFingerprint {
  OptionValues options;  // those that results depend on, and the seed
  std::string data;      // a description of its size
  int processes = 1;     // each writes a checkpoint of its own
};

// clang-format off
/// Writes a checkpoint: the training state, all parameters of the model and their optimizer states.
/// The file appears whole or not at all, even after a power loss. Parameters are copied a megabyte
/// at a time. Throws DataError if the file cannot be written; nothing is left behind.
///
///     "ultr checkpoint 4\n"
///     owner, then the state     numbers as in memory, strings and lists preceded by their lengths
///     parameters                name, rows, columns, states and the kept values of each row
///     CRC-32 of all preceding bytes
// clang-format on
void write_checkpoint(const std::filesystem::path& file, const RunFingerprint& owner,
                      const TrainingState& state, const std::vector<Parameter*>& parameters);

/// A checkpoint read back from its file.
class Checkpoint {
 public:
  /// Reads the whole file once to verify its checksum. Throws DataError, naming the file, if it is
  /// missing, damaged, or written by a version of ultr with another format.
  explicit Checkpoint(std::filesystem::path file);

  const RunFingerprint& owner() const { return owner_; }
  /// The state of training when the checkpoint was written.
  TrainingState& state() { return state_; }
  /// Restores the parameters and their optimizer states, allocating room for the states. Call it
  /// once, after the fitter is made, because making a fitter resets the states. Throws DataError if
  /// the parameters differ from the saved ones in number, name or shape.
  void restore(const std::vector<Parameter*>& parameters);

 private:
  std::filesystem::path file_;
  std::ifstream stream_;
  std::uint64_t left_ = 0;  // unread bytes, without the checksum
  RunFingerprint owner_;
  TrainingState state_;
};

}  // namespace ultr
