#include <cmath>

#include <fmt/core.h>
#include <malloc.h>

#include "arguments.h"
#include "bare_step.h"
#include "base/error.h"
#include "libtorch/libtorch_training.h"
#include "libtorch/libtorch_transformer.h"
#include "synthetic_sessions.h"
#include "timing.h"

/// Compares the training step with libtorch's on the same sessions, and prints a table.
///
///     build/release/benchmarks/beside_libtorch [--help]
namespace {

using namespace ultr;
using namespace ultr::bench;

/// The largest relative difference between losses of the same step.
constexpr double tolerance = 1e-4;

/// The cross-encoder in `--models`.
constexpr const char* transformer = "transformer";

struct Settings {
  std::vector<std::string> models = {"pbm", "ubm", "dbn", transformer};
  std::int64_t rows = 1000000;
  std::vector<std::int64_t> batches = {512, 4096};
  std::vector<int> threads = {1, 2};
  double seconds = 1;
};

/// Compares the mean loss of the next batch, which both compute from the same parameters. Throws
/// Error if they differ.
void check_losses(double ours, double dense, double sparse) {
  for (const double theirs : {dense, sparse})
    if (!(std::abs(theirs - ours) <= tolerance * ours))
      throw Error(fmt::format("libtorch's loss is {}; expected {}", theirs, ours));
}

void measure(const Settings& settings, const std::string& type, std::int64_t batch, int threads) {
  const OnLastCore pinned(threads == 1);
  torch::set_num_threads(threads);

  const TrainableModel model = plain_model(type, settings.rows);
  BareStep ours(model, synthetic_shards(settings.rows), batch, threads);
  for (std::size_t i = 0; i < ours.batches(); ++i) ours();  // a round, to warm up all of them
  LibtorchTraining dense(model, synthetic_log(settings.rows), batch, TableGradients::dense);
  LibtorchTraining sparse(model, synthetic_log(settings.rows), batch, TableGradients::sparse);
  const BatchLoss loss = ours();
  const double mean = loss.sum / loss.units;
  check_losses(mean, dense().item<double>(), sparse().item<double>());

  const std::function<void()> runs[] = {[&] { ours(); }, [&] { dense(); }, [&] { sparse(); }};
  const std::vector<double> speeds =
      median_speeds(runs, static_cast<double>(batch), settings.seconds);
  fmt::print("| {} | {} | {} | {:.6f} | {:.2f} | {:.3f} | {:.3f} | {:.1f} |\n", type, batch,
             threads, mean, speeds[0] / 1e6, speeds[1] / 1e6, speeds[2] / 1e6,
             speeds[0] / std::max(speeds[1], speeds[2]));
  std::fflush(stdout);
}

/// Measures the step of a cross-encoder on a batch of 64 documents, on one thread: ours is what one
/// worker does.
void measure_transformer(const Settings& settings) {
  constexpr std::int64_t documents = 64;
  const OnLastCore pinned;
  torch::set_num_threads(1);
  TransformerStep ours(documents);
  ours();
  LibtorchTransformer dense(ours, TableGradients::dense), sparse(ours, TableGradients::sparse);
  const double loss = ours();
  check_losses(loss, dense(), sparse());
  const std::function<void()> runs[] = {[&] { ours(); }, [&] { dense(); }, [&] { sparse(); }};
  const std::vector<double> speeds =
      median_speeds(runs, static_cast<double>(documents), settings.seconds);
  fmt::print("| {} | {} | {} | {:.6f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} |\n", transformer,
             documents, 1, loss, speeds[0], speeds[1], speeds[2],
             speeds[0] / std::max(speeds[1], speeds[2]));
  std::fflush(stdout);
}

void print_header(const std::string& described) {
  fmt::print(
      "libtorch {}, {}\n\n"
      "| model | batch | threads | loss | ours | libtorch, dense | sparse | ours over its best |\n"
      "|---|---|---|---|---|---|---|---|\n",
      TORCH_VERSION, described);
}

void measure_click_models(const Settings& settings, const std::vector<std::string>& models) {
  print_header(
      fmt::format("{} rows, 10 documents per session, million sessions per second", settings.rows));
  for (const int threads : settings.threads)
    for (const std::string& model : models)
      for (const std::int64_t batch : settings.batches) measure(settings, model, batch, threads);
}

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  CLI::App app("Compares the speed of the training step with libtorch's.");
  app.add_option("--models", settings.models, "Some of pbm, ubm, dbn and transformer")
      ->delimiter(',')
      ->check(CLI::IsMember({"pbm", "ubm", "dbn", transformer}));
  app.add_option("--rows", settings.rows, "Query-document pairs")
      ->check(CLI::Range(1000, 100000000));
  add_step_arguments(app, settings.batches, settings.threads, settings.seconds);
  CLI11_PARSE(app, argc, argv);

  // Lets libtorch reuse memory for its gradients of whole tables instead of mapping new pages, as
  // far as malloc lets a program decide that: up to 32 MB.
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  start_threads();

  std::vector<std::string> click_models = settings.models;
  const bool with_transformer = std::erase(click_models, transformer) > 0;
  if (!click_models.empty()) measure_click_models(settings, click_models);
  if (!click_models.empty() && with_transformer) fmt::print("\n");
  if (with_transformer) {
    print_header(fmt::format("{} tokens per document, documents per second on one thread",
                             TransformerStep::tokens_per_document));
    measure_transformer(settings);
  }
} catch (const std::exception& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return 1;
}
