#include "dsl/programs/model_check.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "layers/sequence_encoder.h"

namespace ultr {
namespace {

/// Returns the table rows of a domain for the documents of a shard, ascending; empty if the
/// domain's rows do not depend on documents.
std::vector<std::uint32_t> rows_of(const Shard& shard, Domain domain, std::int64_t positions) {
  if (!is_of_documents(domain)) return {};
  const auto per_pair = static_cast<std::uint32_t>(domain == Domain::document ? 1 : positions);
  const std::set<std::uint32_t> pairs(shard.rows().begin(), shard.rows().end());
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t pair : pairs)
    for (std::uint32_t i = 0; i < per_pair; ++i) rows.push_back(pair * per_pair + i);
  return rows;
}

/// A float64 copy of a parameter's values that replaces them for the lifetime of this object.
class Overlay {
 public:
  /// Copies all rows, of which `checked` (ascending; all if empty) are perturbed.
  Overlay(Parameter& parameter, std::vector<std::uint32_t> checked)
      : parameter_(&parameter), checked_(std::move(checked)) {
    const std::vector<float> all = parameter.values();
    values_.assign(all.begin(), all.end());
    parameter.overlay(values_);
  }
  /// Copies only the listed rows of a table, ascending, and perturbs all of them.
  Overlay(EmbeddingTable& table, std::vector<std::uint32_t> listed)
      : parameter_(&table), checked_(std::move(listed)), only_checked_(true) {
    for (const std::uint32_t row : checked_) {
      const std::span<const float> values = std::as_const(table).row(row);
      values_.insert(values_.end(), values.begin(), values.end());
    }
    table.overlay(values_, checked_);
  }
  ~Overlay() {
    if (parameter_ != nullptr) parameter_->overlay({});
  }
  Overlay(Overlay&& other) noexcept
      : parameter_(std::exchange(other.parameter_, nullptr)),
        checked_(std::move(other.checked_)),
        only_checked_(other.only_checked_),
        values_(std::move(other.values_)) {}
  Overlay& operator=(Overlay&&) = delete;

  const Parameter& parameter() const { return *parameter_; }
  const std::vector<double>& values() const { return values_; }
  /// Returns the offset of a row in the values.
  std::size_t begin_of(std::uint32_t row) const {
    const auto place =
        only_checked_ ? std::lower_bound(checked_.begin(), checked_.end(), row) - checked_.begin()
                      : std::ptrdiff_t{row};
    return static_cast<std::size_t>(place * parameter_->columns());
  }

  /// Adds the perturbed entries to a check, with their gradient, which is laid out like the values.
  /// `most`: entries at most, if no rows are listed or some of theirs are enough.
  void add_to(std::vector<CheckedValues>& check, const std::vector<double>& gradient,
              std::size_t most, bool some_rows_are_enough) {
    const auto add = [&](const std::string& which, std::size_t begin, std::size_t count) {
      const std::span<const double> theirs = std::span(gradient).subspan(begin, count);
      check.push_back({parameter_->name() + which,
                       std::span(values_).subspan(begin, count),
                       {theirs.begin(), theirs.end()}});
    };
    const auto width = static_cast<std::size_t>(parameter_->columns());
    if (checked_.empty() && values_.size() <= most) {
      add("", 0, values_.size());
    } else if (checked_.empty()) {
      for (std::size_t n = 0; n < most; ++n) {
        const std::size_t i = n * values_.size() / most;
        add(fmt::format("[{}]", i), i, 1);
      }
    } else if (some_rows_are_enough && checked_.size() * width > most) {
      for (std::size_t n = 0; n < most; ++n) {  // another column each time
        const std::uint32_t row = checked_[n * checked_.size() / most];
        const std::size_t column = n % width;
        add(fmt::format("[{}, {}]", row, column), begin_of(row) + column, 1);
      }
    } else {
      for (const std::uint32_t row : checked_) add(fmt::format("[{}]", row), begin_of(row), width);
    }
  }

 private:
  Parameter* parameter_;
  std::vector<std::uint32_t> checked_;
  bool only_checked_ = false;  // the values are those of the checked rows only
  std::vector<double> values_;
};

/// Sums the tape's gradients of a parameter, laid out like its overlay.
std::vector<double> gradient_for(const Tape& tape, const Overlay& overlay) {
  std::vector<double> sum(overlay.values().size(), 0.0);
  const ParameterView* view = &overlay.parameter().view();
  const auto width = static_cast<std::size_t>(overlay.parameter().columns());
  for (const DenseGradient& dense : tape.dense_gradients())
    if (dense.parameter == view)
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += static_cast<const double*>(dense.values)[i];
  for (const SparseGradient& sparse : tape.sparse_gradients())
    if (sparse.parameter == view)
      for (std::size_t i = 0; i < sparse.rows.size(); ++i)
        for (std::size_t c = 0; c < width; ++c)
          sum[overlay.begin_of(sparse.rows[i]) + c] +=
              static_cast<const double*>(sparse.values)[i * width + c];
  return sum;
}

}  // namespace

bool reads_words(const TrainableModel& model) {
  return std::ranges::any_of(model.layers(), [](const TrainableModel::Layer& layer) {
    return dynamic_cast<const SequenceEncoder*>(layer.layer.get()) != nullptr;
  });
}

GradientReport check_model_gradient(const TrainableModel& model, const Shard& shard, LossMean mean,
                                    std::size_t most_entries) {
  ClickProgram program(model, ProgramKind::training_loss, shard.longest(), Precision::float64,
                       mean);
  program.run(shard);  // to find out which rows it reads
  std::vector<Overlay> overlays;
  std::vector<bool> of_words;  // by overlay
  for (const TrainableModel::Layer& layer : model.layers()) {
    for (Parameter* parameter : layer.layer->parameters()) {
      if (auto* table = dynamic_cast<EmbeddingTable*>(parameter)) {
        std::vector<std::uint32_t> rows = program.tape().gathered_rows(table->view());
        if (!rows.empty()) overlays.emplace_back(*table, std::move(rows));
        continue;
      }
      const auto logits = layer.layer->entry_logits();
      const bool by_entry = logits && logits->values == parameter;
      overlays.emplace_back(*parameter,
                            by_entry ? rows_of(shard, layer.domain, model.setting().positions)
                                     : std::vector<std::uint32_t>{});
    }
    of_words.resize(overlays.size(),
                    dynamic_cast<const SequenceEncoder*>(layer.layer.get()) != nullptr);
  }
  const double scale = 1 / static_cast<double>(shard.documents());
  program.run(shard);
  program.backward(scale);
  program.freeze_stopped_values(true);
  std::vector<CheckedValues> checked;
  for (std::size_t i = 0; i < overlays.size(); ++i)
    overlays[i].add_to(checked, gradient_for(program.tape(), overlays[i]), most_entries,
                       of_words[i]);
  return check_gradient(
      [&] {
        program.run(shard);
        return program.loss() * scale;
      },
      checked);
}

}  // namespace ultr
