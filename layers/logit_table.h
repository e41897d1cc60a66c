#pragma once

#include <fmt/core.h>

#include "autograd/ops/gather.h"
#include "base/available_memory.h"
#include "layers/logit_layer.h"

namespace ultr {

/// One logit per entry of a small domain (global, rank, rank pair, alternative). The table is read
/// as a whole: its logits are transformed once per step and then repeated for the documents.
class LogitTable final : public LogitLayer {
 public:
  explicit LogitTable(const LayerSetting& setting)
      : domain_(setting.domain), values_(setting.name, setting.entries, 1) {
    values_.fill(static_cast<float>(setting.start));
    values_.set_decays(false);
  }

  Logits logits(const Inputs& inputs) const override {
    const Tensor values = read(inputs.tape(), values_.view());
    if (domain_ == Domain::global || domain_ == Domain::alternative) return {values, std::nullopt};
    return {values, inputs.index(domain_)};
  }
  std::vector<Parameter*> parameters() override { return {&values_}; }
  void shift(float by) override {
    for (std::int64_t i = 0; i < values_.rows(); ++i) values_.value(i) += by;
  }
  std::string formula() const override { return values_.name() + "[e]"; }
  std::optional<EntryLogits> entry_logits() override { return EntryLogits{&values_, nullptr}; }

 private:
  Domain domain_;
  DenseParameter values_;
};

/// Options of `table`.
struct LogitTableOptions final : LayerOptions {
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override {
    expect_numbered(setting);
    // A value, two moments and a gradient for each entry.
    expect_memory(static_cast<std::size_t>(setting.entries) * 4 * sizeof(float),
                  fmt::format("{}, a table of {} entries", setting.name, setting.entries));
    return std::make_unique<LogitTable>(setting);
  }
};

}  // namespace ultr
