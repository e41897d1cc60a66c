#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/tape/tape.h"
#include "layers/parameter.h"

namespace ultr {

/// The words of a query and a document as tokens, each with the type of the text that it is from: 0
/// for the query, 1 for the title, 2 for the abstract. Tokens of one type are together.
struct DocumentWords {
  std::span<const std::uint32_t> tokens = {};
  std::span<const std::uint8_t> types = {};
};

/// The way in which words become the sequence that an encoder reads:
///
///     [CLS] query [SEP] title [SEP] abstract [SEP]
///
/// A text without words is left out. A sequence longer than max_tokens loses words at its end; its
/// last token is [SEP]. Tokens from `vocabulary` on become `unknown`, types from `types` on the
/// largest one.
struct SequenceLayout {
  std::int64_t vocabulary = 0;
  std::int64_t max_tokens = 64;
  std::int64_t types = 3;
  std::uint32_t unknown = 1, start = 2, separator = 3, mask = 4;  // [UNK], [CLS], [SEP], [MASK]
};

/// Returns what one must know to make the sequences that an encoder reads, by the names of the
/// options.
std::vector<std::pair<std::string, std::int64_t>> named_numbers(const SequenceLayout& layout);

/// Sequences one after the other. Sequence i has the tokens offsets[i] to offsets[i + 1] - 1.
struct PackedSequences {
  std::vector<std::uint32_t> tokens, places, types;  // places count from 0 within a sequence
  std::vector<std::uint32_t> offsets = {0};

  std::size_t count() const { return offsets.size() - 1; }
  std::size_t length(std::size_t sequence) const {
    return offsets[sequence + 1] - offsets[sequence];
  }
  void clear();
  /// Appends the sequence of a document.
  void append(const SequenceLayout& layout, const DocumentWords& words);
};

/// The tokens of packed sequences that were masked: their numbers among the tokens, their words,
/// and the offsets of those of each sequence.
struct MaskedTokens {
  std::vector<std::uint32_t> places, words;
  std::vector<std::uint32_t> offsets = {0};
};

/// Masks tokens of sequences as SequenceEncoder::masked_share says. [CLS], [SEP] and [UNK] are
/// never chosen. The choice in sequence i depends on the key of dropout (see dropout) and i alone.
void mask_tokens(const SequenceLayout& layout, double share, std::span<const std::uint32_t> key,
                 PackedSequences& sequences, MaskedTokens& masked);

/// Returns the number of tokens that PackedSequences::append would append.
std::size_t sequence_length(const SequenceLayout& layout, const DocumentWords& words);

/// The words that an encoder is to guess: the number of each masked token among the tokens, its
/// word, and the segments of them that belong to each sequence.
struct MaskedInputs {
  Index places, words;
  Segments sequences;
};

/// The symbolic inputs of an encoder: sequences of tokens, packed one after the other.
struct SequenceInputs {
  Tape* tape = nullptr;
  Index tokens, places, types;      // one entry per token, as in PackedSequences
  Segments sequences;               // at least one token each
  std::optional<Index> noise = {};  // the key of dropout (see dropout); empty: nothing is dropped
  std::optional<MaskedInputs> masked = {};  // if SequenceEncoder::masked_share() is above 0
};

/// A table of which each token reads a row.
struct SequenceTable {
  /// The row of the token itself, of its place or of its type; or all rows.
  enum class Row : std::uint8_t { token, place, type, every };
  EmbeddingTable* table = nullptr;
  Row row = Row::token;
};

/// A layer's part that maps sequences of tokens to numbers. Its program is recorded on a tape of
/// its own and run on some sequences at a time, so that memory does not grow with their number.
class SequenceEncoder {
 public:
  virtual ~SequenceEncoder() = default;
  /// The sequences that the encoder reads.
  virtual const SequenceLayout& layout() const = 0;
  /// Records one number per sequence: [sequences].
  virtual Tensor encode(const SequenceInputs& inputs) const = 0;
  /// The share of words that are masked, to be guessed (Devlin et al., 2019); 0: the encoder reads
  /// all words. Of the chosen tokens 80 % become [MASK], 10 % a random token and 10 % stay.
  virtual double masked_share() const { return 0; }
  /// The tables whose rows it reads, and the parameters that it reads as a whole.
  virtual std::vector<SequenceTable> tables() const = 0;
  virtual std::vector<DenseParameter*> dense_parameters() const = 0;
};

/// A layer's guesses of masked words (Devlin et al., 2019), from which it learns beside its model
/// or before it: numbers of each document, over the words that SequenceEncoder::masked_share masks.
struct MaskedWordTask {
  const SequenceEncoder* log_likelihood = nullptr;  // Σ log P(word), to be maximised
  const SequenceEncoder* guessed = nullptr;         // number of words that are likeliest of all
  const SequenceEncoder* masked = nullptr;          // number of words that are masked
  /// The task's log-likelihood counts this much in the model's training; 0: a stage of its own
  /// comes before.
  double weight = 0;
};

}  // namespace ultr
