#include "runs/report_link.h"

#include "report/markup.h"

namespace ultr {

std::string report_link(const std::filesystem::path& run, const std::filesystem::path& folder) {
  const std::filesystem::path report = run / "report.html";
  std::error_code error;
  if (!std::filesystem::exists(report, error)) return "";
  const std::filesystem::path relative = std::filesystem::relative(report, folder, error);
  return error ? "" : link_address(relative.generic_string());
}

}  // namespace ultr
