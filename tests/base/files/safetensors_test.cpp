#include "base/files/safetensors.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::safetensors_test {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Returns a file with this header and some bytes after it.
std::string with_header(const std::string& header, std::size_t bytes) {
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file + header + std::string(bytes, 'x');
}

TEST(SafetensorsTest, ArraysComeBackToTheBit) {
  const TemporaryFolder folder;
  const std::vector<NamedArray> arrays = {
      {"a.weight", {2, 3}, {1, -0.0f, 1e-45f, 3.4e38f, 0.1f, -7}}, {"b", {0}, {}}, {"c", {1}, {5}}};
  write_safetensors(folder.path() / "weights.safetensors", arrays);
  const auto read = read_safetensors(folder.path() / "weights.safetensors");
  ASSERT_EQ(read.size(), arrays.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, arrays[i].name);
    EXPECT_EQ(read[i].shape, arrays[i].shape);
    ASSERT_EQ(read[i].values.size(), arrays[i].values.size());
    for (std::size_t k = 0; k < read[i].values.size(); ++k)
      EXPECT_EQ(std::memcmp(&read[i].values[k], &arrays[i].values[k], sizeof(float)), 0);
  }
}

TEST(SafetensorsTest, OtherTypesHaveNoValues) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("weights.safetensors",
                   with_header(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"I64","shape":[1],)"
                               R"("data_offsets":[0,8]}})",
                               8));
  const auto read = read_safetensors(file);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].type, "I64");
  EXPECT_TRUE(read[0].values.empty());
}

TEST(SafetensorsTest, EveryTruncatedFileIsOneError) {
  const TemporaryFolder folder;
  const std::vector<NamedArray> arrays = {{"a", {2}, {1, 2}}, {"b", {1}, {3}}};
  write_safetensors(folder.path() / "weights.safetensors", arrays);
  const std::string whole = bytes_of(folder.path() / "weights.safetensors");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto file = folder.write("cut.safetensors", whole.substr(0, size));
    EXPECT_THAT(testing::data_message([&] { read_safetensors(file); }),
                HasSubstr("cut.safetensors: "));
  }
}

TEST(SafetensorsTest, ForeignFilesAreOneError) {
  const TemporaryFolder folder;
  for (const std::string& content :
       {std::string("\x93NUMPY is another format"), with_header("[]", 0),
        with_header("{\"x\":3}", 0),
        with_header(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8),
        with_header(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}})", 8),
        with_header(R"({"x":{"dtype":"F32","shape":[4294967295,4294967295,4294967295],)"
                    R"("data_offsets":[0,4]}})",
                    8),
        with_header(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8)}) {
    const auto file = folder.write("foreign.safetensors", content);
    EXPECT_THAT(testing::data_message([&] { read_safetensors(file); }),
                HasSubstr("expected a .safetensors file"));
  }
  EXPECT_THAT(testing::data_message([&] { read_safetensors(folder.path() / "none"); }),
              HasSubstr("none: cannot be read"));
}

}  // namespace
}  // namespace ultr::safetensors_test
