#pragma once

#include "layers/logit_layer.h"

namespace ultr {

/// One logit per entry of a small domain (global, rank, rank pair, alternative). The table is read
/// as a whole: its logits are transformed once per step and then repeated for the documents.
class LogitTable final : public LogitLayer {
 public:
  explicit LogitTable(const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override;
  std::vector<Parameter*> parameters() override { return {&values_}; }
  void shift(float by) override;
  std::string formula() const override { return values_.name() + "[e]"; }
  std::optional<EntryLogits> entry_logits() override { return EntryLogits{&values_, nullptr}; }

 private:
  Domain domain_;
  DenseParameter values_;
};

/// Options of `table`.
struct LogitTableOptions final : LayerOptions {
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

}  // namespace ultr
