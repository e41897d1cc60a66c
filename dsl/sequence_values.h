#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "autograd/ops/dropout.h"
#include "dsl/sequence_program.h"

namespace ultr {

/// The values that an encoder gives to the documents of a shard, as an op of the shard's program:
/// [documents].
///
/// Documents of the same row are encoded once. Their sequences are sorted by length, longest first,
/// and cut into blocks of a few thousand tokens, on which a SequenceProgram runs. The backward pass
/// of a shard of several blocks runs each of them once more (gradient checkpointing, Chen et al.,
/// 2016), so memory grows with the tokens of a block, not of a shard. Blocks depend on the shard
/// alone, so results have the same bits on any number of threads.
///
/// Gradients of parameters that are read as a whole reach `read` ops of the program. Those of the
/// rows of tables are summed by row and reported (Tape::report_sparse_gradient).
class SequenceValues {
 public:
  /// Records the op. `noise`: the key of dropout, if anything is dropped.
  SequenceValues(Tape& tape, const SequenceEncoder& encoder, Extent documents,
                 std::optional<Index> noise, std::shared_ptr<SequencePrograms> programs);
  SequenceValues(const SequenceValues&) = delete;
  SequenceValues& operator=(const SequenceValues&) = delete;

  /// The values, on the tape.
  Tensor values() const { return values_; }
  /// Binds the rows of a shard's documents, which must live until the program has run, and the key
  /// of its noise, if there is any. `words_of` returns the words of a row.
  void bind(std::span<const std::uint32_t> rows,
            const std::function<DocumentWords(std::uint32_t row)>& words_of,
            std::span<const std::uint32_t> noise_key);

  // For the op. ----------------------------------------------------------------------------------

  template <class T>
  void forward(T* values);
  template <class T>
  void backward(const T* gradient, const Node& node);

 private:
  struct Block {
    std::size_t first_sequence, sequences, first_token, tokens, first_offset;
    std::size_t first_masked, masked, first_masked_offset;
    std::array<std::uint32_t, dropout_key_words> noise_key;
  };
  /// The summed gradients of a table's rows.
  struct RowSums {
    std::vector<std::uint32_t> place_of_row;  // from 1; 0: the row has no gradient
    std::vector<std::uint32_t> rows;
    std::vector<double> wide{};   // values of a float64 tape
    std::vector<float> narrow{};  // values of a float32 tape
  };

  SequenceProgram& program() { return programs_->find(encoder_, tape_, has_noise_); }
  SequenceBlock inputs_of(const Block& block) const;
  void pack(std::span<const std::uint32_t> rows,
            const std::function<DocumentWords(std::uint32_t row)>& words_of);
  void mask(Block& block);
  void cut_into_blocks(std::span<const std::uint32_t> noise_key);
  template <class T>
  std::vector<T>& values_of(RowSums& sums);
  template <class T>
  void take_gradients(const Tape& from, const Node& node);
  template <class T>
  void add_rows(const SparseGradient& gradient);
  template <class T>
  void clear_rows();
  template <class T>
  void report_rows();

  Tape& tape_;
  const SequenceEncoder& encoder_;
  bool has_noise_;
  std::shared_ptr<SequencePrograms> programs_;
  std::vector<SequenceTable> tables_;
  std::vector<DenseParameter*> dense_;
  Extent token_count_ = 0;
  std::array<Index, 4> row_index_;  // by SequenceTable::Row
  Tensor values_;

  std::vector<std::uint32_t> distinct_rows_, sequence_of_document_;
  PackedSequences packed_;
  MaskedTokens masked_;
  std::vector<std::uint32_t> masked_offsets_, every_row_;
  std::vector<std::uint32_t> block_offsets_;
  std::vector<Block> blocks_;
  std::uint64_t run_ = 0;
  std::vector<RowSums> sums_;  // by table
};

}  // namespace ultr
