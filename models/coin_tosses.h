#pragma once

#include "models/click_model.h"

namespace ultr {

/// Σ of the logits of the coins that users tossed on the observed branch of a story, each as often
/// as it was tossed: a scalar whose gradient counts the tosses of every coin.
///
/// By Fisher's identity the expected heads of a coin with logit x that is tossed N times are
/// σ(x) N + ∂ log P(clicks)/∂x, so that these counts are all that expectation maximisation needs
/// beside the gradient. A coin is tossed once for each independent use of its parameter: those of
/// a state's examination and attraction at every shown document, those of its moves at every
/// document but the last of a list, after a click or a skip as observed. Uses in different states,
/// or in different branches of one decision, exclude each other and share one coin; so do p and !p.
/// Counting a coin that a user never came to toss slows EM down but leaves it exact.
///
/// Throws ConfigError, saying why, for a story that is not made of independent coins.
Tensor tossed_logits(const ClickModel& model, const Session& session);

/// The two sums that counting needs, of sessions that end with their last click (all is examined in
/// a session without clicks), so that no coin is hidden: log P(what the user did), and the logits
/// of the coins that were tossed, as above. The literature's simplified DBN and DCM are fitted so.
///
/// Throws ConfigError, saying why, unless the story is a cascade that always goes on after a skip
/// and tosses one coin to go on after a click.
struct CompleteData {
  Tensor log_likelihood, tossed_logits;  // scalars
};
CompleteData complete_data(const ClickModel& model, const Session& session);

}  // namespace ultr
