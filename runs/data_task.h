#pragma once

#include <vector>

#include "experiment/data_options.h"
#include "experiment/task.h"

namespace ultr {

/// A task on the sessions of one source of data. In YAML, its section `data` names the source; on
/// the command line, a configuration does (see commands/command_table.cpp).
class DataTask : public Task {
 public:
  /// The sessions that are located and read.
  enum class Sessions : std::uint8_t { training, all };

  /// `types` has the sources of data to choose from, and must outlive the task; `format` is the
  /// default.
  DataTask(const std::vector<OptionType>& types, std::string_view format, Sessions sessions)
      : data_(types, format, "format"), sessions_(sessions) {}

  void fields(Fields& f) final;
  /// Visits all fields but `data`.
  virtual void settings(Fields& f) = 0;
  void check() const override;
  void locate_files(const std::filesystem::path& config_folder) override;

  /// The source of data.
  Choice& data() { return data_; }

 protected:
  /// Reads or makes the data; files must have been located.
  ExperimentData load(const TaskContext& context) const;

 private:
  Choice data_;
  Sessions sessions_;
};

}  // namespace ultr
