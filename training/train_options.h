#pragma once

#include <cstdint>
#include <string>

#include "dsl/click_program.h"
#include "options/fields.h"

namespace ultr {

/// train: how parameters are learned.
struct TrainOptions final : Options {
  std::int64_t epochs = 100;
  std::int64_t batch_size = 512;
  std::int64_t early_stopping = 1;
  std::string loss_mean = "documents";
  bool shuffle = true;
  std::int64_t partitions = 0;

  void fields(Fields& f) override;
  LossMean mean() const {
    return loss_mean == "documents" ? LossMean::documents : LossMean::sessions;
  }
};

}  // namespace ultr
