#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layers/sequence_encoder.h"

namespace ultr {

/// Some of the sequences that are packed one after the other.
struct SequenceBlock {
  std::span<const std::uint32_t> tokens, places, types;  // of these sequences
  std::span<const std::uint32_t> offsets;                // from 0, one more than sequences
  std::span<const std::uint32_t> noise_key;              // empty: no noise
  /// As in MaskedTokens; empty unless the encoder guesses words.
  std::span<const std::uint32_t> masked_places = {}, masked_words = {}, masked_offsets = {};
};

/// The program of an encoder, recorded once and run on blocks of sequences.
class SequenceProgram {
 public:
  /// Throws Error if the program needs more memory than is available.
  SequenceProgram(const SequenceEncoder& encoder, Precision precision, Tape::Gradients gradients,
                  bool noise);
  SequenceProgram(const SequenceProgram&) = delete;
  SequenceProgram& operator=(const SequenceProgram&) = delete;

  /// The most tokens and sequences of a block.
  std::size_t most_tokens() const { return most_tokens_; }
  static constexpr std::size_t most_sequences = 1024;

  /// Runs the encoder on a block, which must live until backward() has run. `run` identifies it.
  void run(const SequenceBlock& block, std::uint64_t run);
  /// Returns a number that no other run has.
  static std::uint64_t new_run();
  /// The run whose values the program holds.
  std::uint64_t last_run() const { return last_run_; }
  /// The values of the block's sequences. T is the type of the tape's numbers.
  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(tape_.node(values_.node()).value),
            static_cast<std::size_t>(values_.size())};
  }
  /// Computes the gradients of Σ gradient * value; read them from the tape.
  template <class T>
  void backward(std::span<const T> gradient) {
    tape_.bind(seed_, gradient);
    tape_.backward(loss_);
  }
  const Tape& tape() const { return tape_; }

 private:
  std::size_t most_tokens_;
  Tape tape_;
  Extent tokens_, sequences_, offset_count_, masked_count_;
  SequenceInputs inputs_;
  Tensor values_, seed_, loss_;
  std::vector<double> no_seed_;
  std::uint64_t last_run_ = 0;
};

/// The programs of encoders that the programs of one worker share: recorded when first needed.
class SequencePrograms {
 public:
  SequenceProgram& find(const SequenceEncoder& encoder, const Tape& tape, bool noise);

 private:
  std::map<std::pair<const SequenceEncoder*, bool>, std::unique_ptr<SequenceProgram>> programs_;
};

}  // namespace ultr
