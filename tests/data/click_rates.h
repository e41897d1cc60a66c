#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "data/simulation/simulated_user.h"

namespace ultr::testing {

/// Returns the share of clicks at each rank over sessions that show documents of the given
/// relevance from the top.
inline std::vector<double> click_rates(const SimulatedUserOptions& user,
                                       const std::vector<double>& relevance, int sessions) {
  std::vector<double> by_row = {0};
  by_row.insert(by_row.end(), relevance.begin(), relevance.end());
  std::vector<std::uint32_t> rows(relevance.size());
  std::iota(rows.begin(), rows.end(), 1u);
  std::vector<std::uint16_t> positions(relevance.size());
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  SessionLog log;
  for (int s = 0; s < sessions; ++s)
    log.add({.rows = rows,
             .positions = positions,
             .clicks = std::vector<std::uint8_t>(relevance.size())});
  user.users({.relevance = by_row, .positions = relevance.size(), .seed = 5})()(log, 0);
  std::vector<double> rates(relevance.size());
  for (int s = 0; s < sessions; ++s)
    for (std::size_t k = 0; k < rates.size(); ++k)
      rates[k] += log[static_cast<std::size_t>(s)].clicks[k];
  for (double& rate : rates) rate /= sessions;
  return rates;
}

/// Expects each rate over `draws` draws to be within four standard errors of its probability.
inline void expect_rates(const std::vector<double>& rates, const std::vector<double>& expected,
                         int draws) {
  ASSERT_EQ(rates.size(), expected.size());
  for (std::size_t k = 0; k < rates.size(); ++k)
    EXPECT_NEAR(rates[k], expected[k],
                4 * std::sqrt(expected[k] * (1 - expected[k]) / static_cast<double>(draws)))
        << "rank " << k + 1;
}

}  // namespace ultr::testing
