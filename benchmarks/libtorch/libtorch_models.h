#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/torch.h>

#include "data/log/session_log.h"

namespace ultr::bench {

/// The layout of libtorch's gradients of a table: for all rows, or for the rows that were read.
enum class TableGradients : std::uint8_t { dense, sparse };

/// A click model written for speed in libtorch: whole batches of [sessions, ranks] at a time, in
/// float32. The sessions are stored in tensors, so that a batch is a view of them. The constructor
/// computes everything that does not depend on parameters.
class LibtorchModel {
 public:
  virtual ~LibtorchModel() = default;
  /// Returns the mean negative log-likelihood of the documents of batch `number`.
  virtual torch::Tensor loss(std::int64_t number) const = 0;

  /// The parameters, under the names that they have in ultr's models.
  const std::map<std::string, torch::Tensor>& parameters() const { return parameters_; }

 protected:
  /// Batches have `batch` sessions each, in the order of the log; all lists have list_length
  /// documents.
  LibtorchModel(const SessionLog& log, std::int64_t batch,
                std::map<std::string, torch::Tensor> parameters, TableGradients gradients);

  /// Returns the part of a column that belongs to a batch.
  torch::Tensor part(const torch::Tensor& column, std::int64_t number) const {
    return column.narrow(0, number * batch_, batch_);
  }
  const torch::Tensor& parameter(const char* name) const { return parameters_.at(name); }
  /// Returns the logits of some rows of a table.
  torch::Tensor read(const char* table, const torch::Tensor& rows) const;

  std::int64_t batch_;
  torch::Tensor rows_, clicks_;  // [sessions, ranks]

 private:
  std::map<std::string, torch::Tensor> parameters_;
  TableGradients gradients_;
};

/// Builds the libtorch version of ultr's model `type`: pbm, ubm or dbn. Parameters that are tables
/// are [rows, 1], all others vectors.
std::unique_ptr<LibtorchModel> libtorch_model(const std::string& type, const SessionLog& log,
                                              std::int64_t batch,
                                              std::map<std::string, torch::Tensor> parameters,
                                              TableGradients gradients);

}  // namespace ultr::bench
