#include "runs/run_output.h"

#include <cmath>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "runs/onnx_export.h"

namespace ultr {

void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data) {
  folder.write_model(model, data.dataset.dictionary, data.scaling);
  if (!data.scaling) return;
  if (const auto onnx = relevance_onnx(model, *data.scaling, data.bias_columns))
    folder.write(fmt::format("model/{}", relevance_onnx_file), *onnx);
}

void print_results(const RunResult& result, const std::filesystem::path& folder) {
  const auto line = [](const std::string& name, const std::optional<ClickEvaluation>& split) {
    if (!split) return;
    std::vector<std::string> values;
    for (const MetricValue& measure : split->values(Shown::summary))
      if (split->conditional.documents() > 0 || !std::isnan(measure.value))
        values.push_back(fmt::format("{} {:.5f}", measure.name, measure.value));
    fmt::print("{:>10}: {}\n", name, fmt::join(values, "  "));
  };
  line("train", result.train);
  line("valid", result.valid);
  line("test", result.test);
  if (result.ranking) {
    fmt::print("{:>10}:", "ranking");
    for (const MetricValue& measure : result.ranking->values(Shown::summary))
      fmt::print(" {} {:.4f} ", measure.name, measure.value);
    fmt::print("\n");
  }
  fmt::print("results in {}\n", folder.string());
}

}  // namespace ultr
