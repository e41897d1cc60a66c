#include "base/exit_code.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace ultr::exit_code_test {
namespace {

namespace fs = std::filesystem;

TEST(ExitCodeTest, ErrorsOfTheFileSystemAreOneLine) {
  const auto message_of = [](const fs::path& path) {
    ::testing::internal::CaptureStderr();
    const int code = with_exit_code([&]() -> int {
      throw fs::filesystem_error("directory iterator cannot open directory", path,
                                 std::make_error_code(std::errc::permission_denied));
    });
    EXPECT_EQ(code, 3);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(message_of("a/b"), "error: a/b: Permission denied\n");
  EXPECT_EQ(message_of(""), "error: the working folder: Permission denied\n");
}

}  // namespace
}  // namespace ultr::exit_code_test
