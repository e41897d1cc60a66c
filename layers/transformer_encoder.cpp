#include "layers/transformer_encoder.h"

#include <array>
#include <numeric>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"
#include "autograd/ops/take_rows.h"
#include "base/random.h"

namespace ultr {
namespace {

/// Salts of dropout that each parameter of a model reserves (see HiddenLayers).
constexpr std::uint32_t salts_per_parameter = 64;

/// Returns a table of normal numbers around 0, with BERT's standard deviation. `number` tells the
/// tables of a tower apart.
std::unique_ptr<EmbeddingTable> random_table(const std::string& name, std::int64_t rows,
                                             std::int64_t width, const LayerSetting& setting,
                                             std::uint64_t number) {
  constexpr double deviation = 0.02;
  constexpr std::uint64_t first_table = std::uint64_t{1} << 32;  // beyond all affine layers
  auto table = std::make_unique<EmbeddingTable>(setting.name + name, rows, width);
  RandomStream random(setting.seed, RandomPurpose::initialisation, setting.number,
                      first_table + number);
  for (std::int64_t row = 0; row < rows; ++row)
    for (float& x : table->row(row)) x = static_cast<float>(deviation * random.normal());
  return table;
}

/// The names of a block's affine layers in BERT's checkpoints, in the order of
/// TransformerBlock::AffinePart.
constexpr std::array<const char*, TransformerBlock::affine_layers> affine_names = {
    "attention.self.query",   "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense"};

void add_affine(const std::string& name, const AffineLayer& layer,
                std::vector<CheckpointEntry>& to) {
  to.push_back({name + ".weight", &layer.weights(), true});
  to.push_back({name + ".bias", &layer.bias()});
}

void add_norm(const std::string& name, const NormLayer& norm, std::vector<CheckpointEntry>& to) {
  to.push_back({name + ".weight", &norm.scale()});
  to.push_back({name + ".bias", &norm.shift()});
}

/// Transposes a matrix of `rows` rows.
std::vector<float> transpose(const std::vector<float>& matrix, std::size_t rows) {
  const std::size_t columns = matrix.size() / rows;
  std::vector<float> result(matrix.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
  return result;
}

}  // namespace

std::vector<std::int64_t> array_shape(const CheckpointEntry& entry) {
  const Parameter& parameter = *entry.parameter;
  if (entry.transposed) return {parameter.columns(), parameter.rows()};
  if (parameter.columns() == 1) return {parameter.rows()};
  return {parameter.rows(), parameter.columns()};
}

NamedArray array_of(const CheckpointEntry& entry) {
  std::vector<float> values = entry.parameter->values();
  if (entry.transposed)
    values = transpose(values, static_cast<std::size_t>(entry.parameter->rows()));
  return {entry.name, array_shape(entry), std::move(values)};
}

void assign(const CheckpointEntry& entry, const NamedArray& array) {
  if (entry.transposed)
    entry.parameter->assign(
        transpose(array.values, static_cast<std::size_t>(entry.parameter->columns())));
  else
    entry.parameter->assign(array.values);
}

TransformerEncoder::TransformerEncoder(const TransformerShape& shape, const SequenceLayout& layout,
                                       const LayerSetting& setting)
    : shape_(shape),
      layout_(layout),
      words_(random_table(".words", layout.vocabulary, shape.width, setting, 0)),
      positions_(random_table(".positions", layout.max_tokens, shape.width, setting, 1)),
      types_(random_table(".types", layout.types, shape.width, setting, 2)),
      embedding_norm_(setting.name + ".embedding_norm", shape.width),
      salt_(setting.number * salts_per_parameter) {
  for (std::int64_t i = 0; i < shape.layers; ++i)
    blocks_.emplace_back(shape, fmt::format("{}.layer_{}", setting.name, i + 1), setting,
                         affine_layers(),
                         salt_ + 1 + static_cast<std::uint32_t>(i) * TransformerBlock::dropouts);
  if (shape.pre_norm)
    final_norm_ = std::make_unique<NormLayer>(setting.name + ".final_norm", shape.width);
}

Tensor TransformerEncoder::before_last_block(const SequenceInputs& inputs) const {
  Tape& tape = *inputs.tape;
  Tensor x = gather(tape, words_->view(), inputs.tokens) +
             gather(tape, positions_->view(), inputs.places) +
             gather(tape, types_->view(), inputs.types);
  x = embedding_norm_(x);
  if (inputs.noise && shape_.dropout > 0) x = dropout(x, shape_.dropout, *inputs.noise, salt_);
  for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) x = blocks_[i](x, inputs);
  return x;
}

Tensor TransformerEncoder::operator()(const SequenceInputs& inputs) const {
  const Tensor x = blocks_.back()(before_last_block(inputs), inputs);
  return final_norm_ ? (*final_norm_)(x) : x;
}

Tensor TransformerEncoder::first_tokens(const SequenceInputs& inputs) const {
  const Tensor x = blocks_.back().first_tokens(before_last_block(inputs), inputs);
  return final_norm_ ? (*final_norm_)(x) : x;
}

std::vector<SequenceTable> TransformerEncoder::tables() const {
  using Row = SequenceTable::Row;
  return {{words_.get(), Row::token}, {positions_.get(), Row::place}, {types_.get(), Row::type}};
}

std::vector<DenseParameter*> TransformerEncoder::dense_parameters() const {
  std::vector<DenseParameter*> all;
  const auto add = [&](const NormLayer& norm) {
    all.insert(all.end(), {&norm.scale(), &norm.shift()});
  };
  add(embedding_norm_);
  for (const TransformerBlock& block : blocks_) {
    for (const AffineLayer& layer : block.affine())
      all.insert(all.end(), {&layer.weights(), &layer.bias()});
    for (const NormLayer& norm : block.norms()) add(norm);
  }
  if (final_norm_) add(*final_norm_);
  return all;
}

std::vector<CheckpointEntry> TransformerEncoder::checkpoint() const {
  std::vector<CheckpointEntry> all = {{"embeddings.word_embeddings.weight", words_.get()},
                                      {"embeddings.position_embeddings.weight", positions_.get()},
                                      {"embeddings.token_type_embeddings.weight", types_.get()}};
  add_norm("embeddings.LayerNorm", embedding_norm_, all);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string layer = fmt::format("encoder.layer.{}.", i);
    for (std::size_t part = 0; part < TransformerBlock::affine_layers; ++part)
      add_affine(layer + affine_names[part], blocks_[i].affine()[part], all);
    add_norm(layer + "attention.output.LayerNorm",
             blocks_[i].norms()[TransformerBlock::of_attention], all);
    add_norm(layer + "output.LayerNorm", blocks_[i].norms()[TransformerBlock::of_inner], all);
  }
  if (final_norm_) add_norm("encoder.LayerNorm", *final_norm_, all);
  return all;
}

