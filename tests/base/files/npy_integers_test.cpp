#include "base/files/npy_integers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::npy_integers_test {
namespace {

using ::testing::ElementsAre;

class NpyIntegersTest : public ::testing::Test {
 protected:
  template <class T>
  std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
    write_npy(file_, values);
    const auto column = map_integer_column<std::uint8_t>(file_);
    return {column.begin(), column.end()};
  }
  testing::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "numbers.npy";
};

TEST_F(NpyIntegersTest, AnyIntegerTypeIsRead) {
  EXPECT_THAT(bytes_of<std::uint8_t>({0, 255}), ElementsAre(0, 255));
  EXPECT_THAT(bytes_of<std::int8_t>({0, 127}), ElementsAre(0, 127));
  EXPECT_THAT(bytes_of<std::int16_t>({1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of<std::uint16_t>({1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of<std::int32_t>({1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of<std::uint32_t>({1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of<std::int64_t>({1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of<std::uint64_t>({1, 2}), ElementsAre(1, 2));
  EXPECT_TRUE(map_integer_column<std::uint8_t>(folder_.path() / "missing.npy").empty());
}

TEST_F(NpyIntegersTest, TruthValuesAreZeroAndOne) {
  write_npy(file_, std::vector<std::uint8_t>{1, 0});
  std::string bytes = testing::read_text(file_);
  bytes.replace(bytes.find("|u1"), 3, "|b1");
  folder_.write("numbers.npy", bytes);
  EXPECT_EQ(npy_type(file_), "|b1");
  EXPECT_THAT(map_integer_column<std::int32_t>(file_).values(), ElementsAre(1, 0));
  EXPECT_THAT(map_integer_column<std::uint8_t>(file_).values(), ElementsAre(1, 0));
}

TEST_F(NpyIntegersTest, RejectsNumbersThatDoNotFitAndOtherTypes) {
  EXPECT_EQ(testing::data_message([&] {
              bytes_of<std::int64_t>({0, 256});
            }),
            file_.string() + ": entry 1 is 256; expected 0 to 255");
  EXPECT_EQ(testing::data_message([&] { bytes_of<std::int8_t>({-1}); }),
            file_.string() + ": entry 0 is -1; expected 0 to 255");
  EXPECT_EQ(testing::data_message([&] { bytes_of<float>({1}); }),
            file_.string() + ": has elements of type '<f4'; expected a .npy file of |u1");
  EXPECT_FALSE(is_integer_type("<f4"));
  EXPECT_FALSE(is_integer_type(""));
}

}  // namespace
}  // namespace ultr::npy_integers_test
