#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runs/data_task.h"

namespace ultr {

/// An analysis of the registry as a command: `CONFIG [KEY=VALUE ...]` names the data, the seed and
/// the threads, options set the other fields of the analysis. Prints the text of its results, with
/// progress on standard error, and writes its files into a new or empty folder if there is an
/// `output`.
class ConfiguredTask final : public Task {
 public:
  /// `type` is that of a DataTask. `defaults` has the fields whose defaults differ from those of
  /// the analysis, in YAML.
  explicit ConfiguredTask(const OptionType& type, const std::string& defaults = "");

  void fields(Fields& f) override;
  std::vector<ArgumentForm> argument_forms() const override;
  void check() const override;
  TaskResults run(const TaskContext& context) override;

 private:
  std::string config_, output_;
  std::vector<std::string> overrides_;
  std::unique_ptr<Options> options_;
  DataTask* task_;
};

}  // namespace ultr
