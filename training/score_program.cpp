#include "training/score_program.h"

#include <array>
#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/slice.h"
#include "base/error.h"
#include "dsl/programs/coin_tosses.h"

namespace ultr {

ScoreProgram::ScoreProgram(const TrainableModel& model, std::size_t longest)
    : model_(model),
      tape_(Precision::float64),
      inputs_(tape_, longest, static_cast<std::size_t>(model.setting().positions),
              model.setting().features),
      probabilities_(tape_) {
  inputs_.add_document_terms();
  const Session session(inputs_, probabilities_);
  const Chain chain = model.story().chain(session);
  click_.emplace(chain, session);
  if (const auto click = memoryless_click(chain)) {
    const Tensor log_seen = where(inputs_.clicked(), *click, !*click).log();
    losses_.push_back(
        sum(log_seen.shape().single() ? repeat(log_seen, inputs_.documents()) : log_seen));
  } else {
    const Tensor so_far = chain_log_likelihoods_so_far(chain, session, Impossible::scored);
    losses_.push_back(sum(slice(so_far, inputs_.rank(0))));
    for (std::size_t k = 1; k < longest; ++k)
      losses_.push_back(sum(slice(so_far, inputs_.rank(k))) -
                        sum(slice(so_far, inputs_.continuing(k - 1))));
  }
  try {
    tossed_ = tossed_logits(model.story(), session);
  } catch (const ConfigError&) {  // no independent coins
  }
  std::vector<Tensor> outputs = losses_;
  outputs.insert(outputs.end(), click_->inputs().begin(), click_->inputs().end());
  if (tossed_) outputs.push_back(*tossed_);
  tape_.require(outputs);
}

void ScoreProgram::read_gradients(std::vector<std::vector<double>>& to) const {
  to.resize(model_.layers().size());
  for (std::size_t l = 0; l < to.size(); ++l) {
    to[l].assign(documents_, 0.0);
    const ParameterView* const terms = inputs_.document_terms(*model_.layers()[l].layer);
    for (const SparseGradient& gradient : tape_.sparse_gradients()) {
      if (gradient.parameter != terms) continue;
      const auto* const values = static_cast<const double*>(gradient.values);
      for (std::size_t i = 0; i < gradient.rows.size(); ++i) to[l][gradient.rows[i]] += values[i];
    }
  }
}

void ScoreProgram::run(const Shard& shard) {
  inputs_.bind(shard);
  tape_.replay();
  documents_ = shard.documents();
  click_->run(shard, tape_.precision());
  const auto& [output, p, complement, likelihood] = click_->click();
  weights_.resize(documents_);
  for (std::size_t i = 0; i < documents_; ++i) {
    const double odds = shard.clicks()[i] != 0 ? p[i] / complement[i] : complement[i] / p[i];
    weights_[i] = std::isfinite(odds) ? std::sqrt(odds) : 0;
  }
  if (!tossed_) return;
  tape_.backward(*tossed_);
  read_gradients(tosses_);
}

void ScoreProgram::differentiate(std::size_t pass) {
  tape_.backward(losses_[pass]);
  read_gradients(gradients_);
}

std::span<const double> ScoreProgram::tosses(std::size_t layer) const {
  if (!tossed_) return {};
  return tosses_[layer];
}

}  // namespace ultr
