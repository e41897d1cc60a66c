#pragma once

#include <optional>
#include <string>
#include <vector>

#include "losses/display_positions.h"
#include "losses/ranking_loss.h"

namespace ultr {

/// Computes minus the log-likelihood of clicks with probability e (γ + t (1 - γ)), as users with
/// trust bias make them (Agarwal et al., 2019): for each list
///
///     -Σ_i c_i log P_i + (1 - c_i) log(1 - P_i),   P = σ(e) (σ(r) + σ(t) (1 - σ(r)))
///
/// relevance r, examination e and trust t (logits), clicks c (in [0, 1]): [documents]; result:
/// [lists]. e may be +inf and t may be -inf.
Tensor trust_bias_loss(Tensor relevance, Tensor examination, Tensor trust, Tensor clicks,
                       Segments lists);

/// The trust bias of displayed positions, by which losses correct clicks:
///
///     P(click | d, k) = α_k γ_d + β_k,   α_k = e_k (1 - t_k), β_k = e_k t_k
///
/// from a file, or learned as TrustBiasModel does, together with a relevance of its own,
/// `direct_relevance`.
class TrustBias {
 public:
  /// Declares the field `bias`, and the parameters that are learned: `direct_relevance`,
  /// `examination` and `trust` if no file is given; else `direct_relevance` if `needs_direct`.
  TrustBias(ModelBuilder& build, bool needs_direct);

  bool learned() const { return file_.empty(); }
  bool has_direct() const { return !direct_relevance_.name().empty(); }
  const LogitParameter& direct_relevance() const { return direct_relevance_; }
  /// The names of the learned parameters.
  std::vector<std::string> parameters() const;
  /// Computes trust_bias_loss of the direct relevance, through which the parameters are learned.
  Tensor loss(const Lists& lists) const;
  /// Returns α and β of each document's position, as constants: [documents].
  Tensor alpha(const Lists& lists) const;
  Tensor beta(const Lists& lists) const;
  /// Returns the mean of α over the positions at which documents are shown: [documents].
  Tensor mean_alpha(const Lists& lists, const DisplayPositions& shown) const;
  /// Returns the story of clicks on documents of the given relevance.
  Examination story(const Session& session, const Prob& relevance) const;
  /// Throws DataError if the file lacks a position that the log shows, or, with `shown`, if it says
  /// that users see documents at one that has no clicks (expect_clicks). If `divided`, α is divided
  /// by and not clipped: then also if α is 0 at one, or, with `shown`, if the mean α of a document
  /// is 0.
  void check(const SessionLog& log, bool divided, const DisplayPositions* shown) const;

 private:
  /// e and t as logits of each document's position, which are learned or constant.
  struct PerDocument {
    Tensor examination, trust;
  };
  PerDocument frozen(const Lists& lists) const;
  /// The given α, with 0 where it is unknown.
  std::vector<double> known_alpha() const;

  std::string file_;
  LogitParameter direct_relevance_, examination_, trust_;  // those that are learned
  /// If given: logits of e and t by position, and α; NaN where unknown.
  std::vector<double> examination_logits_, trust_logits_, alpha_;
};

}  // namespace ultr
