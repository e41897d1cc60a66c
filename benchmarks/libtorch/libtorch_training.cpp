#include "libtorch/libtorch_training.h"

#include <cmath>

#include "bare_step.h"

namespace ultr::bench {

using torch::Tensor;

SparseAdam::SparseAdam(Tensor table)
    : table_(std::move(table)),
      mean_(torch::zeros({table_.size(0)})),
      square_(torch::zeros({table_.size(0)})) {}

void SparseAdam::step() {
  constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  const torch::NoGradGuard no_grad;
  ++steps_;
  const Tensor gradient = table_.grad().coalesce();
  const Tensor rows = gradient._indices()[0], values = gradient._values().view(-1);
  Tensor mean = mean_.index_select(0, rows), square = square_.index_select(0, rows);
  const Tensor mean_change = (values - mean).mul_(1 - beta1);
  const Tensor square_change = values.square().sub_(square).mul_(1 - beta2);
  mean_.index_add_(0, rows, mean_change);
  square_.index_add_(0, rows, square_change);
  mean.add_(mean_change);
  square.add_(square_change).sqrt_().add_(epsilon);
  const double size =
      learning_rate * std::sqrt(1 - std::pow(beta2, steps_)) / (1 - std::pow(beta1, steps_));
  table_.view(-1).index_add_(0, rows, mean.div_(square), -size);
  table_.mutable_grad().reset();
}

LibtorchTraining::LibtorchTraining(const TrainableModel& start, const SessionLog& log,
                                   std::int64_t batch, TableGradients gradients)
    : batches_(static_cast<std::int64_t>(log.sessions()) / batch) {
  std::map<std::string, Tensor> parameters;
  for (const Parameter* parameter : start.parameters()) {
    const bool table = dynamic_cast<const EmbeddingTable*>(parameter) != nullptr;
    Tensor values = torch::tensor(parameter->values());
    if (table) values = values.unsqueeze(1);
    values.requires_grad_();
    parameters.emplace(parameter->name(), values);
    if (table && gradients == TableGradients::sparse)
      sparse_.emplace_back(values);
    else
      dense_.push_back(values);
  }
  adam_ = std::make_unique<torch::optim::Adam>(dense_, torch::optim::AdamOptions(learning_rate));
  model_ = libtorch_model(start.type(), log, batch, std::move(parameters), gradients);
}

Tensor LibtorchTraining::operator()() {
  const Tensor loss = model_->loss(next_);
  next_ = (next_ + 1) % batches_;
  // New gradients replace the old ones, instead of being added to zeros.
  for (Tensor& parameter : dense_) parameter.mutable_grad().reset();
  loss.backward();
  adam_->step();
  for (SparseAdam& table : sparse_) table.step();
  return loss;
}

}  // namespace ultr::bench
