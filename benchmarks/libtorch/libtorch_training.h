#pragma once

#include <memory>
#include <vector>

#include "dsl/model_options.h"
#include "libtorch/libtorch_models.h"

namespace ultr::bench {

/// The update rule of PyTorch's SparseAdam (torch/optim/_functional.py), which the C++ library
/// lacks, for one table [rows, 1] with sparse gradients: Adam on only the rows that a batch read.
class SparseAdam {
 public:
  explicit SparseAdam(torch::Tensor table);
  /// Updates the table and clears its gradient.
  void step();

 private:
  torch::Tensor table_, mean_, square_;  // moments: [rows]
  int steps_ = 0;
};

/// The training step in libtorch: forward pass, backward pass, and Adam (torch::optim::Adam for
/// dense gradients, SparseAdam for sparse ones), with ultr's learning rate and defaults.
class LibtorchTraining {
 public:
  /// Trains a copy of `start`, a plain_model of type pbm, ubm or dbn, on sessions of list_length
  /// documents.
  LibtorchTraining(const TrainableModel& start, const SessionLog& log, std::int64_t batch,
                   TableGradients gradients);

  /// Steps on the next batch; after the last batch the first comes again. Returns the mean loss of
  /// its documents before the update.
  torch::Tensor operator()();

 private:
  std::int64_t batches_, next_ = 0;
  std::unique_ptr<LibtorchModel> model_;
  std::vector<torch::Tensor> dense_;
  std::vector<SparseAdam> sparse_;
  std::unique_ptr<torch::optim::Adam> adam_;  // of dense_
};

}  // namespace ultr::bench
