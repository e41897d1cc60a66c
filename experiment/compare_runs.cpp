#include "experiment/compare_runs.h"

#include <fmt/core.h>

#include "data/file.h"
#include "experiment/comparison_output.h"

namespace ultr {

void write_comparison(const Comparison& comparison, const std::filesystem::path& folder) {
  write_file(folder / "comparison.csv", comparison_csv(comparison));
  write_file(folder / "comparison.json", comparison_json(comparison));
  write_file(folder / "comparison.html", render_report(comparison_report(comparison)));
}

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
