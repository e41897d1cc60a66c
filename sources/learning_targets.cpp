#include "sources/learning_targets.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/core.h>

#include "base/error.h"
#include "data/simulation/simulated_user.h"
#include "sources/simulated_click_targets.h"
#include "sources/target_options.h"

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
               .propensities = list.propensities});
      at += length;
    }
    return log;
  }
};

}  // namespace

std::vector<OptionType> target_types(const std::vector<OptionType>& models,
                                     const std::vector<OptionType>& layers,
                                     const MakeRegistry& make_registry) {
  return {
      option_type<LabelTargets>("labels", "Judged relevance; unjudged documents are left out."),
      option_type<LoggedClicks>("clicks", "Logged clicks, from the files."),
      simulated_click_targets(models, layers, make_registry),
  };
}

}  // namespace ultr
