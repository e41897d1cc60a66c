#pragma once

#include "autograd/tape/tensor.h"
#include "layers/mlp_tower.h"

namespace ultr {

/// Another layer's logit with a learned encoding p(k) of the displayed position k added inside:
/// s(x, k) = f(c(x) + p(k)). For an MLP tower, c is its first affine layer, f is all that follows,
/// and p(k) is a vector as wide as c. For other layers, p(k) is a number that is added to their
/// logit. No gradient reaches the other layer, and nothing is dropped out.
class PositionEncoding final : public LogitLayer {
 public:
  /// Uses the setting's name; `positions`: number of displayed positions. Encodings start at 0.
  PositionEncoding(std::shared_ptr<const LogitLayer> of, const std::string& name,
                   std::int64_t positions);

  /// One logit per document at its position.
  Logits logits(const Inputs& inputs) const override;
  /// The mean over some documents of their logits at each position: [positions]. Constant with
  /// respect to the documents of the batch. `features`: [documents, columns of the tower].
  Tensor mean_logits(const Inputs& inputs, Tensor features) const;
  /// True if logits depend on features, which mean_logits averages over.
  bool encodes_features() const { return tower_ != nullptr; }
  /// The encodings, [positions, width].
  std::vector<Parameter*> parameters() override { return {&encodings_}; }
  /// Does nothing: encodings are learned from the order of documents alone.
  void shift(float) override {}
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() override {
    return std::vector<EmbeddingTable*>();
  }

 private:
  std::shared_ptr<const LogitLayer> of_;
  const MlpTower* tower_;  // of_ as an MLP tower; null if it is none
  DenseParameter encodings_;
};

/// The position effect of a position encoding: the mean of its logits over a sample of documents,
/// for each displayed position. It learns nothing itself.
class MeanPositionEncoding final : public LogitLayer {
 public:
  /// `features`: of the sample, document by document, each with `columns` numbers; empty if the
  /// encoding reads no features.
  MeanPositionEncoding(std::shared_ptr<const PositionEncoding> of, std::vector<double> features,
                       std::int64_t columns)
      : of_(std::move(of)), columns_(columns), features_(std::move(features)) {}

  Logits logits(const Inputs& inputs) const override;
  std::vector<Parameter*> parameters() override { return {}; }
  void shift(float) override {}
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() override {
    return std::vector<EmbeddingTable*>();
  }

 private:
  std::shared_ptr<const PositionEncoding> of_;
  std::int64_t columns_;
  std::vector<double> features_;
};

}  // namespace ultr
