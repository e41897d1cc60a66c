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

/// What simulated users know of positions before they see a document, by rank from the top.
struct SimulatedPositionBias {
  /// Whether it is a logit that adds to that of relevance; else it is P(examined).
  bool additive = false;
  std::vector<double> by_rank;
};

/// What users click on: for every session of a log, the first of which has the number `first`, its
/// clicks. A session's clicks are a function of the seed, its number and what it shows alone.
using SimulatedUser = std::function<void(SessionLog& sessions, std::uint64_t first)>;

/// Makes a user for each thread that wants one.
using SimulatedUsers = std::function<SimulatedUser()>;

/// What users are made for.
struct SimulatedUserSetting {
  /// Of documents, by the rows that sessions have for them, 0 to largest_simulated_label. It must
  /// outlive the users.
  std::span<const double> relevance;
  std::size_t positions = 1;  // displayed at most
  std::uint64_t seed = 1;
};

/// The options of a kind of users, which must outlive them.
class SimulatedUserOptions : public Options {
 public:
  virtual SimulatedUsers users(const SimulatedUserSetting& setting) const = 0;
  /// Nothing if they know positions otherwise, such as from clicks above.
  virtual std::optional<SimulatedPositionBias> position_bias(std::size_t positions) const = 0;
  /// Replaces the files that the options name by where `find` says they are.
  virtual void locate_files(const std::function<std::string(const std::string& file)>&) {}
};

/// Users whose clicks depend on nothing but a document's relevance s and its rank k, each a
/// SimulatedUserOptions:
///
///     position_based    P(click) = position_bias(k) attractiveness(s)
///     additive          P(click) = σ(-η ln k + s - 2)    (Hager, 2025, chapter 4)
const std::vector<OptionType>& independent_user_types();

}  // namespace ultr
