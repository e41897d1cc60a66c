#include "layers/transformer_tower.h"

#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

TransformerShape shape_of(const TransformerTowerOptions& options) {
  return {.layers = options.layers,
          .width = options.width,
          .heads = options.heads,
          .inner = options.inner,
          .pre_norm = options.norm == "pre",
          .activation = transformer_activation(options.activation),
          .dropout = options.dropout};
}

SequenceLayout layout_of(const TransformerTowerOptions& options, const LayerSetting& setting) {
  return {.vocabulary = options.vocabulary > 0 ? options.vocabulary : setting.vocabulary,
          .max_tokens = options.max_tokens,
          .types = options.types,
          .unknown = static_cast<std::uint32_t>(options.unknown_token),
          .start = static_cast<std::uint32_t>(options.cls_token),
          .separator = static_cast<std::uint32_t>(options.sep_token),
          .mask = static_cast<std::uint32_t>(options.mask_token)};
}

}  // namespace

void TransformerTowerOptions::fields(Fields& f) {
  LayerOptions::fields(f);
  f.integer("layers", layers, "Number of blocks.", between(1, 31));
  f.integer("width", width, "Numbers of a token's hidden state.", between(2, 65536));
  f.integer("heads", heads, "Heads of attention; they divide the width.", between(1, 1024));
  f.integer("inner", inner, "Outputs of the first affine layer after attention.",
            between(1, 65536));
  f.integer("max_tokens", max_tokens,
            "Tokens of the longest sequence; words beyond are left out at the end.",
            between(2, 4096));
  f.number("dropout", dropout,
           "Share of numbers that training sets to 0: of embeddings and of what each half of a "
           "block adds.",
           {.low = 0, .high = 1, .high_open = true});
  f.word("activation", activation, "Activation function; gelu_tanh approximates gelu.",
         transformer_activations());
  f.word("norm", norm,
         "Layer normalisation after each half of a block (post, as in BERT) or before it (pre).",
         {"post", "pre"});
  f.integer("vocabulary", vocabulary,
            "Number of tokens; larger ones are unknown. 0: the vocabulary of the data.",
            between(0, 1e8));
  f.integer("types", types, "Types of texts that embeddings tell apart: query, title, abstract.",
            between(1, 256));
  f.integer("unknown_token", unknown_token, "Token of words outside the vocabulary.", at_least(0));
  f.integer("cls_token", cls_token, "Token at the start of a sequence.", at_least(0));
  f.integer("sep_token", sep_token, "Token after the query, the title and the abstract.",
            at_least(0));
  f.integer("mask_token", mask_token, "Token that stands for a masked word.", at_least(0));
  f.word("pretraining", pretraining,
         "Guessing masked words of the training documents: in a stage before the model is trained "
         "(masked_words), or as a second loss of the same steps (joint).",
         {"none", "masked_words", "joint"});
  f.number("masked_share", masked_share, "Share of words that pretraining masks.", inside(0, 1));
  f.number("masked_weight", masked_weight,
           "Weight of the loss of masked words with joint pretraining.", above(0));
  f.text("pretrained", pretrained,
         "File (.safetensors) of weights to start from, with the names of BERT's checkpoints.");
}

void TransformerTowerOptions::locate_files(
    const std::function<std::string(const std::string& file)>& find) {
  if (!pretrained.empty()) pretrained = find(pretrained);
}

std::unique_ptr<LogitLayer> TransformerTowerOptions::build(const LayerSetting& setting) const {
  if (setting.domain != Domain::document)
    throw ConfigError(
        fmt::format("{}: 'transformer' needs one logit per document, not per {}; expected another "
                    "type of layer",
                    setting.name, to_string(setting.domain)));
  if (setting.vocabulary == 0)
    throw ConfigError(
        fmt::format("{}: 'transformer' needs words, which the data do not have", setting.name));
  if (width % heads != 0)
    throw ConfigError(fmt::format("{}: {} heads do not divide a width of {}; expected a divisor",
                                  setting.name, heads, width));
  const std::int64_t known = layout_of(*this, setting).vocabulary;
  for (const auto& [name, token] : {std::pair("unknown_token", unknown_token),
                                    {"cls_token", cls_token},
                                    {"sep_token", sep_token},
                                    {"mask_token", mask_token}})
    if (token >= known)
      throw ConfigError(fmt::format("{}: {} is {}; expected a token below {}, the vocabulary",
                                    setting.name, name, token, known));
  auto tower = std::make_unique<TransformerTower>(*this, setting);
  if (!pretrained.empty() && !setting.restored) tower->start_from(pretrained);
  return tower;
}

