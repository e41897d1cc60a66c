#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/torch.h>

#include "data/log/session_log.h"

namespace ultr::bench {

/// How libtorch's gradients of a table are laid out: for all rows, or for those that were read.
enum class TableGradients : std::uint8_t { dense, sparse };

/// A click model as one writes it for libtorch when it is to be fast: whole batches of
/// [sessions, ranks] at a time, in float32. Sessions lie ready in tensors, so that a batch is a
/// view of them, and all that does not depend on parameters is computed when the model is made.
class LibtorchModel {
 public:
  virtual ~LibtorchModel() = default;
  /// The mean negative log-likelihood of the documents of batch `number`.
  virtual torch::Tensor loss(std::int64_t number) const = 0;

  /// Parameters by the name that ours have.
  const std::map<std::string, torch::Tensor>& parameters() const { return parameters_; }

 protected:
  /// Batches of `batch` sessions, in the order of the log, all of list_length documents.
  LibtorchModel(const SessionLog& log, std::int64_t batch,
                std::map<std::string, torch::Tensor> parameters, TableGradients gradients);

  /// The part of a column that belongs to a batch.
  torch::Tensor part(const torch::Tensor& column, std::int64_t number) const {
    return column.narrow(0, number * batch_, batch_);
  }
  const torch::Tensor& parameter(const char* name) const { return parameters_.at(name); }
  /// The logits of some rows of a table.
  torch::Tensor read(const char* table, const torch::Tensor& rows) const;

  std::int64_t batch_;
  torch::Tensor rows_, clicks_;  // [sessions, ranks]

 private:
  std::map<std::string, torch::Tensor> parameters_;
  TableGradients gradients_;
};

/// The model that ours calls `type`: pbm, ubm or dbn. Tables of parameters are [rows, 1], all
/// others vectors.
std::unique_ptr<LibtorchModel> libtorch_model(const std::string& type, const SessionLog& log,
                                              std::int64_t batch,
                                              std::map<std::string, torch::Tensor> parameters,
                                              TableGradients gradients);

}  // namespace ultr::bench
