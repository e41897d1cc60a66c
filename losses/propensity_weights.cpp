#include "losses/propensity_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/ops/gather.h"
#include "base/error.h"
#include "data/log/click_of.h"

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

void expect_all_positions(std::span<const double> propensities, const SessionLog& log,
                          const std::string& file) {
  std::vector<bool> is_shown(log.positions());
  for (std::size_t i = 0; i < log.sessions(); ++i)
    for (const std::uint16_t position : log[i].positions) is_shown[position] = true;
  std::vector<std::size_t> unknown;  // from 1
  for (std::size_t k = 0; k < is_shown.size(); ++k)
    if (is_shown[k] && std::isnan(at(propensities, k))) unknown.push_back(k + 1);
  if (unknown.empty()) return;
  const auto shown = static_cast<std::size_t>(std::ranges::count(is_shown, true));
  throw DataError(fmt::format(
      "{}: has propensities for {} of the {} positions that the data show, and none for {}; "
      "expected one for each, or 0 for those that clip should decide",
      file, shown - unknown.size(), shown, fmt::join(unknown, ", ")));
}

void expect_clicks(std::span<const double> propensities, const SessionLog& log,
                   const std::string& file) {
  constexpr double enough = 100;  // for none to be no accident
  struct Displays {
    double examined = 0, clicks = 0;
  };
  std::vector<Displays> by_position(log.positions());
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.positions.size(); ++k) {
      const double propensity = at(propensities, session.positions[k]);
      if (std::isnan(propensity)) continue;
      Displays& displays = by_position[session.positions[k]];
      displays.examined += session.weight * propensity;
      displays.clicks += session.weight * static_cast<double>(click_of(session, k));
    }
  }
  Displays all;
  for (const Displays& displays : by_position) {
    all.examined += displays.examined;
    all.clicks += displays.clicks;
  }
  for (std::size_t k = 0; k < by_position.size(); ++k) {
    const double expected = by_position[k].examined * all.clicks / all.examined;
    if (by_position[k].clicks == 0 && expected >= enough)
      throw DataError(fmt::format(
          "{}: has the propensity {:.3g} for position {}, where the data have no click and about "
          "{:.0f} would be expected; expected 0 where users do not see documents",
          file, propensities[k], k + 1, expected));
  }
}

Prob fixed_probability(const Session& session, std::span<const double> log_p) {
  const Shape shape = Shape::vector(static_cast<std::int64_t>(log_p.size()));
  const Tensor by_position = session.tape().constant(shape, log_p);
  return session.probabilities().from_log(take(by_position, session.index(Domain::rank)));
}

}  // namespace ultr
