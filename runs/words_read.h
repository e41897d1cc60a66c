#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/log/dataset.h"
#include "dsl/trainable_model.h"
#include "layers/sequence_encoder.h"
#include "report/html.h"

namespace ultr {

/// Counts of the words that an encoder reads of some documents, each counted once.
struct WordCounts {
  std::size_t documents = 0;
  std::size_t words = 0;      // of the documents and their queries
  std::size_t cut = 0;        // left out, since a sequence has SequenceLayout::max_tokens
  std::size_t truncated = 0;  // documents with such words
  std::size_t unknown = 0;    // of the words that are read
};

/// Counts the words of some rows of a table.
WordCounts count_words(const SequenceLayout& layout, const TokenTable& table,
                       std::span<const std::uint32_t> rows);

/// The words that a layer reads of each split's documents.
struct WordsRead {
  std::string parameter;
  SequenceLayout layout;
  std::vector<std::pair<std::string, WordCounts>> splits;  // "train", "valid", "test"
};

/// Returns the words that the encoders of a model read: one entry per layer that reads any.
std::vector<WordsRead> words_read(const TrainableModel& model, const Dataset& dataset);

/// Returns the section `words` of results.json: per parameter its vocabulary, its `max_tokens` and
/// tokens of special meaning, and of each split the numbers of `documents` and `words` and the
/// shares that are unknown (of words read), truncated (of documents) and cut (of words).
nlohmann::ordered_json words_json(std::span<const WordsRead> all);

/// Returns the section of a report with the same numbers.
ReportSection words_section(std::span<const WordsRead> all);

}  // namespace ultr
