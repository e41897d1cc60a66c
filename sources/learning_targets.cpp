#include "sources/learning_targets.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "base/error.h"
#include "data/simulation/simulated_clicks.h"
#include "data/simulation/simulated_relevance.h"
#include "sources/click_model_user.h"
#include "sources/tower_policy.h"

namespace ultr {
namespace {

std::vector<std::uint16_t> positions_from_the_top(std::size_t length) {
  std::vector<std::uint16_t> positions(length);
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  return positions;
}

class LabelTargets final : public TargetOptions {
 public:
  void fields(Fields& f) override {
    f.word("scale", scale_,
           "Targets: the labels y, or (2^y - 1) / (2^4 - 1) for losses that learn probabilities.",
           {"labels", "probability"});
  }
  Targets targets() const override { return scale_ == "labels" ? Targets::grades : Targets::rates; }
  MakeSessions fit(const FeatureLists&, std::span<const std::uint32_t>,
                   const DataSetting&) const override {
    return [this](const FeatureLists& lists, std::span<const std::uint32_t> rows, Split) {
      return LearningSessions{sessions(lists, rows)};
    };
  }

 private:
  SessionLog sessions(const FeatureLists& lists, std::span<const std::uint32_t> rows) const {
    SessionLog log;
    std::size_t at = 0;
    for (std::size_t l = 0; l < lists.lists(); ++l) {
      const FeatureListView list = lists[l];
      const std::size_t length = lists.length(l);
      if (list.labels.empty())
        throw DataError("the lists have no relevance labels; expected some to learn from");
      std::vector<std::uint32_t> judged;
      std::vector<float> labels;
      for (std::size_t k = 0; k < length; ++k, ++at) {
        if (list.labels[k] < 0) continue;
        judged.push_back(rows[at]);
        const int label = list.labels[k];
        labels.push_back(static_cast<float>(scale_ == "labels" ? label : attractiveness(label, 0)));
      }
      if (judged.empty()) continue;
      log.add({.rows = judged,
               .positions = positions_from_the_top(judged.size()),
               .clicks = std::vector<std::uint8_t>(judged.size()),
               .query = list.query,
               .propensities = {},
               .targets = labels});
    }
    return log;
  }

  std::string scale_ = "labels";
};

class LoggedClicks final : public TargetOptions {
 public:
  void fields(Fields&) override {}
  bool are_impressions() const override { return true; }
  MakeSessions fit(const FeatureLists&, std::span<const std::uint32_t>,
                   const DataSetting&) const override {
    return [](const FeatureLists& lists, std::span<const std::uint32_t> rows, Split) {
      return LearningSessions{logged_sessions(lists, rows)};
    };
  }

 private:
  static SessionLog logged_sessions(const FeatureLists& lists,
                                    std::span<const std::uint32_t> rows) {
    SessionLog log;
    std::size_t at = 0;
    for (std::size_t l = 0; l < lists.lists(); ++l) {
      const FeatureListView list = lists[l];
      const std::size_t length = lists.length(l);
      if (list.clicks.empty())
        throw DataError("the lists have no clicks; expected some to learn from");
      const auto falling =
          std::adjacent_find(list.positions.begin(), list.positions.end(), std::greater_equal<>());
      if (falling != list.positions.end())
        throw DataError(fmt::format(
            "list {} shows position {} before {}; expected documents from the top, each at a "
            "position of its own",
            l + 1, *falling + 1, *std::next(falling) + 1));
      log.add({.rows = rows.subspan(at, length),
               .positions =
                   list.positions.empty()
                       ? positions_from_the_top(length)
                       : std::vector<std::uint16_t>(list.positions.begin(), list.positions.end()),
               .clicks = list.clicks,
               .query = list.query,
               .propensities = list.propensities,
               .signals = list.signals});
      at += length;
    }
    return log;
  }
};

std::vector<OptionType> policy_types(const std::vector<OptionType>& layers) {
  std::vector<OptionType> types = untrained_policy_types();
  types.push_back(tower_policy(layers));
  return types;
}

std::vector<OptionType> user_types(const std::vector<OptionType>& models,
                                   const MakeRegistry& make_registry) {
  std::vector<OptionType> types = independent_user_types();
  types.push_back(click_model_user(models));
  types.push_back(fitted_click_model_user(models, make_registry));
  return types;
}

/// Clicks of simulated users. Three options choose what users find relevant, in which order they
/// see it and how they click. Policy and relevance are fitted on the training lists.
class SimulatedClickTargets final : public TargetOptions {
 public:
  SimulatedClickTargets(const std::vector<OptionType>& models,
                        const std::vector<OptionType>& layers, const MakeRegistry& make_registry)
      : policies_(policy_types(layers)),
        users_(user_types(models, make_registry)),
        policy_(policies_, "relevance"),
        user_(users_, "position_based") {}

