#pragma once

#include "layers/affine_layer.h"

namespace ultr {

/// Maximum number of entries for a tower over a domain without features of its own, whose features
/// are an identity matrix (Inputs::features).
inline constexpr std::int64_t largest_identity = 1024;

/// A layer that computes logits from features (Inputs::features). A subclass maps features to a
/// representation, and the last, affine layer maps the representation to one logit. Towers over
/// documents, and over ranks if documents have bias features, are evaluated once per document of
/// the batch. All other towers are evaluated once per entry of their domain.
///
/// The last bias starts at the layer's initial logit and all others at 0. A document whose features
/// are all 0 therefore has the initial logit.
class Tower : public LogitLayer {
 public:
  Logits logits(const Inputs& inputs) const final;
  /// Weights and biases, from the first layer to the last.
  std::vector<Parameter*> parameters() final;
  void shift(float by) final;
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() final {
    return std::vector<EmbeddingTable*>();
  }
  /// Empty unless the tower is over documents.
  std::optional<GraphValue> graph(GraphBuilder& build, GraphValue features) const final;

  /// The input of the last layer: one row per document or entry.
  Tensor representation(const Inputs& inputs) const {
    return representation(inputs.features(domain_), inputs);
  }
  /// For each document, its row of the representation. Empty if there is one row per document, or
  /// one for all.
  std::optional<Index> per_document(const Inputs& inputs) const;
  /// Columns of the representation.
  std::int64_t width() const { return last_.weights().rows(); }

 protected:
  /// `type`: the tower's name in a configuration. `name`: suffix of the last layer's name.
  /// `columns`: columns of the representation. `number`: number of layers before the last. Throws
  /// ConfigError if the tower is over documents without features, or if a domain without features
  /// has too many entries.
  Tower(const char* type, const LayerSetting& setting, const std::string& name,
        std::int64_t columns, std::uint64_t number);

  /// Maps features to the representation, on a tape.
  virtual Tensor representation(Tensor features, const Inputs& inputs) const = 0;
  /// Maps features to the representation in a graph, without dropout.
  virtual GraphValue representation(GraphBuilder& build, GraphValue features) const = 0;
  /// All layers but the last.
  virtual std::vector<const AffineLayer*> inner_layers() const { return {}; }

  /// True if there is one value per entry of the domain, false if one per document.
  bool per_entry() const { return per_entry_; }
  const AffineLayer& last_layer() const { return last_; }

 private:
  Domain domain_;
  bool per_entry_;
  AffineLayer last_;
};

}  // namespace ultr
