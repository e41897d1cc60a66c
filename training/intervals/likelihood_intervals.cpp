#include "training/intervals/likelihood_intervals.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/sigmoid.h"
#include "dsl/relevance_layer.h"
#include "training/intervals/interval_sums.h"

namespace ultr {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// The 97.5% quantile of the normal distribution.
constexpr double critical_deviation = 1.959963984540054;
/// Information, relative to that before other parameters are estimated too, below which a direction
/// counts as flat.
constexpr double flat_information = 1e-8;
/// Shared entries whose information can be inverted within a minute: it is a matrix of their number
/// squared.
constexpr std::int64_t most_shared = 2000;

/// The covariance of shared entries.
struct SharedCovariance {
  MatrixXd matrix;            // 0 for entries without information and those that are held
  std::vector<bool> is_seen;  // has information
  bool held_first = false;    // an entry is held because a direction is flat
};

/// Returns the eigenvalues and vectors of information between entries, scaled by `scale`.
Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(const MatrixXd& information,
                                                 const VectorXd& scale) {
  MatrixXd scaled = scale.asDiagonal() * information * scale.asDiagonal();
  for (Index e = 0; e < scale.size(); ++e)
    if (scale[e] == 0) scaled(e, e) = 1;
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(scaled);
}

/// Returns the first entry of each layer of positions that sessions have seen, as its place in
/// `seen`.
std::vector<Index> first_seen(const InformationLayout& layout, const std::vector<Index>& seen) {
  std::vector<Index> first;
  for (std::size_t s = 0; s < layout.shared.size(); ++s) {
    const TrainableModel::Layer& layer = layout.model.layers()[layout.shared[s]];
    if (layer.domain == Domain::global) continue;
    const auto begin = static_cast<Index>(layout.first_shared[s]);
    const Index end = begin + static_cast<Index>(layer.layer->entry_logits()->values->rows());
    const auto found = std::ranges::lower_bound(seen, begin);
    if (found != seen.end() && *found < end) first.push_back(found - seen.begin());
  }
  return first;
}

SharedCovariance covariance_of_shared(const InformationLayout& layout, const IntervalSums& sums) {
  const auto size = static_cast<Index>(layout.shared_entries);
  SharedCovariance covariance{MatrixXd::Zero(size, size), std::vector<bool>(layout.shared_entries)};
  std::vector<Index> seen;
  for (Index e = 0; e < size; ++e) {
    if (!(sums.shared()(e, e) > 0)) continue;
    seen.push_back(e);
    covariance.is_seen[static_cast<std::size_t>(e)] = true;
  }
  if (seen.empty()) return covariance;
  VectorXd scale = sums.shared().diagonal()(seen).cwiseSqrt().cwiseInverse();
  const MatrixXd information = sums.profiled()(seen, seen);
  Eigen::SelfAdjointEigenSolver<MatrixXd> solved = spectrum(information, scale);
  for (const Index e : first_seen(layout, seen)) {
    double weight = 0;
    for (Index v = 0; v < scale.size(); ++v)
      if (solved.eigenvalues()[v] < flat_information)
        weight += std::pow(solved.eigenvectors()(e, v), 2);
    if (weight < flat_information) continue;
    scale[e] = 0;
    covariance.held_first = true;
    solved = spectrum(information, scale);
  }
  const VectorXd variances =
      solved.eigenvalues().array().max(flat_information * flat_information).inverse();
  const MatrixXd of_seen = scale.asDiagonal() * solved.eigenvectors() * variances.asDiagonal() *
                           solved.eigenvectors().transpose() * scale.asDiagonal();
  covariance.matrix(seen, seen) = of_seen;
  return covariance;
}

/// Returns the variance of a sum of shared entries, each times its slope.
double variance_of_sum(std::span<const SharedSlope> slopes, const MatrixXd& covariance) {
  double variance = 0;
  for (const SharedSlope& a : slopes) {
    double with_a = 0;
    for (const SharedSlope& b : slopes)
      with_a += static_cast<double>(b.slope) *
                covariance(static_cast<Index>(b.entry), static_cast<Index>(a.entry));
    variance += static_cast<double>(a.slope) * with_a;
  }
  return variance;
}

/// Returns the interval of a row's relevance with all parameters estimated: the interval with the
/// others held, widened on the scale of logits by the ratio of standard deviations.
ConfidenceInterval widened(const HeldInterval& held, double shared_variance) {
  const double ratio = (held.group_variance + std::max(0.0, shared_variance)) / held.held_variance;
  const double widen = std::sqrt(std::max(1.0, ratio));
  const auto& [lower, centre, upper] = held.interval;
  return {sigmoid(centre - (centre - lower) * widen), sigmoid(centre + (upper - centre) * widen)};
}

/// Returns the intervals of position bias from the covariance of the logits of a layer of
/// positions.
std::vector<ConfidenceInterval> position_bias_intervals(const InformationLayout& layout,
                                                        const PositionEffect& effect,
                                                        const SharedCovariance& covariance) {
  std::vector<ConfidenceInterval> intervals;
  for (std::size_t s = 0; s < layout.shared.size(); ++s) {
    const std::size_t number = layout.shared[s];
    if (layout.model.layers()[number].layer != effect.parameter.layer()) continue;
    const bool additive = effect.scale == PositionEffect::Scale::logit;
    // The logit, or the log of the probability, and its slope with the logit.
    const auto slope = [&](std::size_t k) {
      return additive ? 1.0 : sigmoid(-layout.logit(number, k));
    };
    const auto log_of = [&](std::size_t k) {
      return additive ? layout.logit(number, k) : std::log(sigmoid(layout.logit(number, k)));
    };
    const auto entry = [&](std::size_t k) {
      return static_cast<Index>(layout.first_shared[s] + k);
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(layout.model.setting().positions); ++k) {
      const MatrixXd& matrix = covariance.matrix;
      const double variance = slope(k) * slope(k) * matrix(entry(k), entry(k)) +
                              slope(0) * slope(0) * matrix(entry(0), entry(0)) -
                              2 * slope(k) * slope(0) * matrix(entry(k), entry(0));
      const bool seen = covariance.is_seen[static_cast<std::size_t>(entry(k))];
      const double deviation =
          seen ? critical_deviation * std::sqrt(std::max(0.0, variance)) : infinity;
      const double centre = log_of(k) - log_of(0);
      intervals.push_back({centre - deviation, centre + deviation});
      if (!additive)
        intervals.back() = {std::exp(centre - deviation), std::exp(centre + deviation)};
    }
  }
  return intervals;
}

/// Returns true if sessions of several queries show the same row, as one of a hashed dictionary, or
/// the unknown pair.
bool queries_share_rows(const SessionLog& log, std::size_t rows) {
  std::vector<std::optional<std::uint64_t>> query_of_row(rows);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (const std::uint32_t row : session.rows) {
      std::optional<std::uint64_t>& query = query_of_row[row];
      if (query && *query != session.query) return true;
      query = session.query;
    }
  }
  return false;
}

}  // namespace

