#pragma once

#include <vector>

#include "models/models.h"

/// Click models whose stories test parts of the engine that the registered models do not use.
namespace ultr::testing {

/// A machine of three states, one of which has three ways to go. Readers look at each document with
/// a probability of its rank. After a click they stay readers, become skimmers, who look at fewer
/// documents, or leave. It covers features that no registered model uses: compound examinations,
/// moves that are not a single coin, and a way back.
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

/// A cascade whose users go on after a skip with a probability that depends on the last click. It
/// has two states, and moves that depend on the last click.
class ImpatientModel final : public CascadeModel {
 public:
  explicit ImpatientModel(ModelBuilder& build)
      : attraction_(build.parameter("attraction", Domain::document, "γ")),
        content_(build.parameter("content", Domain::rank, "σ")),
        patience_(build.parameter("patience", Domain::rank_pair, "λ")) {}

  Cascade story(const Session& s) const override {
    return {.attraction = attraction_(s), .after_click = !content_(s), .after_skip = patience_(s)};
  }

 private:
  LogitParameter attraction_, content_, patience_;
};

inline const std::vector<ModelType>& story_types() {
  static const std::vector<ModelType> types = {
      model_type<MoodModel>("mood", "Three moods."),
      model_type<ImpatientModel>("impatient", "Patience depends on the last click."),
      {"nested", "A mixture of a mixture and of models of every family.",
       [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
         return std::make_unique<MixtureModel>(
             build, std::vector<std::string>{"mixture", "ubm", "cm", "two_tower"});
       }}};
  return types;
}

}  // namespace ultr::testing