  void fields(Fields& f) override {
    f.choice("relevance", relevance_, "Relevance of documents to users.");
    f.choice("policy", policy_, "Logging policy: the order in which lists are shown.");
    f.optional_number("test_strength", test_strength_,
                      "Strength α of the policy on test lists, to predict clicks where the policy "
                      "has changed; null: that of policy.",
                      between(-1, 1));
    f.choice("user", user_, "User model: how users click.");
    f.word("judged_by", judged_by_,
           "Rankings of test lists are evaluated by the labels of annotators, or by the relevance "
           "to users, rounded to whole labels.",
           {"annotators", "users"});
    clicks_.fields(f);
  }
  void check() const override {
    policy_.as<LoggingPolicyOptions>().check();
    user_.as<SimulatedUserOptions>().check();
    if (clicks_.aggregate && policy_.as<LoggingPolicyOptions>().draws_orders())
      throw ConfigError(
          "data.learn_from.aggregate: the policy draws a new order for each session; expected "
          "aggregate: false, or temperature, epsilon and plackett_luce 0");
  }
  void locate_files(const std::function<std::string(const std::string& file)>& find) override {
    user_.as<SimulatedUserOptions>().locate_files(find);
  }
  bool draws() const override { return true; }
  Targets targets() const override { return clicks_.aggregate ? Targets::rates : Targets::clicks; }
  std::optional<PositionBias> position_bias(std::size_t positions) const override {
    std::optional<SimulatedPositionBias> bias =
        user_.as<SimulatedUserOptions>().position_bias(positions);
    const auto seen = static_cast<std::size_t>(clicks_.cut_off);
    if (!bias || (bias->additive && positions > seen)) return std::nullopt;  // logits are -inf
    for (std::size_t k = seen; k < positions; ++k) bias->by_rank[k] = 0;
    return PositionBias::relative_to_first(bias->additive, std::move(bias->by_rank));
  }

  MakeSessions fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                   const DataSetting& setting) const override {
    const SimulatedRelevance relevance =
        relevance_.as<SimulatedRelevanceOptions>().fit(train, rows, setting.seed);
    const PolicyScores policy =
        policy_.as<LoggingPolicyOptions>().fit({.lists = train,
                                                .relevance = relevance(train, rows),
                                                .seed = setting.seed,
                                                .threads = setting.threads});
    return [this, relevance, policy, training_lists = train.lists(), setting](
               const FeatureLists& lists, std::span<const std::uint32_t> its_rows, Split part) {
      const SimulationRun run = {
          .sessions = sessions_of_part(clicks_, lists.lists(), training_lists),
          .seed = setting.seed,
          .part = part,
          .threads = setting.threads};
      const std::vector<double> of_lists = relevance(lists, its_rows);
      LearningSessions made = simulate(lists, its_rows, of_lists, policy, run,
                                       part == Split::test ? test_strength_ : std::nullopt);
      if (judged_by_ == "users")
        for (const double y : of_lists) made.judgements.push_back(static_cast<int>(std::lround(y)));
      return made;
    };
  }

 private:
  /// Simulates sessions that the policy shows, with another strength if one is given. The scores
  /// are those of the policy as it is.
  LearningSessions simulate(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                            std::span<const double> relevance, const PolicyScores& scores,
                            const SimulationRun& run, std::optional<double> strength) const {
    const std::vector<double> its_scores = scores(lists, relevance);
    const auto policy_of_strength = [&](std::optional<double> other) {
      return LoggingPolicy(lists, rows, its_scores, policy_.as<LoggingPolicyOptions>(),
                           static_cast<std::size_t>(clicks_.rankings), run.seed, other);
    };
    const LoggingPolicy policy = policy_of_strength({});
    std::vector<double> by_number = {0};
    by_number.insert(by_number.end(), relevance.begin(), relevance.end());
    const UsersOfLists users(user_.as<SimulatedUserOptions>(),
                             {.relevance = by_number,
                              .positions = static_cast<std::size_t>(clicks_.positions),
                              .seed = run.seed});
    LearningSessions made{
        strength ? simulate_clicks(lists, rows, policy_of_strength(strength), users, clicks_, run)
                 : simulate_clicks(lists, rows, policy, users, clicks_, run)};
    for (std::size_t l = 0; l < lists.lists(); ++l)
      made.policy_scores.insert(made.policy_scores.end(), policy.scores(l).begin(),
                                policy.scores(l).end());
    return made;
  }

  std::vector<OptionType> policies_, users_;
  Choice relevance_{simulated_relevance_types(), "labels"};
  Choice policy_, user_;
  std::optional<double> test_strength_{};
  std::string judged_by_ = "annotators";
  SimulatedClickOptions clicks_;
};

}  // namespace

std::vector<OptionType> target_types(const std::vector<OptionType>& models,
                                     const std::vector<OptionType>& layers,
                                     const MakeRegistry& make_registry) {
  return {
      option_type<LabelTargets>("labels", "Judged relevance; unjudged documents are left out."),
      option_type<LoggedClicks>("clicks", "Logged clicks, from the files."),
      {"simulated_clicks", "Clicks of simulated users on lists that a logging policy shows.",
       [&models, &layers, make_registry]() -> std::unique_ptr<Options> {
         return std::make_unique<SimulatedClickTargets>(models, layers, make_registry);
       }},
  };
}

}  // namespace ultr
