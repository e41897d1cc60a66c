#pragma once

#include <span>
#include <string>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/slice.h"
#include "base/error.h"
#include "dsl/click_model.h"
#include "layers/inputs_without_noise.h"

namespace ultr {

/// The lists of a batch, as a ranking loss sees them: one list after the other, documents from the
/// top. All vectors have one number per document, in that order.
class Lists {
 public:
  explicit Lists(const Session& session) : session_(session), inputs_(session.inputs().lists()) {}

  /// The boundaries of the lists.
  Segments segments() const { return inputs_.segments(); }
  /// Targets to learn from: clicks as 0 or 1, or the values that the log has in their place
  /// (SessionView's targets).
  Tensor targets() const { return inputs_.targets(); }
  /// For each document, the number of the first document of its list.
  Index first_documents() const { return inputs_.first_documents(); }
  /// For each document, the number of its list: take(x, list_numbers()) repeats numbers of lists.
  Index list_numbers() const { return inputs_.list_numbers(); }
  /// For each document, row * position_count + displayed position, with the dictionary's row of its
  /// query-document pair.
  Index pairs_at_positions(std::size_t position_count) const {
    return inputs_.pairs_at_positions(position_count);
  }
  /// The logging policy's probability of showing each document at its position. The log must have
  /// propensities (see SessionView).
  Tensor propensities() const { return inputs_.propensities(); }
  /// Reorders a vector with one number per document from the order of the shard to that of the
  /// lists.
  Tensor in_list_order(Tensor by_rank) const { return take(by_rank, inputs_.order()); }
  /// The logits of a parameter, one per document.
  Tensor logits(const LogitParameter& parameter) const {
    return in_list_order(parameter.logits(session_));
  }
  /// The logits of a parameter that an earlier stage has trained, as constants: without dropout,
  /// and no gradient passes.
  Tensor frozen_logits(const LogitParameter& parameter) const {
    return stop_gradient(in_list_order(parameter.layer()->logits(InputsWithoutNoise(session_))));
  }
  /// Looks up a number by the displayed position of each document. `numbers` has one number per
  /// 0-based position that the model knows; further ones are not used. Throws ConfigError if there
  /// are fewer.
  Tensor at_positions(std::span<const double> numbers) const {
    const std::size_t known = session_.inputs().position_count();
    if (numbers.size() < known)
      throw ConfigError("at_positions: " + std::to_string(numbers.size()) +
                        " numbers; expected one for each of " + std::to_string(known) +
                        " positions");
    const Shape shape = Shape::vector(static_cast<std::int64_t>(numbers.size()));
    return take(tape().constant(shape, numbers), inputs_.positions());
  }

  /// True if training minimises the loss, false if it is only evaluated.
  bool in_training() const { return session_.noise().has_value(); }
  const Session& session() const { return session_; }
  Tape& tape() const { return session_.tape(); }

 private:
  Tensor in_list_order(const Logits& logits) const {
    if (!logits.per_document && logits.values.shape().single())
      return repeat(logits.values, session_.inputs().documents());
    return in_list_order(logits.per_document ? take(logits.values, *logits.per_document)
                                             : logits.values);
  }

  const Session& session_;
  ListInputs& inputs_;
};

}  // namespace ultr
