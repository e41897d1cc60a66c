#include "losses/propensity_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "autograd/ops/gather.h"
#include "base/error.h"

namespace ultr {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// The propensity of a 0-based position, NaN if unknown.
double at(std::span<const double> propensities, std::size_t position) {
  return position < propensities.size() ? propensities[position] : nothing;
}

}  // namespace

std::vector<double> inverse_propensity_weights(std::span<const double> propensities,
                                               std::size_t positions,
                                               const PropensityWeighting& weighting) {
  const auto clipped = [&](std::size_t position) {
    const double known = at(propensities, position);
    const double used = std::max(std::isnan(known) ? 0 : known, weighting.clip);
    return used > 0 ? used : nothing;
  };
  const double numerator = weighting.normalise ? clipped(0) : 1;
  std::vector<double> weights;
  for (std::size_t k = 0; k < positions; ++k) weights.push_back(numerator / clipped(k));
  return weights;
}

std::vector<double> examination_logits(std::span<const double> propensities,
                                       std::size_t positions) {
  std::vector<double> logits;
  for (std::size_t k = 0; k < positions; ++k) {
    const double p = at(propensities, k);
    logits.push_back(p > 0 && p <= 1 ? std::log(p) - std::log1p(-p) : nothing);
  }
  return logits;
}

void check_known(std::span<const double> by_position, const SessionLog& log,
                 const std::string& file, std::string_view expected) {
  for (std::size_t i = 0; i < log.sessions(); ++i)
    for (const std::uint16_t position : log[i].positions)
      if (std::isnan(at(by_position, position)))
        throw DataError(
            fmt::format("{}: no usable propensity for position {}, which the data show; "
                        "expected {}",
                        file, position + 1, expected));
}

Prob fixed_probability(const Session& session, std::span<const double> log_p) {
  const Shape shape = Shape::vector(static_cast<std::int64_t>(log_p.size()));
  const Tensor by_position = session.tape().constant(shape, log_p);
  return session.probabilities().from_log(take(by_position, session.index(Domain::rank)));
}

}  // namespace ultr
