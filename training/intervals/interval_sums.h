#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
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

/// The change of log relevance with one shared entry.
struct SharedSlope {
  std::uint32_t entry = 0;
  float slope = 0;
};

/// The sums over a log from which likelihood intervals follow: held intervals of all rows, and the
/// information about shared entries.
class IntervalSums {
 public:
  IntervalSums(const InformationLayout& layout, std::size_t rows)
      : layout_(layout),
        held_(rows),
        known_(rows),
        along_shared_(rows),
        shared_(Eigen::MatrixXd::Zero(size(), size())),
        profiled_(shared_) {}

  /// Adds the sessions of a log. Must be called once.
  void add(const SessionLog& log, int threads);

  const Eigen::MatrixXd& shared() const { return shared_; }
  /// The information about shared entries if those of pairs are estimated too.
  const Eigen::MatrixXd& profiled() const { return profiled_; }
  bool is_known(std::size_t row) const { return known_[row] != 0; }
  const HeldInterval& held(std::size_t row) const { return held_[row]; }
  /// The change of log relevance with shared entries, if the parameters of pairs follow; without
  /// entries that do not change it.
  std::span<const SharedSlope> along_shared(std::size_t row) const { return along_shared_[row]; }

 private:
  /// Information between some parameters of pairs and shared entries: only the columns of entries
  /// that have any.
  struct CrossInformation {
    std::vector<Eigen::Index> entries;
    Eigen::MatrixXd matrix;  // parameters x these entries
  };

  Eigen::Index size() const { return static_cast<Eigen::Index>(layout_.shared_entries); }
  void take(GroupInformation& group, Eigen::MatrixXd& subtracted);
  /// Takes the parameters of some units, from `first_unit` on, between which information is kept.
  void take_block(const GroupInformation& group, const Eigen::MatrixXd& own, std::size_t first_unit,
                  std::size_t units, Eigen::MatrixXd& subtracted);
  void take_unit(const GroupInformation& group, std::size_t unit,
                 const Eigen::VectorXd& information, const Eigen::LLT<Eigen::MatrixXd>& with_prior,
                 const Eigen::VectorXd& scale, const CrossInformation& cross, std::size_t place);

  const InformationLayout& layout_;
  std::vector<HeldInterval> held_;
  std::vector<std::uint8_t> known_;
  std::vector<std::vector<SharedSlope>> along_shared_;  // by row
  Eigen::MatrixXd shared_, profiled_;
};

}  // namespace ultr
