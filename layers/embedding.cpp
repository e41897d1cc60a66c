#include "layers/embedding.h"

#include "autograd/arithmetic.h"
#include "autograd/gather.h"
#include "autograd/random.h"

namespace ultr {

void EmbeddingOptions::fields(Fields& f) {
  start_field(f);
  f.boolean("baseline", baseline, "Add one learned logit to all rows; rows are offsets from it.");
  f.number("spread", spread, "Standard deviation of the rows' starting values, in logits.",
           at_least(0));
}

std::unique_ptr<LogitLayer> EmbeddingOptions::build(const LayerSetting& setting) const {
  return std::make_unique<Embedding>(*this, setting);
}

Embedding::Embedding(const EmbeddingOptions& options, const LayerSetting& setting)
    : domain_(setting.domain), rows_(setting.name, setting.entries, 1) {
  if (options.baseline) {
    baseline_ = std::make_unique<DenseParameter>(setting.name + ".baseline", 1, 1);
    baseline_->fill(static_cast<float>(setting.start));
    baseline_->set_decays(false);
  }
  const double centre = options.baseline ? 0 : setting.start;
  for (std::int64_t row = 0; row < rows_.rows(); ++row) {
    // What training never shows predicts the baseline exactly.
    if (row < setting.unknown || options.spread == 0) {
      rows_.value(row) = static_cast<float>(centre);
      continue;
    }
    RandomStream random(setting.seed, RandomPurpose::initialisation, setting.number,
                        static_cast<std::uint64_t>(row));
    rows_.value(row) = static_cast<float>(centre + options.spread * random.normal());
  }
}

Logits Embedding::logits(const Inputs& inputs) const {
  const Tensor offsets = gather(inputs.tape(), rows_.view(), inputs.index(domain_));
  if (!baseline_) return {offsets, std::nullopt};
  return {offsets + read(inputs.tape(), baseline_->view()), std::nullopt};
}

std::vector<Parameter*> Embedding::parameters() {
  if (!baseline_) return {&rows_};
  return {baseline_.get(), &rows_};
}

void Embedding::shift(float by) {
  if (baseline_)
    baseline_->value(0) += by;
  else
    for (std::int64_t row = 0; row < rows_.rows(); ++row) rows_.value(row) += by;
}

}  // namespace ultr
