#include "models/model_check.h"

#include <utility>

namespace ultr {
namespace {

/// The entries of rows that have `per_row` each.
std::vector<std::uint32_t> entries_of(const std::vector<std::uint32_t>& rows,
                                      std::int64_t per_row) {
  std::vector<std::uint32_t> entries;
  for (const std::uint32_t row : rows)
    for (std::int64_t i = 0; i < per_row; ++i)
      entries.push_back(static_cast<std::uint32_t>(row * per_row + i));
  return entries;
}

/// A parameter's values in float64 in place of its own, for as long as this lives.
class Overlay {
 public:
  /// `rows`: which rows to take, in which order; empty means all.
  Overlay(Parameter& parameter, const std::vector<std::uint32_t>& rows) : parameter_(&parameter) {
    const std::vector<float> all = parameter.values();
    const auto width = static_cast<std::size_t>(parameter.columns());
    if (rows.empty()) values_.assign(all.begin(), all.end());
    for (const std::uint32_t row : rows)
      for (std::size_t c = 0; c < width; ++c)
        values_.push_back(static_cast<double>(all[row * width + c]));
    parameter.overlay(values_);
  }
  ~Overlay() {
    if (parameter_ != nullptr) parameter_->overlay({});
  }
  Overlay(Overlay&& other) noexcept
      : parameter_(std::exchange(other.parameter_, nullptr)), values_(std::move(other.values_)) {}
  Overlay& operator=(Overlay&&) = delete;

  const Parameter& parameter() const { return *parameter_; }
  std::vector<double>& values() { return values_; }

 private:
  Parameter* parameter_;
  std::vector<double> values_;
};

/// Sums what the tape has for a parameter, laid out like its overlay.
std::vector<double> gradient_for(const Tape& tape, Overlay& overlay) {
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
          sum[sparse.rows[i] * width + c] +=
              static_cast<const double*>(sparse.values)[i * width + c];
  return sum;
}

}  // namespace

GradientReport check_model_gradient(const TrainableModel& model, const Shard& shard,
                                    LossMean mean) {
  Shard renumbered = shard;
  const std::vector<std::uint32_t> rows = renumbered.renumber_rows();
  std::vector<Overlay> overlays;
  for (const TrainableModel::Layer& layer : model.layers()) {
    const std::int64_t per_row =
        layer.domain == Domain::document_rank ? model.setting().positions : 1;
    for (Parameter* parameter : layer.layer->parameters()) {
      // Baselines and tables of other domains are small and taken whole.
      const bool by_row = parameter->rows() == model.setting().rows * per_row &&
                          (layer.domain == Domain::document || per_row > 1);
      overlays.emplace_back(*parameter,
                            by_row ? entries_of(rows, per_row) : std::vector<std::uint32_t>{});
    }
  }
  ClickProgram program(model, ProgramKind::loss, shard.longest(), Precision::float64, mean);
  const double scale = 1 / static_cast<double>(shard.documents());
  program.run(renumbered);
  program.backward(scale);
  std::vector<CheckedValues> checked;
  for (Overlay& overlay : overlays)
    checked.push_back(
        {overlay.parameter().name(), overlay.values(), gradient_for(program.tape(), overlay)});
  return check_gradient(
      [&] {
        program.run(renumbered);
        return program.loss() * scale;
      },
      checked);
}

}  // namespace ultr
