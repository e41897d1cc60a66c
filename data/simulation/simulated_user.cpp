#include "data/simulation/simulated_user.h"

#include <cmath>
#include <memory>

#include "base/random.h"
#include "base/sigmoid.h"
#include "data/simulation/simulated_relevance.h"
#include "data/simulation/simulation_fields.h"

namespace ultr {
namespace {

/// Step of RandomPurpose::clicks. Clicks are drawn in step 0, their noise in step 1.
constexpr std::uint32_t shared_logit_step = 2;

/// The effect of a rank on clicks: its position bias, which is a probability or a logit, and the
/// probability that users who trust the ranking click an irrelevant document that they examine.
struct RankTerms {
  double bias = 0, trust = 0;
};

/// Users who click each document independently of the others. The effects of ranks and documents
/// are computed once, not for each session.
class IndependentUserOptions : public SimulatedUserOptions {
 public:
  SimulatedUsers users(const SimulatedUserSetting& setting) const override {
    const auto click = [users = coins_of(setting)](SessionLog& sessions, std::uint64_t first) {
      std::vector<double> probabilities;
      for (std::size_t i = 0; i < sessions.sessions(); ++i) {
        const std::span<std::uint8_t> clicks = sessions.clicks(i);
        probabilities.resize(clicks.size());
        users.probabilities(sessions[i], probabilities);
        users.click(first + i, probabilities, clicks);
      }
    };
    return [click] { return SimulatedUser(click); };
  }
  std::optional<IndependentUsers> independent_users(
      const SimulatedUserSetting& setting) const override {
    return coins_of(setting);
  }

 protected:
  virtual RankTerms of_rank(std::size_t position) const = 0;
  /// Returns the effect of a document of this relevance: a probability or a logit.
  virtual double of_document(double relevance) const = 0;
  virtual double click_probability(const RankTerms& rank, double document,
                                   double of_query) const = 0;
  /// Returns a logit that all clicks of a query share, for users who have one.
  virtual double query_logit(std::uint64_t /*seed*/, std::uint64_t /*query*/) const { return 0; }

  SimulatedPositionBias biases_of_ranks(std::size_t positions, bool additive) const {
    SimulatedPositionBias bias = {.additive = additive, .by_rank = {}};
    for (std::size_t k = 0; k < positions; ++k) bias.by_rank.push_back(of_rank(k).bias);
    return bias;
  }

  double eta_ = 1;

 private:
  struct Terms {
    std::vector<RankTerms> of_rank;
    std::vector<double> of_document;  // by row
  };
  IndependentUsers coins_of(const SimulatedUserSetting& setting) const {
    const auto terms = std::make_shared<const Terms>(terms_of(setting));
    const auto set = [this, terms, seed = setting.seed](const SessionView& shown,
                                                        std::span<double> probabilities) {
      const double of_query = query_logit(seed, shown.query);
      for (std::size_t k = 0; k < probabilities.size(); ++k)
        probabilities[k] = click_probability(terms->of_rank[shown.positions[k]],
                                             terms->of_document[shown.rows[k]], of_query);
    };
    return {.seed = setting.seed, .probabilities = set};
  }
  Terms terms_of(const SimulatedUserSetting& setting) const {
    Terms terms;
    for (std::size_t k = 0; k < setting.positions; ++k) terms.of_rank.push_back(of_rank(k));
    for (const double relevance : setting.relevance)
      terms.of_document.push_back(of_document(relevance));
    return terms;
  }
};

class PositionBasedUser final : public IndependentUserOptions {
 public:
  void fields(Fields& f) override {
    examination_field(f, eta_);
    f.number("noise", noise_, "Click probability ε of an examined document of relevance 0.",
             between(0, 1));
  }
  std::optional<SimulatedPositionBias> position_bias(std::size_t positions) const override {
    return biases_of_ranks(positions, false);
  }

 private:
  RankTerms of_rank(std::size_t position) const override {
    return {.bias = ultr::position_bias(position, eta_)};
  }
  double of_document(double relevance) const override { return attractiveness(relevance, noise_); }
  double click_probability(const RankTerms& rank, double attraction, double) const override {
    return rank.bias * attraction;
  }

