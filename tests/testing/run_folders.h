#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testing/temporary_folder.h"

namespace ultr::testing {

/// Folders as runs leave them.
class RunFolders {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  /// A run with this configuration in YAML flow style, such as "seed: 1, model: {type: pbm}".
  std::filesystem::path add(const std::string& name, const std::string& config) const {
    const std::filesystem::path run = path() / name;
    std::filesystem::create_directories(run);
    folder_.write(name + "/config.yaml", "{" + config + "}\n");
    return run;
  }
  /// One that finished, with these results in JSON.
  std::filesystem::path add(const std::string& name, const std::string& config,
                            const std::string& results) const {
    const std::filesystem::path run = add(name, config);
    write(name + "/results.json", results);
    return run;
  }
  void write(const std::string& file, const std::string& text) const { folder_.write(file, text); }

 private:
  TemporaryFolder folder_;
};

}  // namespace ultr::testing
