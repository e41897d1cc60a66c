#pragma once

#include "layers/logit_layer.h"

namespace ultr {

/// Options of `embedding`.
struct EmbeddingOptions final : LayerOptions {
  bool baseline = true;
  double spread = 0.01;

  void fields(Fields& f) override;
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// One logit a row of a table: a shared baseline plus the row's offset, which starts near zero, so
/// that a row that was never trained predicts the baseline (thesis section 5.6.2). Only rows that a
/// batch reads are touched by a step.
class Embedding final : public LogitLayer {
 public:
  Embedding(const EmbeddingOptions& options, const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override;
  std::vector<Parameter*> parameters() override;
  void shift(float by) override;
  std::optional<EntryLogits> entry_logits() override {
    return EntryLogits{&rows_, baseline_.get()};
  }

 private:
  Domain domain_;
  EmbeddingTable rows_;
  std::unique_ptr<DenseParameter> baseline_;  // null: each row is a logit of its own
};

}  // namespace ultr
