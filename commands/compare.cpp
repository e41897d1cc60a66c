#include "commands/compare.h"

#include <fmt/core.h>

#include "base/error.h"
#include "experiment/run_results.h"
#include "studies/comparison_output.h"

namespace ultr {

int compare_runs(const std::vector<std::filesystem::path>& folders,
                 const ComparisonOptions& options, const std::filesystem::path& output) {
  const Comparison comparison = compare(read_runs(folders), options);
  if (!output.empty()) {
    std::error_code error;
    std::filesystem::create_directories(output, error);
    if (!std::filesystem::is_directory(output))
      throw ConfigError(fmt::format("output {} cannot be created ({}); expected a folder",
                                    output.string(), error ? error.message() : "it is a file"));
    write_comparison(comparison, output);
  }
  fmt::print("{}", comparison_text(comparison));
  if (!output.empty()) fmt::print("comparison in {}\n", (output / "comparison.html").string());
  return 0;
}

}  // namespace ultr
