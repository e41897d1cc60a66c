#include "losses/naive.h"

#include "losses/lambdarank.h"
#include "losses/pointwise.h"
#include "losses/softmax.h"

namespace ultr {

NaiveLoss::NaiveLoss(ModelBuilder& build)
    : RankingLoss(build),
      base_(build.word("base", "pointwise", {"pointwise", "softmax", "pairwise", "lambdarank"},
                       "Loss that is computed on the raw clicks.")),
      normalise_(build.boolean("normalise", true,
                               "Divide lambdarank's loss of each list by the list's ideal DCG.")) {}

Tensor NaiveLoss::loss(const Lists& lists) const {
  const Tensor r = scores(lists), clicks = lists.targets();
  const Segments segments = lists.segments();
  if (base_ == "pointwise") return pointwise_loss(r, clicks, segments);
  if (base_ == "softmax") return softmax_loss(r, clicks, segments);
  if (base_ == "pairwise") return pairwise_logistic(r, clicks, segments);
  return lambdarank_loss(r, clicks, segments, normalise_);
}

std::optional<Examination> NaiveLoss::story(const Session& session) const {
  if (!predicts_clicks()) return std::nullopt;
  return Examination{.examination = session.always(), .attraction = relevance(session)};
}

}  // namespace ultr
