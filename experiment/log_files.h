#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/formats/log_format.h"
#include "data/log/dataset.h"
#include "options/fields.h"

namespace ultr {

/// Section `split`: shares of the training data that are held out.
struct SplitOptions final : Options {
  SplitShares shares;
  std::string by = "session";  // or "query" or "time"

  void fields(Fields& f) override;
  /// Returns the shares, for a seed.
  SplitShares with_seed(std::uint64_t seed) const;
  bool depends_on_seed() const { return shares.any() && by != "time"; }
};

/// Throws ConfigError if there are no files to train on, if a part is given both as files and as a
/// share of them, or if the shares leave nothing to train on.
void check_files(const std::vector<std::string>& train, const std::vector<std::string>& valid,
                 const std::vector<std::string>& test, const SplitOptions& split);

/// Converts file names to paths.
std::vector<std::filesystem::path> paths(const std::vector<std::string>& files);

/// Returns the data source that reads files of a click-log format.
OptionType log_file_type(const ReaderType& reader);

}  // namespace ultr
