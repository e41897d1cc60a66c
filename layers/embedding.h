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

/// A logit an entry: a shared baseline plus the entry's offset, which starts near zero, so that an
/// entry that was never trained predicts the baseline (thesis section 5.6.2).
///
/// The offset is the entry's row of a table, or what a compression makes of the rows of several.
/// With a dimension d > 1 rows are vectors, and the offset is their product with a learned vector
/// of d weights, which starts in a random direction with length 1. The tables' numbers start with
/// standard deviation `spread`, so that offsets do in any dimension.
///
/// A step touches only the rows that its batch reads.
class Embedding final : public LogitLayer {
 public:
  /// Throws ConfigError if the compression leaves no row.
  Embedding(const EmbeddingOptions& options, const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override;
  /// The baseline, the projection and the compression's tables, as far as there are any.
  std::vector<Parameter*> parameters() override;
  void shift(float by) override;
  std::string formula() const override;
  /// Only of rows that are single numbers, one an entry.
  std::optional<EntryLogits> entry_logits() override;
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() override;

 private:
  void start_projection(const LayerSetting& setting);
  /// What to add to the rows of the last table to add 1 to every offset, as long as the other
  /// tables, which rows may be multiplied by, are at their start.
  std::vector<double> unit_offset() const;

  Domain domain_;
  std::unique_ptr<Compression> compression_;
  std::vector<std::unique_ptr<EmbeddingTable>> tables_;
  std::unique_ptr<DenseParameter> baseline_;    // null: offsets are logits
  std::unique_ptr<DenseParameter> projection_;  // null: rows are single numbers
};

}  // namespace ultr