namespace {

/// Counts the masked words of each sequence.
class MaskedWordCount final : public SequenceEncoder {
 public:
  explicit MaskedWordCount(const MaskedWordHead& head) : head_(head) {}

  const SequenceLayout& layout() const override { return head_.layout(); }
  double masked_share() const override { return head_.masked_share(); }
  std::vector<SequenceTable> tables() const override { return {}; }
  std::vector<DenseParameter*> dense_parameters() const override { return {}; }
  Tensor encode(const SequenceInputs& inputs) const override {
    const Extent masked = inputs.tape->node(inputs.masked->words.node).shape.rows;
    return segment_sum(repeat(inputs.tape->constant(1), masked), inputs.masked->sequences);
  }

 private:
  const MaskedWordHead& head_;
};

/// Counts the masked words of each sequence that a head guesses: no other word is likelier.
class GuessedWordCount final : public SequenceEncoder {
 public:
  explicit GuessedWordCount(const MaskedWordHead& head) : head_(head) {}

  const SequenceLayout& layout() const override { return head_.layout(); }
  double masked_share() const override { return head_.masked_share(); }
  std::vector<SequenceTable> tables() const override { return head_.tables(); }
  std::vector<DenseParameter*> dense_parameters() const override {
    return head_.dense_parameters();
  }
  Tensor encode(const SequenceInputs& inputs) const override {
    const MaskedInputs& masked = *inputs.masked;
    const Tensor log_p = head_.log_probabilities(inputs);
    const Tensor of_word = take_along_rows(log_p, masked.words);
    const Mask missed = greater(max(log_p, Axis::columns), of_word);
    const Tensor one = repeat(inputs.tape->constant(1), of_word.shape().rows);
    return segment_sum(where(missed, 0.0, one), masked.sequences);
  }

