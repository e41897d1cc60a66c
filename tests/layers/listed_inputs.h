#pragma once

#include <vector>

#include "autograd/gather.h"
#include "autograd/slice.h"
#include "layers/logit_layer.h"

namespace ultr::testing {

/// Inputs of a few documents: the same entries whatever the domain, and one for all of `global`.
class ListedInputs final : public Inputs {
 public:
  ListedInputs(Tape& tape, std::vector<std::uint32_t> entries)
      : tape_(tape),
        values_(std::move(entries)),
        listed_(tape.index(static_cast<std::int64_t>(values_.size()))),
        only_(tape.index(1)) {
    tape.bind(listed_, values_);
    tape.bind(only_, zero_);
  }

  Tape& tape() const override { return tape_; }
  Index index(Domain domain) const override { return domain == Domain::global ? only_ : listed_; }
  std::int64_t documents() const { return static_cast<std::int64_t>(values_.size()); }

  /// The logit of each document, recorded.
  Tensor logits_of(const LogitLayer& layer) const {
    const Logits logits = layer.logits(*this);
    if (logits.per_document) return take(logits.values, *logits.per_document);
    return logits.values.shape().single() ? repeat(logits.values, documents()) : logits.values;
  }

 private:
  Tape& tape_;
  std::vector<std::uint32_t> values_, zero_ = {0};
  Index listed_, only_;
};

/// The logits that a layer gives to documents with these entries.
inline std::vector<double> logits_of(const LogitLayer& layer,
                                     const std::vector<std::uint32_t>& entries) {
  Tape tape;
  const ListedInputs inputs(tape, entries);
  return inputs.logits_of(layer).values();
}

}  // namespace ultr::testing
