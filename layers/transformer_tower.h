#pragma once

#include "layers/logit_layer.h"
#include "layers/transformer_encoder.h"

namespace ultr {

/// Options of `transformer`.
struct TransformerTowerOptions final : LayerOptions {
  std::int64_t layers = 2, width = 64, heads = 4, inner = 256, max_tokens = 64;
  double dropout = 0.1;
  std::string activation = "gelu", norm = "post";
  std::int64_t vocabulary = 0, types = 3;
  std::int64_t unknown_token = 1, cls_token = 2, sep_token = 3, mask_token = 4;
  std::string pretraining = "none", pretrained;
  double masked_share = 0.15, masked_weight = 1;

  void fields(Fields& f) override;
  void locate_files(const std::function<std::string(const std::string& file)>& find) override;
  /// Throws ConfigError, naming the parameter, if the options do not fit together or the data, and
  /// DataError if the file of pretrained weights does not fit.
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// A cross-encoder: a transformer over the words of a query and a document together (see
/// SequenceLayout). The logit is an affine function of the hidden state of the first token, [CLS].
///
/// Documents of a shard with the same words in the dictionary are read once. Dropout then drops the
/// same numbers of them.
class TransformerTower final : public LogitLayer, public SequenceEncoder {
 public:
  /// The options must have passed their checks.
  TransformerTower(const TransformerTowerOptions& options, const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override {
    return {inputs.sequence_values(*this, inputs.noise()), {}};
  }
  /// Tables, then the layers from the first to the last.
  std::vector<Parameter*> parameters() override;
  void shift(float by) override { head_.bias().value(0) += by; }

  const SequenceLayout& layout() const override { return encoder_.layout(); }
  Tensor encode(const SequenceInputs& inputs) const override;
  std::vector<SequenceTable> tables() const override { return encoder_.tables(); }
  std::vector<DenseParameter*> dense_parameters() const override;

  const MaskedWordTask* masked_words() const override {
    return masked_words_ ? &masked_words_->task() : nullptr;
  }
  /// Writes all weights as `name`.safetensors, with the names of BERT's checkpoints, of which the
  /// head of masked words and the last layer (head.weight, head.bias) are part.
  void save_files(const std::filesystem::path& folder) const override;
  /// Starts from the weights of a file, whose names may begin with "bert.". Weights of the heads
  /// may be missing. Throws DataError, with all names that are missing or have another shape.
  void start_from(const std::filesystem::path& file);

  const TransformerEncoder& encoder() const { return encoder_; }
  /// The last layer, which maps a hidden state to a logit.
  const AffineLayer& head() const { return head_; }

 private:
  std::vector<CheckpointEntry> checkpoint() const;

  std::string name_;
  TransformerEncoder encoder_;
  AffineLayer head_;
  std::unique_ptr<MaskedWordHead> masked_words_;  // null without pretraining
};

}  // namespace ultr
