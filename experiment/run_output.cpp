#include "experiment/run_output.h"

#include <fmt/core.h>

#include "experiment/onnx_export.h"

namespace ultr {

void write_trained_model(const RunDirectory& folder, const TrainableModel& model,
                         const ExperimentData& data) {
  folder.write_model(model, data.dataset.dictionary, data.scaling);
  if (!data.scaling) return;
  if (const auto onnx = relevance_onnx(model, *data.scaling, data.bias_columns))
    folder.write(fmt::format("model/{}", relevance_onnx_file), *onnx);
}

void print_results(const RunResult& result, const std::filesystem::path& folder) {
  const auto line = [](const std::string& name, const std::optional<ClickEvaluation>& e) {
    if (e && e->conditional.documents() == 0)
      fmt::print("{:>10}: loss {:.5f}\n", name, e->loss);
    else if (e)
      fmt::print("{:>10}: loss {:.5f}  ll {:.5f}  ppl {:.5f}  cond_ppl {:.5f}\n", name, e->loss,
                 e->conditional.log_likelihood(), e->unconditional.perplexity(),
                 e->conditional.perplexity());
  };
  line("train", result.train);
  line("valid", result.valid);
  line("test", result.test);
  if (result.ranking) {
    fmt::print("{:>10}:", "ranking");
    for (const MetricValue& metric : result.ranking->values())
      if (metric.name.starts_with("ndcg") || metric.name == "arp")
        fmt::print(" {} {:.4f} ", metric.name, metric.value);
    fmt::print("\n");
  }
  fmt::print("results in {}\n", folder.string());
}

}  // namespace ultr
