#pragma once

#include "layers/compression.h"

namespace ultr {

/// Options of `embedding`.
struct EmbeddingOptions final : LayerOptions {
  bool baseline = true;
  double spread = 0.01;
  std::int64_t dimension = 1;
  Choice compression;

  EmbeddingOptions();
  void fields(Fields& f) override;
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// One learned logit per entry: a shared baseline plus the entry's offset. Offsets start near zero,
/// so that an entry that was never trained predicts the baseline (thesis section 5.6.2).
///
/// The offset is the entry's row of a table, or a compression's combination of rows of several
/// tables. With a dimension d > 1, rows are vectors, and the offset is the dot product of the
/// vector and a learned projection of d weights. The projection starts in a random direction with
/// length 1. The tables start with standard deviation `spread`, so that offsets do in any
/// dimension.
///
/// A training step touches only the rows that its batch reads.
class Embedding final : public LogitLayer {
 public:
  /// Throws ConfigError if the compression leaves no row.
  Embedding(const EmbeddingOptions& options, const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override;
  /// The baseline, the projection and the tables, in this order, as far as they exist.
  std::vector<Parameter*> parameters() override;
  void shift(float by) override;
  std::string formula() const override;
  /// Empty unless each entry has a row of its own that is a single number.
  std::optional<EntryLogits> entry_logits() override;
  /// Empty if entries share rows.
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() override;

 private:
  void start_projection(const LayerSetting& setting);
  /// Returns the vector that, added to every row of the last table, adds 1 to every offset. This
  /// holds as long as the other tables, which rows may be multiplied by, have their initial values.
  std::vector<double> unit_offset() const;

  Domain domain_;
  std::unique_ptr<Compression> compression_;
  std::vector<std::unique_ptr<EmbeddingTable>> tables_;
  std::unique_ptr<DenseParameter> baseline_;    // null: offsets are the logits
  std::unique_ptr<DenseParameter> projection_;  // null: rows are single numbers
};

}  // namespace ultr
