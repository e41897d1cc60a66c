#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <sys/resource.h>
#include <xgboost/c_api.h>

#include "base/error.h"
#include "base/random.h"
#include "commands/built_in_registry.h"
#include "optim/adam.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "training/fitters.h"

/// Times boosting rounds on made-up documents with 136 features, by ultr with the naive pointwise
/// loss or by XGBoost itself with its logistic loss: 31 leaves, 256 bins. Prints the median seconds
/// of a round after the first, which finds the thresholds of the features, the seconds from the
/// features to the end of the first round, and the peak memory of the process in bytes.
///
///     boosting_rounds ultr|xgboost DOCUMENTS ROUNDS THREADS
namespace {

using namespace ultr;

constexpr std::size_t feature_count = 136, list_length = 10;

/// Returns features in rows, after `skipped` zeros, and makes a click for each document.
std::vector<float> make_features(std::size_t documents, std::size_t skipped,
                                 std::vector<std::uint8_t>& clicks) {
  std::vector<float> features(skipped + documents * feature_count);
  clicks.resize(documents);
  const auto make = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      RandomStream random(1, RandomPurpose::testing, 0, i);
      float* const row = features.data() + skipped + i * feature_count;
      for (std::size_t f = 0; f < feature_count; f += 2) {
        const std::uint64_t bits = random.bits();
        row[f] = static_cast<float>(bits >> 40) * 0x1p-24f;
        row[f + 1] = static_cast<float>(bits & 0xFFFFFF) * 0x1p-24f;
      }
      const float logit = 4 * row[0] * row[1] - 3 * row[2] + 2 * std::abs(row[3] - 0.5f) - 1;
      clicks[i] = random.uniform() < 1 / (1 + std::exp(-static_cast<double>(logit))) ? 1 : 0;
    }
  };
  const std::size_t half = documents / 2;
  std::thread other([&] { make(0, half); });
  make(half, documents);
  other.join();
  return features;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs rounds, numbered from 1, and prints their costs. `start`: when the features were there.
template <class Round>
void measure(int rounds, Clock::time_point start, Round round) {
  round(1);
  const double first = seconds_since(start);
  std::vector<double> seconds;
  for (int r = 2; r <= rounds; ++r) {
    const Clock::time_point begin = Clock::now();
    round(r);
    seconds.push_back(seconds_since(begin));
  }
  std::nth_element(seconds.begin(),
                   seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2),
                   seconds.end());
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print("{} {} {}\n", seconds[seconds.size() / 2], first,
             static_cast<double>(used.ru_maxrss) * 1024);
}

void measure_ultr(std::size_t documents, int rounds, int threads) {
  std::vector<std::uint8_t> clicks;
  FeatureTable features(make_features(documents, feature_count, clicks),
                        static_cast<std::int64_t>(feature_count));
  SessionLog log;
  std::array<std::uint16_t, list_length> positions{};
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  for (std::size_t d = 0; d < documents; d += list_length) {
    const std::size_t length = std::min(list_length, documents - d);
    std::array<std::uint32_t, list_length> rows{};
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(d + 1));
    log.add({std::span(rows).first(length), std::span(positions).first(length),
             std::span(clicks).subspan(d, length)});
  }
  const Clock::time_point start = Clock::now();
  const Registry registry = built_in_registry();
  Choice loss(registry.losses(), "naive");
  read_options(parse_config(fmt::format("{{base: pointwise, relevance: {{type: boosted_trees, "
                                        "rounds: {}}}}}",
                                        rounds),
                            "loss"),
               *loss.options);
  const TrainableModel model =
      loss.as<ModelOptions>().build({.rows = static_cast<std::int64_t>(documents) + 1,
                                     .positions = static_cast<std::int64_t>(list_length),
                                     .features = features,
                                     .train = &log});
  TrainOptions train;
  train.epochs = rounds;
  const auto fitter = make_fitter(
      AdamOptions(), {.model = model, .train = log, .options = train, .threads = threads});
  measure(rounds, start, [&](int round) { fitter->pass(round, {}); });
}

void check(int code) {
  if (code != 0) throw Error(XGBGetLastError());
}

void measure_xgboost(std::size_t documents, int rounds, int threads) {
  std::vector<std::uint8_t> clicks;
  const std::vector<float> features = make_features(documents, 0, clicks);
  const std::vector<float> labels(clicks.begin(), clicks.end());
  const Clock::time_point start = Clock::now();
  DMatrixHandle matrix = nullptr;
  check(XGDMatrixCreateFromMat_omp(features.data(), documents, feature_count,
                                   std::numeric_limits<float>::quiet_NaN(), &matrix, threads));
  check(XGDMatrixSetFloatInfo(matrix, "label", labels.data(), labels.size()));
  BoosterHandle booster = nullptr;
  check(XGBoosterCreate(&matrix, 1, &booster));
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, std::string>>{{"verbosity", "0"},
                                                        {"nthread", std::to_string(threads)},
                                                        {"objective", "binary:logistic"},
                                                        {"tree_method", "hist"},
                                                        {"grow_policy", "lossguide"},
                                                        {"max_leaves", "31"},
                                                        {"max_depth", "0"},
                                                        {"max_bin", "256"},
                                                        {"eta", "0.1"}})
    check(XGBoosterSetParam(booster, name, value.c_str()));
  measure(rounds, start,
          [&](int round) { check(XGBoosterUpdateOneIter(booster, round - 1, matrix)); });
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string who = argc == 5 ? argv[1] : "";
  if (who != "ultr" && who != "xgboost")
    throw Error("usage: boosting_rounds ultr|xgboost DOCUMENTS ROUNDS THREADS");
  const std::size_t documents = std::stoul(argv[2]);
  const int rounds = std::stoi(argv[3]), threads = std::stoi(argv[4]);
  if (documents == 0 || rounds < 2 || threads < 1)
    throw Error("expected documents, at least two rounds, and threads");
  (who == "ultr" ? measure_ultr : measure_xgboost)(documents, rounds, threads);
} catch (const std::exception& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return 1;
}
