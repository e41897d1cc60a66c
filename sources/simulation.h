#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "data/simulation/simulate_sessions.h"
#include "experiment/data_options.h"

namespace ultr {

/// The options of a click log simulated from a click model with known parameters.
///
/// The frequencies of queries follow Zipf's law. Each query has a pool of documents, of which a
/// session shows the best by a noisy score: the document's attraction logit plus normal noise.
/// Attractive documents thus tend to the top, as in a real log. The user is a click model:
/// probabilities of documents are σ(x) with normal x, those of ranks (1/k)^η, those of rank pairs
/// (1/(k-k'))^η, where k' is the rank of the last click; global ones are given. A parameter whose
/// `start` is given has that probability throughout. Every session is a function of the seed and
/// its number alone.
class SimulationOptions final : public DataOptions {
 public:
  /// `models` are the types of users to choose from. The table must outlive the options.
  explicit SimulationOptions(const std::vector<OptionType>& models) : user_(models, "pbm") {}

  void fields(Fields& f) override;
  void check() const override;
  void keep_training_only() override { valid_sessions_ = test_sessions_ = 0; }
  bool depends_on_seed() const override { return true; }
  ExperimentData load(const DataSetting& setting) const override;

  /// A part of the sessions: training, validation or test.
  struct Part {
    const char* name;          // "train"
    SessionLog Dataset::*log;  // where load puts them
    std::int64_t sessions;
  };
  /// Returns the training, validation and test parts that have sessions.
  std::vector<Part> parts() const;
  /// Returns the number of documents that every session shows.
  std::size_t shown() const { return static_cast<std::size_t>(std::min(positions_, candidates_)); }
  /// Returns the number of rows of the dictionary: row 0 and one per pair of a query and one of its
  /// candidates. Queries and documents are numbered from 1. The number of a document is its row.
  std::uint64_t rows() const { return static_cast<std::uint64_t>(queries_ * candidates_) + 1; }
  std::uint64_t query_of(std::uint64_t row) const {
    return (row - 1) / static_cast<std::uint64_t>(candidates_) + 1;
  }
  /// Passes the sessions of all parts to `take`, block by block and in order; they are the sessions
  /// that `load` returns. Memory grows with the parameters of the user, not with the number of
  /// sessions. Documents are identified by their rows. With several threads, `take` runs on one of
  /// its own. Throws ConfigError as `load` does, and what `take` throws.
  void stream(const DataSetting& setting,
              const std::function<void(const Part&, const SessionLog&)>& take) const;

 private:
  std::shared_ptr<const TrainableModel> true_model(const DataSetting& setting) const;
  std::shared_ptr<const TrainableModel> user_model(const ModelSetting& size) const;
  /// `truth` must outlive the result.
  DrawLists list_drawer(const TrainableModel& truth, std::uint64_t seed) const;
  void simulate(const std::shared_ptr<const TrainableModel>& truth, const DataSetting& setting,
                const std::function<void(const Part&, const SessionLog&)>& take) const;

  Choice user_;
  std::int64_t sessions_ = 100000, valid_sessions_ = 10000, test_sessions_ = 10000;
  std::int64_t queries_ = 100, candidates_ = 20, positions_ = 10;
  double zipf_ = 1, ranking_noise_ = 1, eta_ = 1;
  double logit_mean_ = -1, logit_spread_ = 1.2, global_ = 0.9;
};

/// Returns the data source that simulates users of the given types. The table must outlive it.
OptionType simulation_type(const std::vector<OptionType>& models);

}  // namespace ultr
