#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "analyses/analyses.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/segments.h"
#include "base/sigmoid.h"
#include "experiment/task.h"
#include "losses/pointwise.h"
#include "losses/position_based.h"
#include "losses/propensity_weights.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

double logit(double p) { return std::log(p) - std::log1p(-p); }
/// The minimum is sought between minus this logit and this logit.
constexpr double widest_logit = 20;

/// The loss of documents that share one relevance estimate, as a function of the estimate (Hager et
/// al., ECIR 2023, figures 1 and 3). A document has the click rate o y of infinitely many sessions,
/// where o is its examination and y its relevance; losses know o. Losses are means over documents.
///
///     estimate, loss    lists of equal length
///     minimum           the estimate with the smallest loss
///     smallest_loss     the loss at the minimum
///     range             the largest listed loss minus the smallest
///     mean_relevance    of the documents
class LossLandscape final : public Task {
 public:
  void fields(Fields& f) override {
    f.word("loss", loss_, "Loss; both know the examination of documents.", {"pbm", "ips"});
    f.numbers("relevance", relevance_,
              "Relevance of each document, which is its click rate if examined.", between(0, 1));
    f.numbers("examination", examination_, "Probability of examination of each document.",
              {.low = 0, .high = 1, .low_open = true});
    f.integer("points", points_,
              "Number of estimates whose loss is listed, evenly spaced between 0 and 1.",
              between(1, 100000));
  }
  void check() const override {
    if (relevance_.empty() || relevance_.size() != examination_.size())
      throw ConfigError(
          fmt::format("analysis.relevance has {} documents, analysis.examination {}; expected one "
                      "number for each document in both",
                      relevance_.size(), examination_.size()));
  }
  TaskResults run(const TaskContext& context) override;

 private:
  /// Returns the mean loss over documents at each estimate, a probability strictly between 0 and
  /// 1.
  std::vector<double> losses(const std::vector<double>& estimates) const;

  std::string loss_ = "pbm";
  std::vector<double> relevance_ = {0.5}, examination_ = {1};
  std::int64_t points_ = 99;
};

std::vector<double> LossLandscape::losses(const std::vector<double>& estimates) const {
  const std::size_t documents = relevance_.size(), lists = estimates.size();
  std::vector<double> score, target, examination, weight;
  std::vector<std::uint32_t> offsets = {0};
  const std::vector<double> weights =
      inverse_propensity_weights(examination_, documents, {.clip = 0, .normalise = false});
  const std::vector<double> examination_logit = examination_logits(examination_, documents);
  for (const double estimate : estimates) {
    for (std::size_t d = 0; d < documents; ++d) {
      score.push_back(logit(estimate));
      examination.push_back(examination_logit[d]);
      target.push_back(relevance_[d] * examination_[d]);
      weight.push_back(weights[d]);
    }
    offsets.push_back(static_cast<std::uint32_t>(score.size()));
  }

  Tape tape(Precision::float64);
  const Segments segments = make_segments(tape, static_cast<std::int64_t>(offsets.size()),
                                          static_cast<std::int64_t>(lists));
  tape.bind(segments.offsets, offsets);
  const auto constant = [&](const std::vector<double>& numbers) {
    return tape.constant(Shape::vector(static_cast<std::int64_t>(numbers.size())), numbers);
  };
  const Tensor loss =
      loss_ == "pbm"
          ? position_based_loss(constant(score), constant(examination), constant(target), segments)
          : pointwise_loss(constant(score), constant(target) * constant(weight), segments);
  std::vector<double> means = loss.values();
  for (double& mean : means) mean /= static_cast<double>(documents);
  return means;
}

TaskResults LossLandscape::run(const TaskContext&) {
  std::vector<double> estimates;
  for (std::int64_t i = 1; i <= points_; ++i)
    estimates.push_back(static_cast<double>(i) / static_cast<double>(points_ + 1));
  const std::vector<double> listed = losses(estimates);
  const auto [smallest, largest] = std::minmax_element(listed.begin(), listed.end());
  // Half the digits of a double: near a minimum a function says no more about its place.
  constexpr int bits = std::numeric_limits<double>::digits / 2;
  const auto [minimum, loss] = boost::math::tools::brent_find_minima(
      [&](double x) { return losses({sigmoid(x)}).front(); }, -widest_logit, widest_logit, bits);
  return {.json = {{"minimum", sigmoid(minimum)},
                   {"smallest_loss", loss},
                   {"range", *largest - *smallest},
                   {"mean_relevance", std::accumulate(relevance_.begin(), relevance_.end(), 0.0) /
                                          static_cast<double>(relevance_.size())},
                   {"estimate", estimates},
                   {"loss", listed}}};
}

}  // namespace

OptionType loss_landscape_type() {
  return option_type<LossLandscape>(
      "loss_landscape", "Computes the loss of a few documents at all relevance estimates.");
}

}  // namespace ultr
