#include "losses/trust_bias.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "autograd/ops/logspace.h"
#include "autograd/ops/segments.h"
#include "base/error.h"
#include "data/formats/affine_bias.h"
#include "dsl/model_setting.h"
#include "layers/inputs_without_noise.h"
#include "losses/propensity_weights.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// α = e (1 - t) and β = e t from logits.
Tensor alpha_of(Tensor examination, Tensor trust) {
  return exp(log_sigmoid(examination) + log_one_minus_sigmoid(trust));
}
Tensor beta_of(Tensor examination, Tensor trust) {
  return exp(log_sigmoid(examination) + log_sigmoid(trust));
}

/// Logit of examination where nobody looks. It is finite, since a likelihood multiplies it by 0
/// clicks, and its probability is above 0 in single precision.
constexpr double logit_of_none = -80;

/// Returns the logit of a probability, which may be 0 or 1.
double edge_logit(double p) { return std::log(p) - std::log1p(-p); }

std::vector<double> log_probabilities(const std::vector<double>& logits) {
  std::vector<double> logs;
  for (const double x : logits) logs.push_back(-std::log1p(std::exp(-x)));
  return logs;
}

}  // namespace

Tensor trust_bias_loss(Tensor relevance, Tensor examination, Tensor trust, Tensor clicks,
                       Segments lists) {
  // γ + t (1 - γ) = 1 - (1 - t)(1 - γ)
  const Tensor log_examined = log_sigmoid(examination);
  const Tensor click = log_examined + log_not_both(-trust, -relevance);
  const Tensor none =
      logaddexp(log_one_minus_sigmoid(examination),
                log_examined + log_one_minus_sigmoid(relevance) + log_one_minus_sigmoid(trust));
  return -segment_sum(clicks * click + (1 - clicks) * none, lists);
}

TrustBias::TrustBias(ModelBuilder& build, bool needs_direct)
    : file_(build.file("bias",
                       "CSV file with columns position, alpha and beta: clicks have probability "
                       "alpha x relevance + beta; without one, a first stage learns them.")) {
  if (needs_direct || learned())
    direct_relevance_ =
        build.parameter("direct_relevance", Domain::document,
                        "Relevance logit that the first stage fits to clicks by likelihood.");
  if (learned()) {
    examination_ = build.parameter("examination", Domain::rank,
                                   "Logit of e: the click rate of relevant documents.");
    trust_ = build.parameter(
        "trust", Domain::rank,
        "Logit of t: the click rate of irrelevant documents over that of relevant ones.");
    return;
  }
  const AffineBias given = read_affine_bias(file_);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto positions = static_cast<std::size_t>(build.setting()->positions);
  alpha_ = given.alpha;
  alpha_.resize(positions, unknown);
  for (std::size_t k = 0; k < positions; ++k) {
    const double beta = k < given.beta.size() ? given.beta[k] : unknown;
    examination_logits_.push_back(edge_logit(std::min(1.0, alpha_[k] + beta)));
    trust_logits_.push_back(edge_logit(beta / (alpha_[k] + beta)));
    if (std::isnan(beta)) examination_logits_.back() = unknown;
    if (alpha_[k] == 0) {
      examination_logits_.back() = logit_of_none;
      trust_logits_.back() = edge_logit(0);
    }
  }
}

std::vector<std::string> TrustBias::parameters() const {
  std::vector<std::string> names;
  for (const LogitParameter* parameter : {&direct_relevance_, &examination_, &trust_})
    if (!parameter->name().empty()) names.push_back(parameter->name());
  return names;
}

Tensor TrustBias::loss(const Lists& lists) const {
  const bool fixed = !learned();
  return trust_bias_loss(
      lists.logits(direct_relevance_),
      fixed ? lists.at_positions(examination_logits_) : lists.logits(examination_),
      fixed ? lists.at_positions(trust_logits_) : lists.logits(trust_), lists.targets(),
      lists.segments());
}

TrustBias::PerDocument TrustBias::frozen(const Lists& lists) const {
  if (!learned())
    return {lists.at_positions(examination_logits_), lists.at_positions(trust_logits_)};
  return {lists.frozen_logits(examination_), lists.frozen_logits(trust_)};
}

Tensor TrustBias::alpha(const Lists& lists) const {
  const auto [examination, trust] = frozen(lists);
  return alpha_of(examination, trust);
}

Tensor TrustBias::beta(const Lists& lists) const {
  const auto [examination, trust] = frozen(lists);
  return beta_of(examination, trust);
}

std::vector<double> TrustBias::known_alpha() const {
  std::vector<double> known = alpha_;
  std::replace_if(
      known.begin(), known.end(), [](double x) { return std::isnan(x); }, 0.0);
  return known;
}

Tensor TrustBias::mean_alpha(const Lists& lists, const DisplayPositions& shown) const {
  if (!learned()) {
    const std::vector<double> known = known_alpha();
    return shown.mean(lists, lists.tape().constant(
                                 Shape::vector(static_cast<std::int64_t>(known.size())), known));
  }
  const InputsWithoutNoise inputs(lists.session());
  const Logits examination = examination_.layer()->logits(inputs),
               trust = trust_.layer()->logits(inputs);
  if (!examination.per_document || !trust.per_document)
    throw ConfigError(
        "loss.policy_aware is true, but the learned bias depends on more than the position; "
        "expected examination and trust without bias features");
  return shown.mean(lists, stop_gradient(alpha_of(examination.values, trust.values)));
}

Examination TrustBias::story(const Session& session, const Prob& relevance) const {
  if (learned())
    return {.examination = examination_(session),
            .attraction = mix(relevance, session.always(), trust_(session))};
  const Prob trust = fixed_probability(session, log_probabilities(trust_logits_));
  return {.examination = fixed_probability(session, log_probabilities(examination_logits_)),
          .attraction = mix(relevance, session.always(), trust)};
}

void TrustBias::check(const SessionLog& log, bool divided, const DisplayPositions* shown) const {
  if (learned()) return;
  check_known(examination_logits_, log, file_, "a row for it");
  const std::vector<double> alpha = known_alpha();
  if (shown != nullptr) expect_clicks(alpha, log, file_);
  if (!divided) return;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const SessionView session = log[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      const double its =
          shown == nullptr ? alpha[session.positions[k]] : shown->mean(session.rows[k], alpha);
      if (its == 0)
        throw DataError(fmt::format(
            "{}: a document is shown only where alpha is 0; expected clip above 0", file_));
    }
  }
}

}  // namespace ultr
