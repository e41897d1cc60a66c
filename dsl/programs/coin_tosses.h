#pragma once

#include "dsl/click_model.h"

namespace ultr {

/// Returns Σ of the logits of the coins that users tossed on the observed branch of a story, each
/// counted as often as it was tossed. The gradient of this scalar counts the tosses of every coin.
///
/// By Fisher's identity, a coin with logit x that is tossed N times shows σ(x) N + ∂ log
/// P(clicks)/∂x expected heads. These counts are therefore all that expectation maximisation (EM)
/// needs beside the gradient. A coin is tossed once for each independent use of its parameter: the
/// coins of a state's examination and attraction at every shown document, those of its moves at
/// every document but the last of a list, after a click or a skip as observed. Uses in different
/// states, or in different branches of one decision, are mutually exclusive and share one coin; so
/// do p and !p. Counting a coin that the user never came to toss slows EM down but leaves it exact.
///
/// Throws ConfigError with the reason for a story that is not made of independent coins.
Tensor tossed_logits(const ClickModel& model, const Session& session);

/// The two sums that counting needs, for sessions that end with their last click (a session without
/// clicks is examined to its end), so that no coin is hidden: log P(observed clicks and skips), and
/// the logits of the coins that were tossed, as in tossed_logits. The literature fits the
/// simplified DBN and DCM this way.
///
/// Throws ConfigError with the reason unless the story is a cascade that always goes on after a
/// skip and tosses one coin to go on after a click.
struct CompleteData {
  Tensor log_likelihood, tossed_logits;  // scalars
};
/// Returns both sums over the sessions of a shard.
CompleteData complete_data(const ClickModel& model, const Session& session);

}  // namespace ultr
