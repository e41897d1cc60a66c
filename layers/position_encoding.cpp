#include "layers/position_encoding.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/slice.h"
#include "layers/inputs_without_noise.h"

namespace ultr {
PositionEncoding::PositionEncoding(std::shared_ptr<const LogitLayer> of, const std::string& name,
                                   std::int64_t positions)
    : of_(std::move(of)),
      tower_(dynamic_cast<const MlpTower*>(of_.get())),
      encodings_(name, positions, tower_ != nullptr ? tower_->encoding_width() : 1) {}

Logits PositionEncoding::logits(const Inputs& inputs) const {
  const Index positions = inputs.index(Domain::rank);
  if (tower_ != nullptr) {
    const Tensor shown = matmul(one_hot(positions, encodings_.rows()),
                                read_matrix(inputs.tape(), encodings_.view()));
    return {tower_->frozen_score(inputs.features(Domain::document), shown), std::nullopt};
  }
  const Logits others = of_->logits(InputsWithoutNoise(inputs));
  const Tensor values = stop_gradient(others.values);
  const Tensor encoding = take(read(inputs.tape(), encodings_.view()), positions);
  return {(others.per_document ? take(values, *others.per_document) : values) + encoding,
          std::nullopt};
}

Tensor PositionEncoding::mean_logits(const Inputs& inputs, Tensor features) const {
  if (tower_ == nullptr) return read(inputs.tape(), encodings_.view());
  const Tensor encodings = read_matrix(inputs.tape(), encodings_.view());
  std::vector<Tensor> means;
  for (std::int64_t k = 0; k < encodings_.rows(); ++k) {
    const Tensor shown = slice(encodings, Range{.begin = k, .rows = 1});
    means.push_back(repeat(mean(tower_->frozen_score(features, shown)), 1));
  }
  return concat(means, encodings_.rows());
}

Logits MeanPositionEncoding::logits(const Inputs& inputs) const {
  Tape& tape = inputs.tape();
  const std::int64_t rows =
      columns_ == 0 ? 0 : static_cast<std::int64_t>(features_.size()) / columns_;
  const Tensor features =
      columns_ == 0 ? tape.constant(0) : tape.constant(Shape::matrix(rows, columns_), features_);
  return {of_->mean_logits(inputs, features), inputs.index(Domain::rank)};
}

}  // namespace ultr
