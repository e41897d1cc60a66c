#include "runs/results/bounded_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::bounded_json_test {
namespace {

using testing::data_message;
using ::testing::EndsWith;

TEST(BoundedJsonTest, DeepFilesAreRefused) {
  const testing::TemporaryFolder folder;
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(read_bounded_json(folder.write("shallow", nested(100))).is_array());
  const auto deep = folder.write("deep", nested(100'000));
  EXPECT_THAT(data_message([&] { read_bounded_json(deep); }),
              EndsWith("deep: nested too deeply; expected at most 100 levels"));
}

TEST(BoundedJsonTest, FilesWithoutEndAreRefused) {
  EXPECT_EQ(data_message([] { read_bounded_json("/dev/zero"); }),
            "/dev/zero: too large; expected at most 268435456 bytes");
}

}  // namespace
}  // namespace ultr::bounded_json_test
