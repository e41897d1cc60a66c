#include "layers/logit_table.h"

#include "autograd/gather.h"

namespace ultr {

LogitTable::LogitTable(const LayerSetting& setting)
    : domain_(setting.domain), values_(setting.name, setting.entries, 1) {
  values_.fill(static_cast<float>(setting.start));
  values_.set_decays(false);
}

Logits LogitTable::logits(const Inputs& inputs) const {
  const Tensor values = read(inputs.tape(), values_.view());
  if (domain_ == Domain::global || domain_ == Domain::alternative) return {values, std::nullopt};
  return {values, inputs.index(domain_)};
}

void LogitTable::shift(float by) {
  for (std::int64_t i = 0; i < values_.rows(); ++i) values_.value(i) += by;
}

std::unique_ptr<LogitLayer> LogitTableOptions::build(const LayerSetting& setting) const {
  expect_numbered(setting);
  return std::make_unique<LogitTable>(setting);
}

}  // namespace ultr
