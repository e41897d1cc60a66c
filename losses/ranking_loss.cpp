#include "losses/ranking_loss.h"

#include "autograd/arithmetic.h"
#include "base/error.h"

namespace ultr {

RankingLoss::RankingLoss(ModelBuilder& build)
    : relevance_(build.parameter("relevance", Domain::document,
                                 "Relevance logit of each query-document pair, r.")) {}

std::optional<Tensor> RankingLoss::objective(const Session& session, Impossible) const {
  return -loss(Lists(session));
}

Chain RankingLoss::chain(const Session& session) const {
  const auto clicks = story(session);
  if (!clicks) throw Error("the loss does not predict clicks; expected one that does");
  return independent_clicks(*clicks, session);
}

}  // namespace ultr