std::string why_no_intervals(const TrainableModel& model, const SessionLog& train) {
  if (!model.story().predicts_clicks() || !model.story().maximises_likelihood())
    return "the model does not maximise the likelihood of clicks";
  if (train.has_targets()) return "the model learned from targets other than clicks";
  std::optional<Domain> pairs;
  std::int64_t shared = 0;
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (layer.domain == Domain::alternative)
      return fmt::format("relevance is a sum over alternatives, whose shares '{}' are learned too",
                         layer.name);
    if (!layer.layer->entry_logits())
      return fmt::format(
          "'{}' does not have one logit per entry: its numbers are shared, as in a tower or a "
          "compressed table",
          layer.name);
    if (!is_of_documents(layer.domain)) {
      shared += layer.layer->entry_logits()->values->rows();
      continue;
    }
    if (pairs && *pairs != layer.domain)
      return "some parameters of pairs depend on positions, others do not";
    pairs = layer.domain;
  }
  if (shared > most_shared)
    return fmt::format(
        "all sessions share {} parameters, and their information is only computed "
        "for up to {}",
        shared, most_shared);
  const std::vector<const TrainableModel::Layer*> factors = relevance_factors(model);
  const auto of_pairs = [](const TrainableModel::Layer* layer) {
    return is_of_documents(layer->domain);
  };
  if (factors.empty() || factors.size() > 2 || !std::ranges::all_of(factors, of_pairs))
    return "relevance is no product of one or two parameters of pairs";
  if (queries_share_rows(train, static_cast<std::size_t>(model.setting().rows)))
    return "queries share the parameters of pairs, as those of a hashed dictionary";
  return {};
}

LikelihoodIntervals likelihood_intervals(const TrainableModel& model, const SessionLog& train,
                                         int threads) {
  const InformationLayout layout(model);
  const auto rows = static_cast<std::size_t>(model.setting().rows);
  IntervalSums sums(layout, rows);
  sums.add(train, threads);
  const SharedCovariance covariance = covariance_of_shared(layout, sums);
  LikelihoodIntervals result{.relevance = std::vector<ConfidenceInterval>(rows, {0, 1}),
                             .position_bias = {},
                             .relative_to_first_position = covariance.held_first};
  for (std::size_t row = 1; row < rows; ++row) {
    if (!sums.is_known(row)) continue;
    result.relevance[row] =
        widened(sums.held(row), variance_of_sum(sums.along_shared(row), covariance.matrix));
  }
  if (const auto effect = model.story().position_effect())
    result.position_bias = position_bias_intervals(layout, *effect, covariance);
  return result;
}

}  // namespace ultr
