#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/log/dataset.h"
#include "dsl/trainable_model.h"
#include "layers/sequence_encoder.h"
#include "report/html.h"
#include "training/training.h"

namespace ultr {

/// Counts of the words that an encoder reads of some documents, each counted once.
struct WordCounts {
  std::size_t documents = 0;
  std::size_t words = 0;          // of the documents and their queries
  std::size_t cut = 0;            // left out, since a sequence has SequenceLayout::max_tokens
  std::size_t truncated = 0;      // documents with such words
  std::size_t unknown = 0;        // of the words that are read
  std::size_t most_frequent = 0;  // of these, without unknown ones: the occurrences of one word
};

/// Counts the words of some rows of a table.
WordCounts count_words(const SequenceLayout& layout, const TokenTable& table,
                       std::span<const std::uint32_t> rows);

/// The words that a layer reads of each split's documents.
struct WordsRead {
  std::string parameter;
  SequenceLayout layout;
  std::vector<std::pair<std::string, WordCounts>> splits;  // "train", "valid", "test"
  /// The share of masked words of the validation lists that the layer guessed at the best epoch of
  /// the stage that taught it to; empty if none did.
  std::optional<double> masked_accuracy{};
};

/// Returns the words that the encoders of a model read: one entry per layer that reads any.
std::vector<WordsRead> words_read(const TrainableModel& model, const Dataset& dataset);

/// Returns the share of masked words that a parameter's layer guessed at the best epoch of a stage
/// of training; empty if the stage did not teach it to.
std::optional<double> masked_accuracy(const TrainingResult& stage, const std::string& parameter);

/// Sets the accuracies of the layers that learned to guess masked words in a stage of training.
void set_masked_accuracy(const TrainingResult& stage, std::span<WordsRead> all);

/// Returns the section `words` of results.json: per parameter its vocabulary, its `max_tokens` and
/// tokens of special meaning, `masked_accuracy` if it learned to guess masked words, and of each
/// split the numbers of `documents` and `words` and the shares that are unknown (of words read),
/// truncated (of documents), cut (of words) and the most frequent word (of known words read).
nlohmann::ordered_json words_json(std::span<const WordsRead> all);

/// Returns the section of a report with the same numbers.
ReportSection words_section(std::span<const WordsRead> all);

}  // namespace ultr
