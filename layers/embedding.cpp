#include "layers/embedding.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "base/random.h"
#include "layers/compressions.h"

namespace ultr {
namespace {

/// Draws initial rows from a normal distribution around `centre` with standard deviation `spread`.
/// Rows of unknown entries start at `centre`.
void start_at_random(EmbeddingTable& table, std::int64_t unknown, std::span<const double> centre,
                     double spread, const LayerSetting& setting) {
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    const std::span<float> values = table.row(row);
    const std::int64_t number = setting.number_of(row);
    // Entries that never occur in training must predict the baseline exactly.
    if (number < unknown || spread == 0) {
      std::transform(centre.begin(), centre.end(), values.begin(),
                     [](double x) { return static_cast<float>(x); });
      continue;
    }
    RandomStream random(setting.seed, RandomPurpose::initialisation, setting.number,
                        static_cast<std::uint64_t>(number));
    for (std::size_t c = 0; c < values.size(); ++c)
      values[c] = static_cast<float>(centre[c] + spread * random.normal());
  }
}

}  // namespace

EmbeddingOptions::EmbeddingOptions() : compression(compression_types(), "none", "compression") {}

void EmbeddingOptions::fields(Fields& f) {
  LayerOptions::fields(f);
  f.boolean("baseline", baseline,
            "Add one learned logit to all entries; rows are then offsets from it.");
  f.number("spread", spread, "Standard deviation of the rows' initial values, in logits.",
           at_least(0));
  f.integer("dimension", dimension,
            "Embedding dimension; above 1, a learned projection maps it to one logit.",
            between(1, 65536));
  f.inline_choice(compression,
                  "Way for entries to share the rows of smaller tables; none: one row per entry.");
}

std::unique_ptr<LogitLayer> EmbeddingOptions::build(const LayerSetting& setting) const {
  expect_numbered(setting);
  return std::make_unique<Embedding>(*this, setting);
}

Embedding::Embedding(const EmbeddingOptions& options, const LayerSetting& setting)
    : domain_(setting.domain),
      compression_(options.compression.as<CompressionOptions>().build(setting)) {
  if (options.baseline) {
    baseline_ = std::make_unique<DenseParameter>(setting.name + ".baseline", 1, 1);
    baseline_->fill(static_cast<float>(setting.start));
    baseline_->set_decays(false);
  }
  if (options.dimension > 1) {
    projection_ =
        std::make_unique<DenseParameter>(setting.name + ".projection", options.dimension, 1);
    start_projection(setting);
  }
  std::vector<double> centre = unit_offset();
  for (double& x : centre) x *= options.baseline ? 0 : setting.start;
  for (const SharedTable& shared : compression_->tables()) {
    tables_.push_back(
        std::make_unique<EmbeddingTable>(shared.name, shared.rows, options.dimension));
    if (shared.start)
      tables_.back()->fill(static_cast<float>(*shared.start));
    else
      start_at_random(*tables_.back(), shared.unknown, centre, options.spread, setting);
  }
}

void Embedding::start_projection(const LayerSetting& setting) {
  constexpr std::uint64_t no_row = ~std::uint64_t{0};
  RandomStream random(setting.seed, RandomPurpose::initialisation, setting.number, no_row);
  std::vector<double> direction(static_cast<std::size_t>(projection_->rows()));
  double square = 0;
  for (double& x : direction) {
    x = random.normal();
    square += x * x;
  }
  for (std::size_t c = 0; c < direction.size(); ++c)
    projection_->all_values()[c] = static_cast<float>(direction[c] / std::sqrt(square));
}

std::vector<double> Embedding::unit_offset() const {
  if (!projection_) return {1};
  const std::span<const float> weights = projection_->all_values();
  std::vector<double> unit(weights.begin(), weights.end());
  double square = 0;
  for (const double w : unit) square += w * w;
  for (double& w : unit) w /= square;
  return unit;
}

Logits Embedding::logits(const Inputs& inputs) const {
  const Index entries = inputs.index(domain_);
  std::vector<Tensor> read_rows;
  for (std::size_t t = 0; t < tables_.size(); ++t)
    read_rows.push_back(gather(inputs.tape(), tables_[t]->view(), compression_->rows(t, entries)));
  Tensor offsets = compression_->combine(read_rows);
  if (projection_) offsets = matvec(offsets, read(inputs.tape(), projection_->view()));
  if (!baseline_) return {offsets, std::nullopt};
  return {offsets + read(inputs.tape(), baseline_->view()), std::nullopt};
}

std::vector<Parameter*> Embedding::parameters() {
  std::vector<Parameter*> all;
  if (baseline_) all.push_back(baseline_.get());
  if (projection_) all.push_back(projection_.get());
  for (const auto& table : tables_) all.push_back(table.get());
  return all;
}

void Embedding::shift(float by) {
  if (baseline_) {
    baseline_->value(0) += by;
    return;
  }
  const std::vector<double> unit = unit_offset();
  EmbeddingTable& table = *tables_.back();
  for (std::int64_t row = 0; row < table.rows(); ++row)
    for (std::size_t c = 0; c < unit.size(); ++c)
      table.row(row)[c] += static_cast<float>(static_cast<double>(by) * unit[c]);
}

std::optional<EntryLogits> Embedding::entry_logits() {
  if (projection_ || compression_->shares()) return std::nullopt;
  return EntryLogits{tables_.front().get(), baseline_.get()};
}

std::optional<std::vector<EmbeddingTable*>> Embedding::tables_by_entry() {
  if (compression_->shares()) return std::nullopt;
  std::vector<EmbeddingTable*> tables;
  for (const auto& table : tables_) tables.push_back(table.get());
  return tables;
}

std::string Embedding::formula() const {
  std::string text = compression_->formula();
  if (projection_) text = fmt::format("sum({} * ({}))", projection_->name(), text);
  if (baseline_) text = fmt::format("{} + {}", baseline_->name(), text);
  return text;
}

}  // namespace ultr
