#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape/tape.h"
#include "layers/graph_builder.h"
#include "layers/parameter.h"
#include "layers/row_part.h"
#include "options/fields.h"

namespace ultr {

/// The things that a parameter has one logit for each of.
enum class Domain : std::uint8_t {
  global,         // one logit for all
  rank,           // one per displayed position
  rank_pair,      // one per (displayed position, position of the last click above it or none)
  document,       // one per query-document pair
  document_rank,  // one per query-document pair and displayed position
  alternative,    // one per alternative, of which every session follows one
  rank_viewed,    // one per displayed position and whether the document there was viewed
  rank_skipped,   // one per displayed position and whether the document above was skipped
  dwell,          // one per class of dwell times after a click
};
/// Returns the name of a domain for messages, such as "rank pair".
std::string to_string(Domain domain);
/// True for domains whose entries belong to query-document pairs.
inline bool is_of_documents(Domain domain) {
  return domain == Domain::document || domain == Domain::document_rank;
}

/// Scores rows of features, for layers whose logits no ops compute, such as trees.
class FeatureScorer {
 public:
  virtual ~FeatureScorer() = default;
  /// Writes the score of each listed row of a matrix of features. Scores may be kept for later
  /// calls: the features do not change while `owner` lives. Thread-safe.
  virtual void score(const ParameterView& features, const std::shared_ptr<const void>& owner,
                     std::span<const std::uint32_t> rows, std::span<float> scores) const = 0;
};

class SequenceEncoder;
struct MaskedWordTask;

/// The inputs that a batch offers to layers while a program is recorded. All of them are symbolic:
/// their indices are bound when the program runs.
class Inputs {
 public:
  virtual ~Inputs() = default;
  virtual Tape& tape() const = 0;
  /// For each document of the batch, the number of its entry in the domain:
  ///
  /// - `document`: the row of its query-document pair
  /// - `rank`: its displayed position, from 0
  /// - `document_rank`: row * positions + displayed position
  /// - `rank_pair`: position * (positions + 1) + last clicked position (from 1; 0 = none)
  /// - `rank_viewed`: position * 2 + 1 if the document was viewed, else position * 2
  /// - `rank_skipped`: the same of a skip of the document above, of which the first has none
  /// - `dwell`: 0 if the dwell time is unknown, else 1 + floor(log2(seconds)), at most 11
  ///
  /// The index of any other domain has a single entry, 0, for all documents together.
  virtual Index index(Domain domain) const = 0;
  /// The features that a tower computes logits from, as constants: [rows, LayerSetting::features].
  ///
  /// - `document`: the features of each document of the batch.
  /// - `document_rank`: these, followed by a one-hot vector of the displayed position.
  /// - `rank`, if documents have bias features: the one-hot vector of each document's position,
  ///   followed by its bias features.
  /// - Otherwise the identity matrix, with one row per entry instead of one per document. The first
  ///   layer's weights are then one vector per entry.
  virtual Tensor features(Domain domain) const = 0;
  /// The scores that a scorer, which must outlive the program, gives to the documents' features of
  /// relevance: [documents]. Throws Error if the inputs cannot score documents.
  virtual Tensor scores(const FeatureScorer& scorer) const;
  /// The number that an encoder, which must outlive the program, gives to the words of each
  /// document: [documents]. `noise`: the key of its dropout. Throws Error if the inputs have no
  /// words.
  virtual Tensor sequence_values(const SequenceEncoder& encoder, std::optional<Index> noise) const;
  /// The key of the random numbers of this run (see dropout). Empty in programs without noise.
  virtual std::optional<Index> noise() const { return std::nullopt; }
};

/// The logits of a layer. If `per_document` is empty, there is one value per document, or a scalar
/// for all. Otherwise there is one value per entry of the domain, and `per_document` has the entry
/// of each document. The values can then be transformed before they are repeated for the documents.
struct Logits {
  Tensor values;
  std::optional<Index> per_document;
};

/// A layer's logits as numbers that can be set one by one. The logit of entry i is values[i] plus a
/// baseline that all entries share.
struct EntryLogits {
  Parameter* values = nullptr;
  DenseParameter* baseline = nullptr;  // null: none
};

/// A layer: maps a batch to one logit per document, per rank, per rank pair, or for all. Any layer
/// can provide any parameter of any click model.
class LogitLayer {
 public:
  virtual ~LogitLayer() = default;
  /// Records the layer on the tape of the inputs.
  virtual Logits logits(const Inputs& inputs) const = 0;
  /// All learned parameters.
  virtual std::vector<Parameter*> parameters() = 0;
  /// Adds `by` to every logit, to set where training starts. Must be called before any step.
  virtual void shift(float by) = 0;
  /// Returns the logit of entry e of the domain (see Inputs::index) as a formula of the parameters'
  /// names in Python notation, for readers of a saved model: "attraction.baseline + attraction[e]".
  /// Empty if the entry alone does not determine the logit.
  virtual std::string formula() const { return {}; }
  /// Adds the layer to a graph that other programs can run. Maps rows of features, [n, features],
  /// to logits, [n, 1]. Empty if the layer needs anything but features.
  virtual std::optional<GraphValue> graph(GraphBuilder&, GraphValue) const { return std::nullopt; }
  /// The logits as numbers. Empty if entries share numbers or a tower computes them.
  virtual std::optional<EntryLogits> entry_logits() { return std::nullopt; }
  /// The task of guessing masked words that the layer learns, too; null if it does not.
  virtual const MaskedWordTask* masked_words() const { return nullptr; }
  /// Writes files for other programs, beside those of the parameters, to the folder of the trained
  /// model.
  virtual void save_files(const std::filesystem::path&) const {}
  /// The tables, if each entry of the domain reads only the rows of its own number. Processes may
  /// then each hold the rows of some entries (LayerSetting::part). An empty list: entries read
  /// features alone. No value: entries read other numbers.
  virtual std::optional<std::vector<EmbeddingTable*>> tables_by_entry() { return std::nullopt; }
};

/// The setting that a layer is built for: its parameter, its domain and their sizes.
struct LayerSetting {
  std::string name;  // name of the parameter in its model: "attraction"
  Domain domain = Domain::global;
  std::int64_t entries = 1;  // size of the domain: rows, positions, pairs of positions, or 1
  /// For domains of documents: the query-document pairs whose entries this process holds, and the
  /// number of adjacent entries per pair. For other domains every process holds all entries.
  RowPart part = {};
  std::int64_t entries_per_pair = 1;
  std::int64_t features = 0;    // columns of Inputs::features; 0 if the data have none
  bool missing = false;         // features may be missing: NaN
  std::int64_t vocabulary = 0;  // tokens of the documents' words; 0 if the data have none
  std::int64_t unknown = 0;     // number of first entries, which never occur in training
  double start = 0;             // initial logit
  std::uint64_t seed = 1;
  std::uint32_t number = 0;  // of the parameter in its model; each draws other random numbers
  /// The parameters will be those of a saved model: files with values to start from are not read.
  bool restored = false;

  /// Maps an entry that this process holds to its number among the entries of all pairs.
  std::int64_t number_of(std::int64_t entry) const {
    return part.row(entry / entries_per_pair) * entries_per_pair + entry % entries_per_pair;
  }
};

/// Throws ConfigError if there are more entries than an index can tell apart: 2^32.
void expect_numbered(const LayerSetting& setting);

/// Options of a type of layer, which also build it.
class LayerOptions : public Options {
 public:
  /// Initial probability. If empty, the model chooses it.
  std::optional<double> start;

  /// Visits the field `start`, which all layers have; layers with more call it first.
  void fields(Fields& f) override;
  /// Replaces each file that the options name by the location that `find` returns.
  virtual void locate_files(const std::function<std::string(const std::string& file)>&) {}
  virtual std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const = 0;
};

}  // namespace ultr
