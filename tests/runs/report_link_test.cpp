#include "runs/report_link.h"

#include <fstream>

#include <gtest/gtest.h>

#include "testing/temporary_folder.h"

namespace ultr::report_link_test {
namespace {

namespace fs = std::filesystem;

TEST(ReportLinkTest, IsRelativeToThePageAndEscaped) {
  const testing::TemporaryFolder folder;
  const fs::path run = folder.path() / "sweep" / "loss=a b,seed=1";
  fs::create_directories(run);
  EXPECT_EQ(report_link(run, folder.path() / "sweep"), "") << "no report";
  std::ofstream(run / "report.html") << "page";
  EXPECT_EQ(report_link(run, folder.path() / "sweep"), "loss=a%20b,seed=1/report.html");
  EXPECT_EQ(report_link(run, folder.path() / "other"), "../sweep/loss=a%20b,seed=1/report.html");
  EXPECT_EQ(report_link(run, run), "report.html");
}

}  // namespace
}  // namespace ultr::report_link_test
