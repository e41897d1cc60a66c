#pragma once

#include <cstdint>
#include <vector>

#include "data/formats/propensities.h"
#include "data/log/feature_table.h"
#include "data/log/session_log.h"
#include "distributed/communicator.h"
#include "layers/logit_layer.h"

namespace ultr {

/// The data and processes that a model is built for.
struct ModelSetting {
  std::int64_t rows = 1;       // query-document pairs of the dictionary; row 0 = unknown
  std::int64_t positions = 1;  // displayed positions
  std::uint64_t seed = 1;
  /// Features of the pairs. Holds row 0 alone if lists bring features of their own
  /// (SessionLog::set_features). Empty if there are none.
  FeatureTable features = {};
  /// The training sessions, for statistics that are counted from them; null if there are none. They
  /// must live while the model is built.
  const SessionLog* train = nullptr;
  /// Sessions on which the model will be evaluated, for statistics of pairs that the training
  /// sessions do not show. They must live while the model is built.
  std::vector<const SessionLog*> held_out = {};
  /// Propensities that the estimator of the options computed from the training sessions
  /// (ModelOptions::propensity_estimator). Required if the options choose an estimator.
  Propensities estimated_propensities = {};
  /// The processes that train the model together, each with a part of what is learned per pair;
  /// null if this process trains it alone.
  Communicator* processes = nullptr;
  /// The parameters will be those of a saved model (LayerSetting::restored).
  bool restored = false;

  /// The pairs whose parameters this process holds.
  RowPart part() const;
  /// Returns the number of entries of a domain that this process holds; 1 for `alternative`, whose
  /// number is no part of the setting.
  std::int64_t entries(Domain domain) const;
  /// Returns the number of columns of Inputs::features of a domain; 0 if there are none.
  std::int64_t feature_columns(Domain domain) const;
  /// Returns the setting of the layer of a parameter, the `number`-th of the model, whose initial
  /// logit is `start`.
  LayerSetting layer(const std::string& name, Domain domain, double start,
                     std::size_t number) const;
};

}  // namespace ultr
