#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "layers/graph_builder.h"
#include "layers/parameter.h"
#include "layers/row_part.h"
#include "options/fields.h"

namespace ultr {

/// What a logit belongs to.
enum class Domain : std::uint8_t {
  global,         // one for all
  rank,           // one a displayed position
  rank_pair,      // one a (displayed position, displayed position of the last click above or none)
  document,       // one a query-document pair
  document_rank,  // one a query-document pair at a displayed position
  alternative,    // one for each of several ways, of which every session goes one
};
std::string to_string(Domain domain);
/// Whether entries of a domain are those of query-document pairs.
inline bool is_of_documents(Domain domain) {
  return domain == Domain::document || domain == Domain::document_rank;
}

/// What a batch offers to layers while a program is recorded. Everything is symbolic: an index is
/// bound when the program runs.
class Inputs {
 public:
  virtual ~Inputs() = default;
  virtual Tape& tape() const = 0;
  /// For each document of the batch, which of the logits of a domain is its own: the row of its
  /// query-document pair, its displayed position (0-based), or its pair of positions (0-based
  /// number of `position * (positions + 1) + last clicked position (1-based, 0 = none)`). For
  /// `global` the index has a single entry, 0, for all documents together.
  virtual Index index(Domain domain) const = 0;
  /// What a tower computes logits from, without gradient: [rows, LayerSetting::features].
  ///
  /// Of `document` the features of each document of the batch; of `document_rank` these, followed
  /// by a one-hot vector of its displayed position. Of `rank`, if documents have bias features, the
  /// one-hot vector of each document's position, followed by these. Of other domains the identity
  /// matrix: a row an entry, not a document, so that the first layer's weights are a vector an
  /// entry.
  virtual Tensor features(Domain domain) const = 0;
  /// The key of the random numbers of this run (see dropout); nothing in programs without noise.
  virtual std::optional<Index> noise() const { return std::nullopt; }
};

/// Logits of a layer: one a document if `per_document` is empty (or one for all, if values is a
/// scalar), else one an entry of the domain, and `per_document` says which is whose. The values can
/// be transformed before they are repeated.
struct Logits {
  Tensor values;
  std::optional<Index> per_document;
};

/// A layer's logits as numbers that can be set one by one: that of entry i is values[i], plus that
/// of a baseline which all entries share.
struct EntryLogits {
  Parameter* values = nullptr;
  DenseParameter* baseline = nullptr;  // null: none
};

/// Anything that maps a batch to one logit per document, rank, rank pair or for all. Any parameter
/// of any click model can be any such layer.
class LogitLayer {
 public:
  virtual ~LogitLayer() = default;
  /// Records the layer on the tape of the inputs.
  virtual Logits logits(const Inputs& inputs) const = 0;
  /// All that is learned.
  virtual std::vector<Parameter*> parameters() = 0;
  /// Adds to every logit at once, where training starts from: before any step.
  virtual void shift(float by) = 0;
  /// The logit of entry e of the domain (see Inputs::index) as a formula in Python's notation, of
  /// the parameters by name, for readers of a saved model: "attraction.baseline + attraction[e]".
  /// Empty if entries alone do not give it.
  virtual std::string formula() const { return {}; }
  /// The logits, [n, 1], that it computes from rows of features and nothing else, [n, features], as
  /// part of a graph that other programs can run; nothing if it needs anything else.
  virtual std::optional<GraphValue> graph(GraphBuilder&, GraphValue) const { return std::nullopt; }
  /// The logits as numbers; nothing if entries share numbers or a tower computes them.
  virtual std::optional<EntryLogits> entry_logits() { return std::nullopt; }
  /// The tables of which an entry of the domain reads the row of its own number, if entries read
  /// nothing else: processes may then each have the rows of some entries (LayerSetting::part).
  /// Empty: entries read features alone. Nothing: neither is so.
  virtual std::optional<std::vector<EmbeddingTable*>> tables_by_entry() { return std::nullopt; }
};

/// What a layer is built for.
struct LayerSetting {
  std::string name;  // of the model's parameter: "attraction"
  Domain domain = Domain::global;
  std::int64_t entries = 1;  // of the domain: rows, positions, pairs of positions, or 1
  /// The query-document pairs whose entries these are, and how many each has, side by side; of
  /// other domains all.
  RowPart part = {};
  std::int64_t entries_per_pair = 1;
  std::int64_t features = 0;  // columns of Inputs::features; 0 if the data have none
  std::int64_t unknown = 0;   // the first so many entries stand for what training never shows
  double start = 0;           // logit to start from
  std::uint64_t seed = 1;
  std::uint32_t number = 0;  // of the parameter in its model, to draw different numbers for each

  /// The number that an entry of these has among those of all pairs.
  std::int64_t number_of(std::int64_t entry) const {
    return part.row(entry / entries_per_pair) * entries_per_pair + entry % entries_per_pair;
  }
};

/// Throws ConfigError if there are more entries than Inputs::index can tell apart: 2^32.
void expect_numbered(const LayerSetting& setting);

/// The options of a type of layer, which also build it.
class LayerOptions : public Options {
 public:
  /// Probability that training starts from; without it the model's own choice.
  std::optional<double> start;

  virtual std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const = 0;

 protected:
  /// The field all layers have.
  void start_field(Fields& f);
};

}  // namespace ultr
