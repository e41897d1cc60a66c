#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "options/option_values.h"
#include "training/training.h"

namespace ultr {

/// What a run must have in common with the one that wrote a checkpoint, to go on to the same bits.
struct CheckpointOwner {
  OptionValues options;  // those that results depend on, and the seed
  std::string data;      // how much there is, in words
  int processes = 1;     // each of which has its own
};

// clang-format off
/// Writes where training is, with all parameters of its model and their states, so that a reader
/// sees all of it or nothing, after a loss of power too. A parameter is copied a megabyte at a
/// time. Throws DataError if it cannot be written; nothing is left behind.
///
///     "ultr checkpoint 2\n"
///     owner, then the state     numbers as in memory, texts and lists behind their lengths
///     parameters                name, rows, columns, states and what is kept of each row
///     CRC-32 of all the above
// clang-format on
void write_checkpoint(const std::filesystem::path& file, const CheckpointOwner& owner,
                      const TrainingState& state, const std::vector<Parameter*>& parameters);

/// A checkpoint, read back.
class Checkpoint {
 public:
  /// Reads all of the file once, to see that it is whole. Throws DataError, with the file, if it is
  /// missing, damaged, or written by a version of ultr with another format.
  explicit Checkpoint(std::filesystem::path file);

  const CheckpointOwner& owner() const { return owner_; }
  /// Where training was.
  TrainingState& state() { return state_; }
  /// Sets the parameters and their states, for which it gives them room. To be called once, after
  /// the fitter is made, which takes states for new. Throws DataError if the parameters are not
  /// those that were saved.
  void restore(const std::vector<Parameter*>& parameters);

 private:
  std::filesystem::path file_;
  std::ifstream stream_;
  std::uint64_t left_ = 0;  // bytes that have not been read, without the checksum
  CheckpointOwner owner_;
  TrainingState state_;
};

}  // namespace ultr
