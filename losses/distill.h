#pragma once

#include <string>

#include "losses/ranking_loss.h"

namespace ultr {

/// Computes the cross-entropy between the distributions that a teacher's scores t and a student's
/// scores x give to the documents of each list, at temperature T:
///
///     -T² Σ_i softmax(t/T)_i log softmax(x/T)_i
///
/// (Hinton et al., "Distilling the Knowledge in a Neural Network", 2015, for the top-one
/// distributions of lists of Cao et al., "Learning to Rank: From Pairwise Approach to Listwise
/// Approach", 2007). T² keeps slopes of the same size at every temperature. scores, teacher (no
/// gradient): [documents]; result: [lists].
Tensor softmax_distillation(Tensor scores, Tensor teacher, Segments lists, double temperature);

/// Computes bounds on its second derivatives in the scores, 2 p_i (1 - p_i) with p = softmax(x/T)
/// (see softmax_curvature, whose factor 1/T² meets T²). Result: [documents].
Tensor softmax_distillation_curvature(Tensor scores, Segments lists, double temperature);

/// Computes half the squared differences of scores (Ba and Caruana, "Do Deep Nets Really Need to be
/// Deep?", 2014): for each list ½ Σ_i (x_i - t_i)². The second derivatives are 1 and, mixed, 0.
/// scores, teacher (no gradient): [documents]; result: [lists].
Tensor squared_distillation(Tensor scores, Tensor teacher, Segments lists);

/// Computes half the squared differences of the margins between documents of a list of n
/// (Margin-MSE; Hofstätter et al., "Improving Efficient Neural Ranking Models with
/// Cross-Architecture Knowledge Distillation", 2020): for each list
///
///     1/(2n) Σ_{i<j} ((x_i - x_j) - (t_i - t_j))² = ½ Σ_i (d_i - mean(d))²   with d = x - t.
///
/// A number that is added to all scores of a list does not count. The matrix of second derivatives
/// is the identity minus 1/n, so that 1 bounds it. scores, teacher (no gradient), per_document (1
/// each): [documents]; list_numbers: for each document, the number of its list; result: [lists].
Tensor margin_distillation(Tensor scores, Tensor teacher, Segments lists, Index list_numbers,
                           Tensor per_document);

/// Distillation: relevance learns the scores of a trained run's model, its teacher. The targets of
/// the log are the teacher's relevance logits, which may be negative; the program puts them there
/// before training (runs/teacher.h).
class DistillLoss final : public RankingLoss {
 public:
  explicit DistillLoss(ModelBuilder& build);
  Tensor loss(const Lists& lists) const override;
  std::optional<Tensor> score_curvature(const Lists& lists) const override;
  Targets targets() const override { return Targets::grades; }
  /// The folder of the teacher's run; empty if the configuration names none.
  const std::string& teacher() const { return teacher_; }

 private:
  std::string teacher_, base_;
  double temperature_;
};

}  // namespace ultr
