#include "dsl/sequence_program.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "base/available_memory.h"

namespace ultr {
namespace {

/// Tokens of a block. With gradients, a block is large enough for a usual batch of documents, whose
/// sequences are then encoded once per step, not twice. Without, it is as small as products of
/// matrices run at full speed.
std::size_t tokens_of_blocks(const SequenceEncoder& encoder, Tape::Gradients gradients) {
  const std::size_t usual = gradients == Tape::Gradients::on ? 4096 : 1024;
  return std::max(usual, static_cast<std::size_t>(encoder.layout().max_tokens));
}

/// The most tokens that may be masked: twice the share and 64 more, which by Chernoff's bound
/// chance exceeds in less than one of 10^30 blocks, and at most all of a block.
std::int64_t most_masked(const SequenceEncoder& encoder, std::size_t tokens) {
  const auto all = static_cast<std::int64_t>(tokens);
  return std::min(
      all,
      static_cast<std::int64_t>(2 * encoder.masked_share() * static_cast<double>(tokens)) + 64);
}

}  // namespace

SequenceProgram::SequenceProgram(const SequenceEncoder& encoder, Precision precision,
                                 Tape::Gradients gradients, bool noise)
    : most_tokens_(tokens_of_blocks(encoder, gradients)),
      tape_(precision, gradients),
      tokens_(tape_.extent(static_cast<std::int64_t>(most_tokens_))),
      sequences_(tape_.extent(static_cast<std::int64_t>(most_sequences))),
      offset_count_(tape_.extent(static_cast<std::int64_t>(most_sequences) + 1)),
      masked_count_(tape_.extent(most_masked(encoder, most_tokens_))),
      inputs_{.tape = &tape_,
              .tokens = tape_.index(tokens_),
              .places = tape_.index(tokens_),
              .types = tape_.index(tokens_),
              .sequences = make_segments(tape_, offset_count_, sequences_)},
      no_seed_(most_sequences) {
  if (noise) inputs_.noise = tape_.index(dropout_key_words);
  if (encoder.masked_share() > 0)
    inputs_.masked = {tape_.index(masked_count_), tape_.index(masked_count_),
                      make_segments(tape_, offset_count_, sequences_)};
  values_ = encoder.encode(inputs_);
  seed_ = tape_.input(Shape::vector(sequences_));
  loss_ = sum(values_ * seed_);
  if (gradients == Tape::Gradients::on)
    tape_.require(std::array{values_, loss_});
  else
    tape_.require(std::array{values_});
  expect_memory(tape_.memory(), "the encoder of words");
}

std::uint64_t SequenceProgram::new_run() {
  static std::atomic<std::uint64_t> runs = 0;
  return ++runs;
}

void SequenceProgram::run(const SequenceBlock& block, std::uint64_t run) {
  const std::size_t count = block.offsets.size() - 1;
  tape_.bind(tokens_, static_cast<std::int64_t>(block.tokens.size()));
  tape_.bind(sequences_, static_cast<std::int64_t>(count));
  tape_.bind(offset_count_, static_cast<std::int64_t>(block.offsets.size()));
  tape_.bind(inputs_.tokens, block.tokens);
  tape_.bind(inputs_.places, block.places);
  tape_.bind(inputs_.types, block.types);
  tape_.bind(inputs_.sequences.offsets, block.offsets);
  if (inputs_.noise) tape_.bind(*inputs_.noise, block.noise_key);
  if (inputs_.masked) {
    tape_.bind(masked_count_, static_cast<std::int64_t>(block.masked_places.size()));
    tape_.bind(inputs_.masked->places, block.masked_places);
    tape_.bind(inputs_.masked->words, block.masked_words);
    tape_.bind(inputs_.masked->sequences.offsets, block.masked_offsets);
  }
  tape_.bind(seed_, std::span<const double>(no_seed_).first(count));
  tape_.replay();
  last_run_ = run;
}

SequenceProgram& SequencePrograms::find(const SequenceEncoder& encoder, const Tape& tape,
                                        bool noise) {
  auto& program = programs_[{&encoder, noise}];
  if (!program)
    program = std::make_unique<SequenceProgram>(
        encoder, tape.precision(), tape.gradients() ? Tape::Gradients::on : Tape::Gradients::off,
        noise);
  return *program;
}

}  // namespace ultr
