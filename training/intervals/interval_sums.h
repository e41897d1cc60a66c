#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "data/log/session_log.h"
#include "training/intervals/session_information.h"

namespace ultr {

/// An interval of relevance with all parameters but those of its pair held, and what estimating the
/// others adds to its variance.
struct HeldInterval {
  LogitInterval interval{};
  double held_variance = 0;   // of log relevance, with all other parameters held
  double group_variance = 0;  // with those of shared entries held
};

/// The sums over a log from which likelihood intervals follow: held intervals of all rows, and the
/// information about shared entries.
class IntervalSums {
 public:
  IntervalSums(const InformationLayout& layout, std::size_t rows)
      : layout_(layout),
        held_(rows),
        known_(rows),
        along_shared_(rows * layout.shared_entries),
        shared_(Eigen::MatrixXd::Zero(size(), size())),
        profiled_(shared_) {}

  /// Adds the sessions of a log. Must be called once.
  void add(const SessionLog& log, int threads);

  const Eigen::MatrixXd& shared() const { return shared_; }
  /// The information about shared entries if those of pairs are estimated too.
  const Eigen::MatrixXd& profiled() const { return profiled_; }
  bool is_known(std::size_t row) const { return known_[row] != 0; }
  const HeldInterval& held(std::size_t row) const { return held_[row]; }
  /// The change of log relevance with shared entries, if the parameters of pairs follow.
  Eigen::VectorXd along_shared(std::size_t row) const {
    Eigen::VectorXd slopes(size());
    for (Eigen::Index e = 0; e < size(); ++e)
      slopes[e] = static_cast<double>(
          along_shared_[row * layout_.shared_entries + static_cast<std::size_t>(e)]);
    return slopes;
  }

 private:
  Eigen::Index size() const { return static_cast<Eigen::Index>(layout_.shared_entries); }
  void take(GroupInformation& group, Eigen::MatrixXd& subtracted);
  /// Takes the parameters of some units, from `first_unit` on, between which information is kept.
  void take_block(const GroupInformation& group, const Eigen::MatrixXd& own,
                  const Eigen::MatrixXd& cross, std::size_t first_unit, std::size_t units,
                  Eigen::MatrixXd& subtracted);
  void take_unit(const GroupInformation& group, std::size_t unit,
                 const Eigen::VectorXd& information, const Eigen::LLT<Eigen::MatrixXd>& with_prior,
                 const Eigen::VectorXd& scale, const Eigen::MatrixXd& cross, std::size_t place);

  const InformationLayout& layout_;
  std::vector<HeldInterval> held_;
  std::vector<std::uint8_t> known_;
  std::vector<float> along_shared_;  // rows x shared entries
  Eigen::MatrixXd shared_, profiled_;
};

}  // namespace ultr
