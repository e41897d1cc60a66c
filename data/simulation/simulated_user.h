#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/log/session_log.h"
#include "options/fields.h"

namespace ultr {

/// P(click | examined) of a document with relevance s: ε + (1-ε) (2^s - 1) / (2^4 - 1) (Hager et
/// al., ECIR 2023). relevance: 0 to largest_simulated_label; noise: ε, 0 to 1.
double attractiveness(double relevance, double noise);
/// P(examined) at a position: (1/k)^η, k = position + 1. position: 0-based; eta: at least 0.
double position_bias(std::size_t position, double eta);

/// The position bias of simulated users, by 0-based rank.
struct SimulatedPositionBias {
  /// True if the bias is a logit that is added to that of relevance; else it is P(examined).
  bool additive = false;
  std::vector<double> by_rank;
};

/// Sets the clicks of all sessions of a log, the first of which has the number `first`. A session's
/// clicks are a function of the seed, its number, its query and the documents that it shows alone.
using SimulatedUser = std::function<void(SessionLog& sessions, std::uint64_t first)>;

/// Makes a user; each thread needs its own.
using SimulatedUsers = std::function<SimulatedUser()>;

/// Users whose clicks do not depend on each other: those of a session are coins with probabilities
/// of their own.
struct IndependentUsers {
  std::uint64_t seed = 1;
  /// Sets the click probability of each document that a session shows.
  std::function<void(const SessionView& shown, std::span<double> probabilities)> probabilities;

  /// Draws the clicks of the session with a number, of which `chances` has the probabilities.
  void click(std::uint64_t session, std::span<const double> chances,
             std::span<std::uint8_t> clicks) const;
};

/// The setting for which users are made.
struct SimulatedUserSetting {
  /// Relevance by row of a session, 0 to largest_simulated_label. Must outlive the users.
  std::span<const double> relevance;
  std::size_t positions = 1;  // largest number of displayed positions
  std::uint64_t seed = 1;
};

/// The options of a kind of users. They must outlive the users.
class SimulatedUserOptions : public Options {
 public:
  /// Throws ConfigError if the options do not fit together.
  virtual void check() const {}
  /// Returns a factory of users for the setting.
  virtual SimulatedUsers users(const SimulatedUserSetting& setting) const = 0;
  /// Returns the same users if their clicks do not depend on each other, else nothing.
  virtual std::optional<IndependentUsers> independent_users(const SimulatedUserSetting&) const {
    return {};
  }
  /// Returns the position bias; nothing if it depends on more than the rank, such as clicks above.
  virtual std::optional<SimulatedPositionBias> position_bias(std::size_t positions) const = 0;
  /// Replaces the files that the options name by the paths that `find` returns for them.
  virtual void locate_files(const std::function<std::string(const std::string& file)>&) {}
};

/// The table of users whose clicks depend only on a document's relevance s and its rank k, each a
/// SimulatedUserOptions:
///
///     position_based    P(click) = position_bias(k) attractiveness(s)
///     trust_bias        P(click) = position_bias(k) (ε⁺ a + ε⁻ (1 - a)), a = attractiveness(s),
///                       ε⁻ = click_irrelevant position_bias(k, δ)    (Agarwal et al., 2019)
///     additive          P(click) = σ(-η ln k + s - 2 + z)    (Hager, 2025, chapter 4, with z = 0)
///
/// z is normal, with mean `offset` and standard deviation `query_spread`, and drawn once per query.
/// Users of some queries then click a lot and of others hardly ever, whatever they are shown.
const std::vector<OptionType>& independent_user_types();

}  // namespace ultr