TransformerTower::TransformerTower(const TransformerTowerOptions& options,
                                   const LayerSetting& setting)
    : name_(setting.name),
      encoder_(shape_of(options), layout_of(options, setting), setting),
      head_(setting.name + ".output", options.width, 1, Initialisation::glorot, setting,
            encoder_.affine_layers()) {
  head_.bias().fill(static_cast<float>(setting.start));
  if (options.pretraining != "none")
    masked_words_ = std::make_unique<MaskedWordHead>(
        encoder_, options.masked_share, options.pretraining == "joint" ? options.masked_weight : 0,
        setting, encoder_.affine_layers() + 1);
}

std::vector<Parameter*> TransformerTower::parameters() {
  std::vector<Parameter*> all;
  for (const SequenceTable& table : tables()) all.push_back(table.table);
  const std::vector<DenseParameter*> dense = dense_parameters();
  all.insert(all.end(), dense.begin(), dense.end());
  if (masked_words_)
    for (DenseParameter* parameter : masked_words_->own_parameters()) all.push_back(parameter);
  return all;
}

std::vector<DenseParameter*> TransformerTower::dense_parameters() const {
  std::vector<DenseParameter*> all = encoder_.dense_parameters();
  all.insert(all.end(), {&head_.weights(), &head_.bias()});
  return all;
}

Tensor TransformerTower::encode(const SequenceInputs& inputs) const {
  return head_.score(encoder_.first_tokens(inputs));
}

std::vector<CheckpointEntry> TransformerTower::checkpoint() const {
  std::vector<CheckpointEntry> all = encoder_.checkpoint();
  if (masked_words_)
    for (const CheckpointEntry& entry : masked_words_->checkpoint()) all.push_back(entry);
  all.push_back({"head.weight", &head_.weights(), true});
  all.push_back({"head.bias", &head_.bias()});
  return all;
}

void TransformerTower::save_files(const std::filesystem::path& folder) const {
  std::vector<NamedArray> arrays;
  for (const CheckpointEntry& entry : checkpoint()) arrays.push_back(array_of(entry));
  write_safetensors(folder / (name_ + ".safetensors"), arrays);
}

void TransformerTower::start_from(const std::filesystem::path& file) {
  const std::vector<NamedArray> arrays = read_safetensors(file);
  std::vector<std::string> wrong;
  const auto find = [&](const std::string& name) -> const NamedArray* {
    for (const char* prefix : {"", "bert."})
      for (const NamedArray& array : arrays)
        if (array.name == prefix + name) return &array;
    return nullptr;
  };
  for (const CheckpointEntry& entry : checkpoint()) {
    const NamedArray* const found = find(entry.name);
    const std::vector<std::int64_t> expected = array_shape(entry);
    const bool is_of_encoder =
        entry.name.starts_with("embeddings.") || entry.name.starts_with("encoder.");
    if (found == nullptr) {
      if (is_of_encoder) wrong.push_back(fmt::format("{} is missing", entry.name));
    } else if (found->shape != expected) {
      wrong.push_back(fmt::format("{} is [{}], not [{}]", entry.name, fmt::join(found->shape, ", "),
                                  fmt::join(expected, ", ")));
    } else if (found->type != "F32") {
      wrong.push_back(fmt::format("{} is of type {}, not F32", entry.name, found->type));
    } else {
      assign(entry, *found);
    }
  }
  if (!wrong.empty())
    throw DataError(
        fmt::format("{}: does not fit {}: {}", file.string(), name_, fmt::join(wrong, "; ")));
}

}  // namespace ultr
