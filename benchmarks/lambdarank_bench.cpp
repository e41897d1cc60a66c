#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>

#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "autograd/tape/tape.h"
#include "base/random.h"
#include "losses/lambdarank.h"
#include "matrix_product.h"

/// lambdarank/<documents>: value and gradient in float32 of the LambdaRank loss of a shard's worth
/// of lists of this length, compared with a plain loop over their pairs in the same run. Both rank
/// by score and compute gains, discounts and the ideal DCG anew each time. Labels are 0 to 4.
/// Counters: `lists_per_second`; `plain_loop`, that of the loop; and `ratio`, the first over the
/// second. All are those of the fastest of several runs.
namespace {

using namespace ultr;

constexpr std::size_t lists = 256;

struct JudgedScores {
  std::size_t length;  // of each list
  std::vector<float> scores, labels;

  std::vector<double> in_double() const { return {scores.begin(), scores.end()}; }

  explicit JudgedScores(std::size_t documents) : length(documents) {
    RandomStream random(1, RandomPurpose::testing, 0, 0);
    for (std::size_t i = 0; i < lists * length; ++i) {
      scores.push_back(static_cast<float>(random.normal()));
      labels.push_back(static_cast<float>(std::floor(5 * random.uniform())));
    }
  }
};

/// The loss recorded on a tape.
class RecordedLoss {
 public:
  explicit RecordedLoss(const JudgedScores& data)
      : scores_(tape_.variable(vector_of(data.scores), data.in_double())),
        labels_(tape_.input(vector_of(data.labels))) {
    for (std::size_t list = 0; list <= lists; ++list)
      offsets_[list] = static_cast<std::uint32_t>(list * data.length);
    const Segments segments = make_segments(tape_, lists + 1, lists);
    tape_.bind(segments.offsets, offsets_);
    tape_.bind(labels_, data.labels);
    loss_ = sum(lambdarank_loss(scores_, labels_, segments, true));
    tape_.require(std::array{loss_});
  }

  void run() {
    tape_.replay();
    tape_.backward(loss_);
  }
  double value() const { return loss_.item(); }
  std::vector<double> gradient() const { return scores_.gradient(); }

 private:
  static Shape vector_of(const std::vector<float>& values) {
    return Shape::vector(static_cast<std::int64_t>(values.size()));
  }

  Tape tape_;
  Tensor scores_, labels_, loss_;
  std::array<std::uint32_t, lists + 1> offsets_{};
};

/// The LambdaRank loss as a straightforward loop.
class PlainLoop {
 public:
  explicit PlainLoop(const JudgedScores& data)
      : data_(data),
        order_(data.length),
        gain_(data.length),
        discount_(data.length),
        gradient_(data.scores.size()) {}

  void run() {
    value_ = 0;
    for (std::size_t list = 0; list < lists; ++list) {
      const std::size_t begin = list * data_.length;
      value_ += run_list(&data_.scores[begin], &data_.labels[begin], &gradient_[begin]);
    }
  }
  double value() const { return value_; }
  const std::vector<float>& gradient() const { return gradient_; }

 private:
  void rank_by(const float* x) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [x](std::size_t a, std::size_t b) { return x[a] > x[b]; });
  }

  double run_list(const float* scores, const float* labels, float* gradient) {
    const std::size_t n = data_.length;
    for (std::size_t i = 0; i < n; ++i) gain_[i] = std::exp2(labels[i]) - 1;
    rank_by(labels);
    float ideal = 0;
    for (std::size_t k = 0; k < n; ++k) ideal += gain_[order_[k]] * discount_of(k);
    std::fill_n(gradient, n, 0.0f);
    if (ideal == 0) return 0;
    rank_by(scores);
    for (std::size_t k = 0; k < n; ++k) discount_[order_[k]] = discount_of(k);
    float total = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (labels[i] <= labels[j]) continue;
        const float weight =
            std::abs(gain_[i] - gain_[j]) * std::abs(discount_[i] - discount_[j]) / ideal;
        const float apart = scores[i] - scores[j], small = std::exp(-std::abs(apart));
        total += weight * (std::max(-apart, 0.0f) + std::log1p(small));
        const float push = weight * (apart > 0 ? small : 1) / (1 + small);
        gradient[i] -= push;
        gradient[j] += push;
      }
    return static_cast<double>(total);
  }

  static float discount_of(std::size_t rank) { return 1 / std::log2(static_cast<float>(rank + 2)); }

  const JudgedScores& data_;
  std::vector<std::size_t> order_;
  std::vector<float> gain_, discount_, gradient_;
  double value_ = 0;
};

bool agree(double a, double b) { return std::abs(a - b) <= 1e-3 * (1 + std::abs(b)); }

bool agree(const RecordedLoss& loss, const PlainLoop& loop) {
  if (!agree(loss.value(), loop.value())) return false;
  const std::vector<double> gradient = loss.gradient();
  return std::equal(gradient.begin(), gradient.end(), loop.gradient().begin(),
                    [](double a, float b) { return agree(a, static_cast<double>(b)); });
}

void lambdarank(benchmark::State& state) {
  const JudgedScores data(static_cast<std::size_t>(state.range(0)));
  RecordedLoss loss(data);
  PlainLoop loop(data);
  loss.run();
  loop.run();
  if (!agree(loss, loop)) state.SkipWithError("the loss is not that of the plain loop");
  double ours = std::numeric_limits<double>::infinity(), plain = ours;
  for (auto _ : state) ours = std::min(ours, bench::seconds_of([&] { loss.run(); }));
  constexpr int runs = 3;
  for (int run = 0; run < runs; ++run)
    plain = std::min(plain, bench::seconds_of([&] { loop.run(); }));
  state.counters["lists_per_second"] = lists / ours;
  state.counters["plain_loop"] = lists / plain;
  state.counters["ratio"] = plain / ours;
}
BENCHMARK(lambdarank)->Arg(25)->Arg(120)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
