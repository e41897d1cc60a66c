#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "optim/adam.h"
#include "testing/small_log.h"
#include "training/fitters.h"
#include "training/tree_stories.h"

namespace ultr::testing {

/// Simulated sessions whose pairs have two features: one tells apart what is attractive.
struct BoostingData {
  BoostingData() {
    const auto rows = static_cast<std::size_t>(dataset.dictionary.rows());
    std::vector<double> shown(rows), clicked(rows);
    for (std::size_t i = 0; i < dataset.train.sessions(); ++i)
      for (std::size_t k = 0; k < dataset.train[i].rows.size(); ++k) {
        shown[dataset.train[i].rows[k]] += 1;
        clicked[dataset.train[i].rows[k]] += dataset.train[i].clicks[k];
      }
    std::vector<float> values = {0, 0};
    RandomStream random(3, RandomPurpose::testing, 0, 0);
    for (std::size_t row = 1; row < rows; ++row) {
      values.push_back(static_cast<float>(clicked[row] / std::max(1.0, shown[row])));
      values.push_back(static_cast<float>(random.normal()));
    }
    dataset.features = FeatureTable(std::move(values), 2);
  }
  ModelSetting setting() const {
    return {.rows = dataset.dictionary.rows(),
            .positions = static_cast<std::int64_t>(dataset.positions),
            .features = dataset.features,
            .train = &dataset.train};
  }
  Dataset dataset = small_simulation().dataset;
};

inline constexpr const char* small_trees =
    "{type: boosted_trees, rounds: 6, leaves: 8, learning_rate: 0.3, min_child_weight: 0.01}";

/// Small trees that are grown on samples of the documents and features.
inline constexpr const char* sampled_trees =
    "{type: boosted_trees, rounds: 6, leaves: 8, learning_rate: 0.3, min_child_weight: 0.01, "
    "subsample: 0.7, columns: 0.5}";

/// Builds a loss with trees as its relevance.
inline TrainableModel with_trees(const LossVariant& loss, const ModelSetting& setting,
                                 const std::string& trees = small_trees) {
  return tree_story(loss).build(setting, trees);
}

/// The options, the optimizer and the fitter of a model.
struct Fit {
  Fit(const TrainableModel& model, const SessionLog& train, int threads = 1,
      const std::string& train_options = "{epochs: 6}") {
    configure(options, train_options);
    configure(optimizer, "{lr: 0.02}");
    fitter = make_fitter(
        optimizer,
        {.model = model, .train = train, .options = options, .seed = 4, .threads = threads});
  }
  TrainOptions options;
  AdamWOptions optimizer;
  std::unique_ptr<Fitter> fitter;
};

}  // namespace ultr::testing
