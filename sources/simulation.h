#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "experiment/data_options.h"

namespace ultr {

/// Simulates a click log from a click model with known parameters.
///
/// Queries follow Zipf's law. Each has a pool of documents, of which a session shows the best by a
/// noisy score: the documents' attraction logit plus noise, so that attractive documents tend to
/// the top, as in a real log. The user is a click model: probabilities of documents are σ(x), x
/// normal; those of ranks (1/k)^η; those of rank pairs (1/(k-k'))^η, k' the rank of the last click;
/// global ones are given. A parameter whose `start` is given has that probability throughout. Every
/// session is a function of the seed and its number.
class SimulationOptions final : public DataOptions {
 public:
  /// `models`: the types of users to choose from, a table that outlives the options.
  explicit SimulationOptions(const std::vector<OptionType>& models) : user_(models, "pbm") {}

  void fields(Fields& f) override;
  void check() const override;
  void keep_training_only() override { valid_sessions_ = test_sessions_ = 0; }
  bool depends_on_seed() const override { return true; }
  ExperimentData load(const DataSetting& setting) const override;

  /// A part of the sessions.
  struct Part {
    const char* name;          // "train"
    SessionLog Dataset::*log;  // where load puts them
    std::int64_t sessions;
  };
  /// Training, validation and test sessions, as far as there are any.
  std::vector<Part> parts() const;
  /// Documents that every session shows.
  std::size_t shown() const { return static_cast<std::size_t>(std::min(positions_, candidates_)); }
  /// Rows of the dictionary, whose pairs are those of each query with its candidates. Queries and
  /// documents are numbered from 1, documents like their rows.
  std::uint64_t rows() const { return static_cast<std::uint64_t>(queries_ * candidates_) + 1; }
  std::uint64_t query_of(std::uint64_t row) const {
    return (row - 1) / static_cast<std::uint64_t>(candidates_) + 1;
  }
  /// The sessions of all parts in their order, the same as load makes, a few thousand at a time:
  /// memory grows with the user's parameters, not with the sessions. Documents are named by their
  /// rows. Throws ConfigError as load does.
  void stream(const DataSetting& setting,
              const std::function<void(const Part&, const SessionLog&)>& take) const;

 private:
  TrainableModel true_model(const DataSetting& setting) const;
  void simulate(const TrainableModel& truth, const DataSetting& setting,
                const std::function<void(const Part&, const SessionLog&)>& take) const;

  Choice user_;
  std::int64_t sessions_ = 100000, valid_sessions_ = 10000, test_sessions_ = 10000;
  std::int64_t queries_ = 100, candidates_ = 20, positions_ = 10;
  double zipf_ = 1, ranking_noise_ = 1, eta_ = 1;
  double logit_mean_ = -1, logit_spread_ = 1.2, global_ = 0.9;
};

/// The source of data that simulates users of the given types, a table that outlives it.
OptionType simulation_type(const std::vector<OptionType>& models);

}  // namespace ultr