 private:
  const MaskedWordHead& head_;
};

}  // namespace

MaskedWordHead::MaskedWordHead(const TransformerEncoder& encoder, double share, double weight,
                               const LayerSetting& setting, std::uint64_t first_number)
    : encoder_(encoder),
      share_(share),
      dense_(setting.name + ".masked", encoder.shape().width, encoder.shape().width,
             Initialisation::glorot, setting, first_number),
      norm_(setting.name + ".masked_norm", encoder.shape().width),
      bias_(std::make_unique<DenseParameter>(setting.name + ".masked_bias",
                                             encoder.layout().vocabulary, 1)),
      every_word_(static_cast<std::size_t>(encoder.layout().vocabulary)),
      guessed_(std::make_unique<GuessedWordCount>(*this)),
      masked_(std::make_unique<MaskedWordCount>(*this)),
      task_{.log_likelihood = this,
            .guessed = guessed_.get(),
            .masked = masked_.get(),
            .weight = weight} {
  bias_->set_decays(false);
  std::iota(every_word_.begin(), every_word_.end(), 0u);
}

Tensor MaskedWordHead::log_probabilities(Tensor hidden) const {
  Tape& tape = hidden.tape();
  const Index every = tape.index(encoder_.layout().vocabulary);
  tape.bind(every, every_word_);
  const Tensor words = gather(tape, encoder_.words().view(), every);
  const Tensor x = norm_(encoder_.shape().activation(dense_(hidden)));
  return log_softmax(matmul_transposed(x, words) + read(tape, bias_->view()));
}

Tensor MaskedWordHead::log_probabilities(const SequenceInputs& inputs) const {
  return log_probabilities(take_rows(encoder_(inputs), inputs.masked->places));
}

Tensor MaskedWordHead::encode(const SequenceInputs& inputs) const {
  const MaskedInputs& masked = *inputs.masked;
  return segment_sum(take_along_rows(log_probabilities(inputs), masked.words), masked.sequences);
}

std::vector<SequenceTable> MaskedWordHead::tables() const {
  std::vector<SequenceTable> all = encoder_.tables();
  all.front().row = SequenceTable::Row::every;
  return all;
}

std::vector<DenseParameter*> MaskedWordHead::own_parameters() const {
  return {&dense_.weights(), &dense_.bias(), &norm_.scale(), &norm_.shift(), bias_.get()};
}

std::vector<DenseParameter*> MaskedWordHead::dense_parameters() const {
  std::vector<DenseParameter*> all = encoder_.dense_parameters();
  for (DenseParameter* parameter : own_parameters()) all.push_back(parameter);
  return all;
}

std::vector<CheckpointEntry> MaskedWordHead::checkpoint() const {
  std::vector<CheckpointEntry> all;
  add_affine("cls.predictions.transform.dense", dense_, all);
  add_norm("cls.predictions.transform.LayerNorm", norm_, all);
  all.push_back({"cls.predictions.bias", bias_.get()});
  return all;
}

}  // namespace ultr