  double noise_ = 0.1;
};

class TrustBiasUser final : public IndependentUserOptions {
 public:
  void fields(Fields& f) override {
    examination_field(f, eta_);
    f.number("noise", noise_, "Probability ε that a document of relevance 0 is found relevant.",
             between(0, 1));
    f.number("click_relevant", click_relevant_,
             "Click probability ε⁺ of an examined document that is relevant.", between(0, 1));
    f.number("click_irrelevant", click_irrelevant_,
             "Click probability of an examined document that is not, at rank 1.", between(0, 1));
    f.number("trust_decay", trust_decay_,
             "Exponent δ by which that probability falls: ε⁻ = click_irrelevant / k^δ at rank k.",
             at_least(0));
  }
  /// Nothing: ranks add clicks to irrelevant documents, which is no factor.
  std::optional<SimulatedPositionBias> position_bias(std::size_t) const override { return {}; }

 private:
  RankTerms of_rank(std::size_t position) const override {
    return {.bias = ultr::position_bias(position, eta_),
            .trust = click_irrelevant_ * ultr::position_bias(position, trust_decay_)};
  }
  double of_document(double relevance) const override { return attractiveness(relevance, noise_); }
  double click_probability(const RankTerms& rank, double relevant, double) const override {
    return rank.bias * (click_relevant_ * relevant + rank.trust * (1 - relevant));
  }

  double noise_ = 0, click_relevant_ = 0.98, click_irrelevant_ = 0.65, trust_decay_ = 1;
};

class AdditiveUser final : public IndependentUserOptions {
 public:
  void fields(Fields& f) override {
    f.number("eta", eta_, "Position bias η: rank k adds -η ln k to the logit of a click.",
             at_least(0));
    f.number("offset", offset_, "Number that is added to the logit of every click.",
             between(-20, 20));
    f.number("query_spread", query_spread_,
             "Standard deviation of a logit that is drawn per query and added to those of its "
             "clicks.",
             at_least(0));
  }
  std::optional<SimulatedPositionBias> position_bias(std::size_t positions) const override {
    return biases_of_ranks(positions, true);
  }

 private:
  double query_logit(std::uint64_t seed, std::uint64_t query) const override {
    if (query_spread_ == 0) return offset_;
    RandomStream random(seed, RandomPurpose::clicks, shared_logit_step, query);
    return offset_ + query_spread_ * random.normal();
  }
  RankTerms of_rank(std::size_t position) const override {
    return {.bias = -eta_ * std::log(static_cast<double>(position + 1))};
  }
  double of_document(double relevance) const override { return relevance; }
  double click_probability(const RankTerms& rank, double relevance,
                           double of_query) const override {
    constexpr double centre = largest_simulated_label / 2.;  // so that logits are -2 to 2
    return sigmoid(rank.bias + relevance - centre + of_query);
  }

  double offset_ = 0, query_spread_ = 0;
};

}  // namespace

void IndependentUsers::click(std::uint64_t session, std::span<const double> chances,
                             std::span<std::uint8_t> clicks) const {
  RandomStream random(seed, RandomPurpose::clicks, 0, session);
  for (std::size_t k = 0; k < clicks.size(); ++k) clicks[k] = random.uniform() < chances[k] ? 1 : 0;
}

double attractiveness(double relevance, double noise) {
  const double share = (std::exp2(relevance) - 1) / (std::exp2(largest_simulated_label) - 1);
  return noise + (1 - noise) * share;
}

double position_bias(std::size_t position, double eta) {
  return std::pow(1 / static_cast<double>(position + 1), eta);
}

const std::vector<OptionType>& independent_user_types() {
  static const std::vector<OptionType> types = {
      option_type<PositionBasedUser>(
          "position_based", "Users who examine a rank and click what they find attractive there."),
      option_type<TrustBiasUser>("trust_bias",
                                 "Users who also click irrelevant documents, most at the top."),
      option_type<AdditiveUser>(
          "additive", "Users whose click logit is the sum of a rank and a relevance logit."),
  };
  return types;
}

}  // namespace ultr
