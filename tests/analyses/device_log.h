#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "analyses/temperature_log.h"

namespace ultr::testing {

/// Sessions with features whose documents are displayed on a device, a bias feature by session.
inline ExperimentData device_data(const TemperatureLog& made,
                                  const std::function<float(std::size_t session)>& device) {
  ExperimentData data = temperature_data(made);
  Dataset& dataset = data.dataset;
  std::vector<float> features(3);  // row 0
  for (std::size_t s = 0; s < dataset.train.sessions(); ++s)
    for (const std::uint32_t row : dataset.train[s].rows) {
      const auto its = dataset.features.row(row);
      features.insert(features.end(), its.begin(), its.end());
      features.push_back(device(s));
    }
  dataset.train.set_features(FeatureTable(std::move(features), 3, 1));
  const std::int64_t third[] = {3};
  data.bias_columns = BiasColumns(third, 3);
  data.feature_names = {"price", "age", "device"};
  return data;
}

}  // namespace ultr::testing
