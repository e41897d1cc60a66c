#include "base/exit_code.h"

#include <filesystem>
#include <new>

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

TEST(ExitCodeTest, TooLittleMemoryIsOneLine) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(with_exit_code([]() -> int { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error: there is too little memory\n");
}

TEST(ExitCodeTest, SoIsTooLittleMemoryInDestructors) {
  struct Allocates {
    ~Allocates() { allocate(); }
    static void allocate() { throw std::bad_alloc(); }
  };
  EXPECT_EXIT(with_exit_code([]() -> int {
                const Allocates object;
                return 0;
              }),
              ::testing::ExitedWithCode(1), "^error: there is too little memory\n$");
}

}  // namespace
}  // namespace ultr::exit_code_test
