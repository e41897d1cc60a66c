#pragma once

#include "layers/affine_layer.h"

namespace ultr {

/// Entries of a domain without features of its own that a tower may be over (Inputs::features).
inline constexpr std::int64_t largest_identity = 1024;

/// A logit computed from what Inputs::features says of an entry: subclasses make a representation
/// of it, and an affine layer a logit of that. Over documents, and over ranks if documents have
/// bias features, towers are evaluated for every document of the batch; over ranks else, pairs of
/// ranks and the global domain once an entry.
///
/// The last bias starts at the layer's starting logit, all others at 0. So does the logit of a
/// document whose features are all 0.
class Tower : public LogitLayer {
 public:
  Logits logits(const Inputs& inputs) const final;
  /// Weights and biases, from the first layer to the last.
  std::vector<Parameter*> parameters() final;
  void shift(float by) final;
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() final {
    return std::vector<EmbeddingTable*>();
  }
  /// Of towers over documents.
  std::optional<GraphValue> graph(GraphBuilder& build, GraphValue features) const final;

  /// What the last layer makes a logit of: a row a document or entry.
  Tensor representation(const Inputs& inputs) const {
    return representation(inputs.features(domain_), inputs);
  }
  /// Which row of it belongs to each document; nothing if there is a row a document, or one for
  /// all.
  std::optional<Index> per_document(const Inputs& inputs) const;
  /// Columns of the representation.
  std::int64_t width() const { return last_.weights().rows(); }

 protected:
  /// `type` is what the configuration calls it; the last layer has `name` added to the tower's, and
  /// makes a logit of `columns` numbers; `number` counts the layers before it. Throws ConfigError
  /// if the data have no features for the domain, or if it has too many entries.
  Tower(const char* type, const LayerSetting& setting, const std::string& name,
        std::int64_t columns, std::uint64_t number);

  virtual Tensor representation(Tensor features, const Inputs& inputs) const = 0;
  /// The same in a graph, without dropout.
  virtual GraphValue representation(GraphBuilder& build, GraphValue features) const = 0;
  /// All layers but the last.
  virtual std::vector<const AffineLayer*> inner_layers() const { return {}; }

  /// Whether its values are one an entry of the domain, not one a document.
  bool per_entry() const { return per_entry_; }
  const AffineLayer& last_layer() const { return last_; }

 private:
  Domain domain_;
  bool per_entry_;
  AffineLayer last_;
};

}  // namespace ultr
