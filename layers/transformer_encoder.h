#pragma once

#include <memory>

#include "base/files/safetensors.h"
#include "layers/transformer_block.h"

namespace ultr {

/// A parameter with the name that BERT's checkpoints give it.
struct CheckpointEntry {
  std::string name;
  Parameter* parameter = nullptr;
  bool transposed = false;  // the checkpoint has [outputs, inputs]
};

/// Returns the parameter as an array of a checkpoint.
NamedArray array_of(const CheckpointEntry& entry);
/// Returns the shape of that array.
std::vector<std::int64_t> array_shape(const CheckpointEntry& entry);
/// Sets the parameter to an array of its shape.
void assign(const CheckpointEntry& entry, const NamedArray& array);

/// A transformer encoder (Devlin et al., 2019): the sum of a token's embedding, its place's and its
/// type's, normalised, goes through blocks. With normalisation before the halves of each block,
/// another one follows the last block.
class TransformerEncoder {
 public:
  /// Names the parameters `setting.name`.words, .positions, .types, .embedding_norm,
  /// .layer_1.query,
  /// ... The layout says how many tokens, places and types there are.
  TransformerEncoder(const TransformerShape& shape, const SequenceLayout& layout,
                     const LayerSetting& setting);

  /// Maps every token to its hidden state: [tokens, width].
  Tensor operator()(const SequenceInputs& inputs) const;
  /// Maps every sequence to the hidden state of its first token: [sequences, width]. The last block
  /// computes nothing of other tokens but keys and values.
  Tensor first_tokens(const SequenceInputs& inputs) const;

  const TransformerShape& shape() const { return shape_; }
  const SequenceLayout& layout() const { return layout_; }
  std::vector<SequenceTable> tables() const;
  /// Affine layers and normalisations from the first to the last.
  std::vector<DenseParameter*> dense_parameters() const;
  EmbeddingTable& words() const { return *words_; }
  EmbeddingTable& positions() const { return *positions_; }
  EmbeddingTable& types() const { return *types_; }
  const NormLayer& embedding_norm() const { return embedding_norm_; }
  const std::vector<TransformerBlock>& blocks() const { return blocks_; }
  /// All parameters with their names in BERT's checkpoints: "embeddings.word_embeddings.weight",
  /// ...
  std::vector<CheckpointEntry> checkpoint() const;
  /// The normalisation after the last block; null if there is none.
  const NormLayer* final_norm() const { return final_norm_.get(); }
  /// Number of affine layers, and of dropouts, that the encoder numbers from 0.
  std::uint64_t affine_layers() const { return blocks_.size() * TransformerBlock::affine_layers; }

 private:
  /// The hidden states that the last block reads.
  Tensor before_last_block(const SequenceInputs& inputs) const;
  TransformerShape shape_;
  SequenceLayout layout_;
  std::unique_ptr<EmbeddingTable> words_, positions_, types_;
  NormLayer embedding_norm_;
  std::vector<TransformerBlock> blocks_;
  std::unique_ptr<NormLayer> final_norm_;
  std::uint32_t salt_;  // of the dropout of embeddings; blocks count on from it
};

/// The head that guesses masked words: an affine layer, an activation and a normalisation, then the
/// product with the embeddings of all words, to which it is tied, and a bias per word.
class MaskedWordHead final : public SequenceEncoder {
 public:
  /// Names the parameters `setting.name`.masked, .masked_norm and .masked_bias. The encoder must
  /// outlive the head. `share`: see SequenceEncoder::masked_share. `weight`: see MaskedWordTask.
  MaskedWordHead(const TransformerEncoder& encoder, double share, double weight,
                 const LayerSetting& setting, std::uint64_t first_number);

  /// log P(word) of all words at some hidden states: [n, width] -> [n, vocabulary].
  Tensor log_probabilities(Tensor hidden) const;
  /// log P(word) of all words at each masked token: [masked, vocabulary].
  Tensor log_probabilities(const SequenceInputs& inputs) const;
  const MaskedWordTask& task() const { return task_; }

  const SequenceLayout& layout() const override { return encoder_.layout(); }
  /// The summed log P(word) of the masked tokens of each sequence.
  Tensor encode(const SequenceInputs& inputs) const override;
  double masked_share() const override { return share_; }
  std::vector<SequenceTable> tables() const override;
  std::vector<DenseParameter*> dense_parameters() const override;
  std::vector<DenseParameter*> own_parameters() const;
  std::vector<CheckpointEntry> checkpoint() const;

 private:
  const TransformerEncoder& encoder_;
  double share_;
  AffineLayer dense_;
  NormLayer norm_;
  std::unique_ptr<DenseParameter> bias_;
  std::vector<std::uint32_t> every_word_;
  std::unique_ptr<SequenceEncoder> guessed_, masked_;
  MaskedWordTask task_;
};

}  // namespace ultr
