#pragma once

#include <filesystem>
#include <string>

#include "commands/list_batches.h"
#include "experiment/task.h"

namespace ultr {

/// A command that uses a trained run on files of lists.
class ListTask : public Task {
 public:
  /// `output_help` describes the field `output`, a CSV file.
  explicit ListTask(std::string output_help) : output_help_(std::move(output_help)) {}

  void fields(Fields& f) final;
  std::vector<ArgumentForm> argument_forms() const final;

 protected:
  std::string run_;
  ListFiles data_;
  std::string output_;

 private:
  std::string output_help_;
};

}  // namespace ultr
