#include "losses/logged_order.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/segments.h"
#include "dsl/model_setting.h"
#include "losses/softmax.h"

namespace ultr {
namespace {

/// Returns softmax(targets) of each list, held constant.
Tensor attention_shares(Tensor targets, Segments lists) {
  return stop_gradient(exp(segment_log_softmax(targets, lists)));
}

std::vector<double> reciprocal_positions(std::int64_t positions) {
  std::vector<double> reciprocals;
  for (std::int64_t k = 1; k <= positions; ++k) reciprocals.push_back(1 / static_cast<double>(k));
  return reciprocals;
}

}  // namespace

Tensor attention_rank_loss(Tensor scores, Tensor targets, Segments lists) {
  return softmax_loss(scores, attention_shares(targets, lists), lists);
}

Tensor attention_rank_curvature(Tensor scores, Tensor targets, Segments lists, Index list_numbers) {
  return softmax_curvature(scores, attention_shares(targets, lists), lists, list_numbers);
}

LoggedOrderLoss::LoggedOrderLoss(ModelBuilder& build) : RankingLoss(build) {
  if (const ModelSetting* setting = build.setting())
    targets_ = reciprocal_positions(setting->positions);
}

LoggedOrderLoss::LoggedOrderLoss(LogitParameter parameter, std::int64_t positions)
    : RankingLoss(std::move(parameter)), targets_(reciprocal_positions(positions)) {}

Tensor LoggedOrderLoss::loss(const Lists& lists) const {
  return attention_rank_loss(scores(lists), lists.at_positions(targets_), lists.segments());
}

std::optional<Tensor> LoggedOrderLoss::score_curvature(const Lists& lists) const {
  return attention_rank_curvature(scores(lists), lists.at_positions(targets_), lists.segments(),
                                  lists.list_numbers());
}

}  // namespace ultr
