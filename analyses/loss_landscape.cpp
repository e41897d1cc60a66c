#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "analyses/analyses.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "base/sigmoid.h"
#include "experiment/task.h"
#include "losses/pointwise.h"
#include "losses/position_based.h"
#include "losses/propensity_weights.h"
#include "metrics/seed_summary.h"
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
///     gradient          lists: the magnitude of the derivative of a document's loss in the logit
///     of
///                       the estimate, the mean over documents, as training on click rates takes it
///     click_gradient    the same as training on single clicks takes it: the root of the mean
///     square
///                       over clicks
///     mean_gradient, mean_click_gradient   their means over the listed estimates
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
  /// The loss of every document at every estimate, one estimate after the other.
  struct Losses {
    std::vector<double> loss;      // by estimate: the mean over documents
    std::vector<double> gradient;  // by estimate and document: the derivative in the logit
  };
  /// Computes them for estimates strictly between 0 and 1 and one target per document.
  Losses losses(const std::vector<double>& estimates, const std::vector<double>& targets) const;
  /// Returns the click rates of the documents.
  std::vector<double> click_rates() const;

  std::string loss_ = "pbm";
  std::vector<double> relevance_ = {0.5}, examination_ = {1};
  std::int64_t points_ = 99;
};

std::vector<double> LossLandscape::click_rates() const {
  std::vector<double> rates;
  for (std::size_t d = 0; d < relevance_.size(); ++d)
    rates.push_back(relevance_[d] * examination_[d]);
  return rates;
}

LossLandscape::Losses LossLandscape::losses(const std::vector<double>& estimates,
                                            const std::vector<double>& targets) const {
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
      target.push_back(targets[d]);
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
  const Tensor scores =
      tape.variable(Shape::vector(static_cast<std::int64_t>(score.size())), score);
  const Tensor loss =
      loss_ == "pbm"
          ? position_based_loss(scores, constant(examination), constant(target), segments)
          : pointwise_loss(scores, constant(target) * constant(weight), segments);
  tape.backward(sum(loss));
  Losses found{.loss = loss.values(), .gradient = scores.gradient()};
  for (double& mean : found.loss) mean /= static_cast<double>(documents);
  return found;
}

/// Returns the mean of the numbers of each group of so many.
std::vector<double> means_of_groups(const std::vector<double>& numbers, std::size_t size) {
  std::vector<double> means(numbers.size() / size);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    means[i / size] += numbers[i] / static_cast<double>(size);
  return means;
}

TaskResults LossLandscape::run(const TaskContext&) {
  std::vector<double> estimates;
  for (std::int64_t i = 1; i <= points_; ++i)
    estimates.push_back(static_cast<double>(i) / static_cast<double>(points_ + 1));
  const std::size_t documents = relevance_.size();
  const std::vector<double> rates = click_rates();
  const auto [listed, slopes] = losses(estimates, rates);
  const std::vector<double> of_clicks =
                                losses(estimates, std::vector<double>(documents, 1)).gradient,
                            of_none = losses(estimates, std::vector<double>(documents)).gradient;
  std::vector<double> magnitudes, roots;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double rate = rates[i % documents];
    magnitudes.push_back(std::abs(slopes[i]));
    roots.push_back(
        std::sqrt(rate * std::pow(of_clicks[i], 2) + (1 - rate) * std::pow(of_none[i], 2)));
  }
  const std::vector<double> gradient = means_of_groups(magnitudes, documents),
                            click_gradient = means_of_groups(roots, documents);
  const auto [smallest, largest] = std::minmax_element(listed.begin(), listed.end());
  // Half the digits of a double: near a minimum a function says no more about its place.
  constexpr int bits = std::numeric_limits<double>::digits / 2;
  const auto [minimum, loss] = boost::math::tools::brent_find_minima(
      [&](double x) { return losses({sigmoid(x)}, rates).loss.front(); }, -widest_logit,
      widest_logit, bits);
  return {.json = {{"minimum", sigmoid(minimum)},
                   {"smallest_loss", loss},
                   {"range", *largest - *smallest},
                   {"mean_relevance", mean_of(relevance_)},
                   {"mean_gradient", mean_of(gradient)},
                   {"mean_click_gradient", mean_of(click_gradient)},
                   {"estimate", estimates},
                   {"loss", listed},
                   {"gradient", gradient},
                   {"click_gradient", click_gradient}}};
}

}  // namespace

OptionType loss_landscape_type() {
  return option_type<LossLandscape>(
      "loss_landscape", "Computes the loss of a few documents at all relevance estimates.");
}

}  // namespace ultr
