#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "training/intervals/coin_curve.h"
#include "training/score_program.h"

namespace ultr {

/// The parameters of a model as information sees them: entries of pairs, whose numbers grow with
/// the log, and a few entries that all sessions share.
struct InformationLayout {
  explicit InformationLayout(const TrainableModel& trained);

  const TrainableModel& model;
  std::vector<std::size_t> of_pairs;  // numbers of layers
  std::vector<std::size_t> shared;
  std::vector<std::size_t> first_shared;  // number of the first entry of each shared layer
  std::size_t shared_entries = 0;
  /// The domain of all layers of pairs, whose entries are called units here: a pair, or a pair at a
  /// position.
  Domain unit = Domain::document;
  std::size_t units = 0;
  bool is_memoryless = true;
  std::vector<std::size_t> factors;  // of relevance: places in of_pairs

  /// Returns the unit of a row at a position.
  std::size_t unit_of(std::uint32_t row, std::uint32_t position) const;
  /// Returns the logit of an entry of a layer.
  double logit(std::size_t layer, std::size_t entry) const;
};

/// The information of some sessions about their units and the shared entries: sums of
///
///     dp dp' / (p (1-p)),   p = P(click | clicks above),
///
/// over all documents.
struct GroupInformation {
  std::vector<std::size_t> units;
  /// True if `own` has the information between all parameters of all units; false if only between
  /// the parameters of one unit, whose rows these are then.
  bool coupled = false;
  Eigen::MatrixXd own;            // parameters x (all parameters or those of the unit)
  Eigen::MatrixXd cross;          // parameters x shared entries
  std::vector<CoinCurve> curves;  // one per parameter
  std::vector<double> scores;     // sums, for curves of parameters that are no coins
};

/// Sums up the information of groups of sessions. One object per thread.
class InformationPass {
 public:
  explicit InformationPass(const InformationLayout& layout);

  /// Returns the information of the sessions of several groups, of which no two share a unit. Adds
  /// that about shared entries to `shared`. `group_of`: the group of each session of the log.
  std::vector<GroupInformation> operator()(const SessionLog& log,
                                           std::span<const std::uint32_t> sessions,
                                           std::span<const std::uint32_t> group_of,
                                           Eigen::MatrixXd& shared);

 private:
  void number_units(const SessionLog& log, std::span<const std::uint32_t> sessions,
                    std::span<const std::uint32_t> group_of, std::vector<GroupInformation>& groups);
  void add_shard(std::span<const std::uint32_t> group_of, std::uint32_t first_group,
                 std::vector<GroupInformation>& groups, Eigen::MatrixXd& shared);
  void find_entries();
  double session_weight(std::size_t j) const {
    return shard_.weights().empty() ? 1 : static_cast<double>(shard_.weights()[j]);
  }
  /// Adds the click or skip at document `at` of session `j`, whose parameters at ranks `first` to
  /// `last` matter.
  void add_row(ScoreProgram& program, std::size_t j, std::size_t first, std::size_t last,
               double weight, GroupInformation& group, Eigen::MatrixXd& shared);
  void add_curves(ScoreProgram& program, std::span<const std::uint32_t> group_of,
                  std::uint32_t first_group, std::vector<GroupInformation>& groups);
  void finish_curves(GroupInformation& group) const;

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  const InformationLayout& layout_;
  std::vector<std::unique_ptr<ScoreProgram>> programs_;  // by length
  Shard shard_;
  std::vector<std::uint32_t> local_;               // by unit, its number in its group, or none
  std::vector<std::size_t> unit_;                  // of each document of the shard
  std::vector<std::vector<std::uint32_t>> entry_;  // [shared layer][document]
  std::vector<std::vector<double>> score_;         // [layer of pairs][document], summed
  std::vector<std::pair<std::size_t, double>> own_, common_;  // scratch: a row's nonzeros
};

}  // namespace ultr
