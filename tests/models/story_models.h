#pragma once

#include <vector>

#include "models/models.h"

/// Click models of the literature written in a few lines each, to test the engine with stories that
/// the registered models do not have.
namespace ultr::testing {

/// User browsing model (UBM; Dupret & Piwowarski, 2008): examination depends on the rank and the
/// rank of the last click.
class UserBrowsingModel final : public ExaminationModel {
 public:
  explicit UserBrowsingModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank_pair, "θ")),
        attraction_(build.parameter("attraction", Domain::document, "γ")) {}
  Examination story(const Session& s) const override { return {examination_(s), attraction_(s)}; }

 private:
  LogitParameter examination_, attraction_;
};

/// The cascade model (CM; Craswell et al., 2008): users read down to the first click.
class FirstClickModel final : public CascadeModel {
 public:
  explicit FirstClickModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document, "γ")) {}
  Cascade story(const Session& s) const override { return {attraction_(s), s.never(), s.always()}; }

 private:
  LogitParameter attraction_;
};

/// Dependent click model (DCM; Guo et al., 2009): after a click users go on with a probability of
/// the rank.
class DependentClickModel final : public CascadeModel {
 public:
  explicit DependentClickModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document, "γ")),
        continuation_(build.parameter("continuation", Domain::rank, "λ")) {}
  Cascade story(const Session& s) const override {
    return {attraction_(s), continuation_(s), s.always()};
  }

 private:
  LogitParameter attraction_, continuation_;
};

/// Click chain model (CCM; Guo et al., 2009): whether users go on after a click depends on whether
/// the document was relevant, which is another toss of the same coin as attraction.
class ClickChainModel final : public CascadeModel {
 public:
  explicit ClickChainModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document, "γ")),
        after_skip_(build.parameter("after_skip", Domain::global, "τ1")),
        after_irrelevant_(build.parameter("after_irrelevant", Domain::global, "τ2")),
        after_relevant_(build.parameter("after_relevant", Domain::global, "τ3")) {}
  Cascade story(const Session& s) const override {
    const Prob attraction = attraction_(s);
    return {attraction, mix(attraction, after_relevant_(s), after_irrelevant_(s)), after_skip_(s)};
  }

 private:
  LogitParameter attraction_, after_skip_, after_irrelevant_, after_relevant_;
};

/// A machine of three states with three ways to go from one: readers look at each document with a
/// probability of its rank; after a click they stay readers, or become skimmers, who look at less,
/// or leave. It uses what no registered model does: compound examinations, moves that are no single
/// coin, and a way back.
class MoodModel final : public ClickModel {
 public:
  enum : std::size_t { reading, skimming, gone };

  explicit MoodModel(ModelBuilder& build)
      : examination_(build.parameter("examination", Domain::rank, "θ")),
        attraction_(build.parameter("attraction", Domain::document, "γ")),
        contentment_(build.parameter("contentment", Domain::document, "σ")),
        patience_(build.parameter("patience", Domain::global, "λ")),
        haste_(build.parameter("haste", Domain::global, "η")) {}

  Chain chain(const Session& s) const override {
    const Prob content = contentment_(s), patient = patience_(s), hasty = haste_(s);
    return {{
        {.examination = examination_(s),
         .attraction = attraction_(s),
         .after_click = {{reading, !content * patient},
                         {skimming, !content * !patient},
                         {gone, content}},
         .after_skip = {{reading, patient}, {skimming, !patient}}},
        {.examination = examination_(s) * !hasty,
         .attraction = attraction_(s),
         .after_click = {{reading, patient}, {gone, !patient}},
         .after_skip = {{gone, hasty}, {skimming, !hasty}}},
        {.examination = s.never(),
         .attraction = attraction_(s),
         .after_click = {},
         .after_skip = {{gone, s.always()}}},
    }};
  }
  Prob relevance(const Session& s) const override { return attraction_(s); }

 private:
  LogitParameter examination_, attraction_, contentment_, patience_, haste_;
};

/// All of them but the cascade model, for which most click vectors are impossible.
inline const std::vector<ModelType>& story_types() {
  static const std::vector<ModelType> types = {
      model_type<UserBrowsingModel>("ubm", "User browsing model."),
      model_type<DependentClickModel>("dcm", "Dependent click model."),
      model_type<ClickChainModel>("ccm", "Click chain model."),
      model_type<MoodModel>("mood", "Three moods."),
  };
  return types;
}

}  // namespace ultr::testing
