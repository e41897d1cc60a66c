#include "base/files/npy.h"

#include <cstring>
#include <limits>
#include <numeric>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::npy_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using testing::read_text;
using ::testing::StartsWith;
using testing::TemporaryFolder;

/// Builds a .npy file as NumPy specifies it: magic, version, header length, header, data.
std::string npy(std::string header, std::string_view data, std::string_view version = {"\1\0", 2}) {
  header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return bytes + header + std::string(data);
}

std::string header(const std::string& type, const std::string& shape,
                   const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

template <class T>
class NpyTypeTest : public ::testing::Test {};

template <class T>
constexpr const char* code = "";
template <>
constexpr const char* code<float> = "<f4";
template <>
constexpr const char* code<double> = "<f8";
template <>
constexpr const char* code<std::int64_t> = "<i8";
template <>
constexpr const char* code<std::int32_t> = "<i4";
template <>
constexpr const char* code<std::uint64_t> = "<u8";
template <>
constexpr const char* code<std::uint32_t> = "<u4";
template <>
constexpr const char* code<std::uint16_t> = "<u2";
template <>
constexpr const char* code<std::uint8_t> = "|u1";

using Types = ::testing::Types<float, double, std::int64_t, std::int32_t, std::uint64_t,
                               std::uint32_t, std::uint16_t, std::uint8_t>;
TYPED_TEST_SUITE(NpyTypeTest, Types);

TYPED_TEST(NpyTypeTest, RoundTripsBitIdentically) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "values.npy";
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> values = {0, 1, Limits::max(), Limits::lowest(), Limits::min()};
  if constexpr (Limits::has_infinity) values.insert(values.end(), {Limits::infinity(), -0.0f});
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<TypeParam>(random.bits() >> 1));

  write_npy(file, values);
  const auto back = read_npy<TypeParam>(file);
  ASSERT_EQ(back.size(), values.size());
  EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(TypeParam)), 0);
}

TYPED_TEST(NpyTypeTest, WritesTheBytesThatNumpyWrites) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "values.npy";
  const std::vector<TypeParam> values = {1, 2, 3, 4, 5, 6};
  const std::string data(reinterpret_cast<const char*>(values.data()), 6 * sizeof(TypeParam));
  write_npy(file, values);
  EXPECT_EQ(read_text(file), npy(header(code<TypeParam>, "(6,)"), data));
  write_npy(file, values, 3);
  EXPECT_EQ(read_text(file), npy(header(code<TypeParam>, "(2, 3)"), data));
  EXPECT_EQ(read_npy<TypeParam>(file), values) << "row by row";
  write_npy(file, std::vector<TypeParam>{});
  EXPECT_EQ(read_text(file), npy(header(code<TypeParam>, "(0,)"), ""));
  EXPECT_TRUE(read_npy<TypeParam>(file).empty());
}

TYPED_TEST(NpyTypeTest, RefusesElementsOfAnotherType) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "values.npy";
  const auto expect_refused = [&](auto other) {
    using Other = decltype(other);
    if constexpr (!std::is_same_v<Other, TypeParam>) {
      write_npy(file, std::vector<Other>(8));
      EXPECT_EQ(data_message([&] { read_npy<TypeParam>(file); }),
                file.string() + ": has elements of type '" + code<Other> +
                    "'; expected a .npy file of " + code<TypeParam>);
    }
  };
  expect_refused(float{});
  expect_refused(double{});
  expect_refused(std::int64_t{});
  expect_refused(std::int32_t{});
  expect_refused(std::uint64_t{});
  expect_refused(std::uint32_t{});
  expect_refused(std::uint16_t{});
  expect_refused(std::uint8_t{});
}

TEST(NpyTest, TheHeaderEndsAtAMultipleOf64) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "values.npy";
  for (const std::size_t size : {0u, 9u, 10u, 99u, 100u, 1000u, 10'000u, 100'000u}) {
    write_npy(file, std::vector<std::uint8_t>(size, 'x'));
    const std::string bytes = read_text(file);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length =
        static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + length) % 64, 0u);
    EXPECT_EQ(bytes[10 + length - 1], '\n');
    EXPECT_EQ(bytes.size(), 10 + length + size);
  }
}

TYPED_TEST(NpyTypeTest, MapsWrittenFiles) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "values.npy";
  const std::vector<TypeParam> values = {1, 2, 3, 4, 5, 6};
  write_npy(file, values);
  const auto vector = map_npy<TypeParam>(file);
  EXPECT_THAT(vector.values, ::testing::ElementsAreArray(values));
  EXPECT_EQ(vector.columns, std::nullopt);
  write_npy(file, std::vector<TypeParam>{7, 8, 9, 10, 11, 12}, 3);
  const auto matrix = map_npy<TypeParam>(file);
  EXPECT_THAT(matrix.values, ElementsAre(7, 8, 9, 10, 11, 12));
  EXPECT_EQ(matrix.columns, 3u);
  EXPECT_THAT(vector.values, ::testing::ElementsAreArray(values)) << "a replaced file stays";
}

TYPED_TEST(NpyTypeTest, MapsAColumnThatMayBeMissing) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "values.npy";
  EXPECT_TRUE(map_npy_column<TypeParam>(file).empty());
  const std::vector<TypeParam> values = {1, 2, 3, 4};
  write_npy(file, values);
  EXPECT_THAT(map_npy_column<TypeParam>(file), ::testing::ElementsAreArray(values));
  write_npy(file, values, 2);
  EXPECT_EQ(data_message([&] { map_npy_column<TypeParam>(file); }),
            file.string() + ": is a matrix; expected a vector");
}

TEST(NpyTest, ReadsUnalignedData) {
  const TemporaryFolder folder;
  std::string head = header("<u4", "(2,)");
  head += std::string(64 - (10 + head.size()) % 64, ' ');  // npy() adds an odd number, 63
  std::string bytes = npy(head, std::string("\1\0\0\0\2\0\0\0", 8));
  bytes.erase(10 + head.size() - 1, 1);
  bytes[8] = static_cast<char>(bytes[8] - 1);
  const auto file = folder.write("x.npy", bytes);
  EXPECT_THAT(map_npy<std::uint32_t>(file).values, ElementsAre(1, 2));
}

TEST(NpyTest, RefusesToWriteRowsThatAreNotFull) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_npy(folder.path() / "x.npy", std::vector<float>(5), 2), Error);
  EXPECT_EQ(folder.size(), 0u);
}

TEST(NpyTest, ReadsHeadersThatOtherVersionsOfNumpyWrite) {
  const TemporaryFolder folder;
  const std::string data = "\1\2\3\4\5\6";
  const auto read = [&](const std::string& head, std::size_t bytes) {
    return read_npy<std::uint8_t>(folder.write("x.npy", npy(head, data.substr(0, bytes))));
  };
  EXPECT_THAT(read("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", 3),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(
      read("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }" + std::string(20, ' '), 3),
      ElementsAre(1, 2, 3))
      << "with room to grow";
  EXPECT_THAT(read(header("|u1", "(2, 3)"), 6), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read(header("|u1", "()"), 1), ElementsAre(1)) << "a scalar";
  EXPECT_TRUE(read(header("|u1", "(0, 3)"), 0).empty());
}

TEST(NpyTest, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const std::string good = npy(header("|u1", "(3,)"), "abc");
  const std::string suffix = "; expected a .npy file of |u1";
  const auto expect_message = [&](const std::string& bytes, const std::string& message) {
    const auto file = folder.write("x.npy", bytes);
    EXPECT_EQ(data_message([&] { read_npy<std::uint8_t>(file); }),
              file.string() + ": " + message + suffix);
  };
  ASSERT_EQ(read_npy<std::uint8_t>(folder.write("x.npy", good)).size(), 3u);
  expect_message("", "does not start like .npy 1.0");
  expect_message("query,document\n1,2\n", "does not start like .npy 1.0");
  expect_message(good.substr(0, 9), "does not start like .npy 1.0");
  expect_message("PK\3\4" + good, "does not start like .npy 1.0");
  expect_message(npy(header("|u1", "(3,)"), "abc", {"\2\0", 2}), "does not start like .npy 1.0");
  expect_message(good.substr(0, 100), "ends within its header");
  expect_message(good.substr(0, good.size() - 4), "ends within its header");
  expect_message(good.substr(0, good.size() - 1), "holds 2 bytes of data for 3 elements");
  expect_message(good + "d", "holds 4 bytes of data for 3 elements");
  expect_message(npy(header("|u1", "(2, 3)"), "abc"), "holds 3 bytes of data for 6 elements");
  expect_message(npy(header("<f4", "(3,)"), "abc"), "has elements of type '<f4'");
  expect_message(npy(header("|u1", "(3, 1)", "True"), "abc"),
                 "is in Fortran order, column by column (np.ascontiguousarray converts it)");
  expect_message(npy(header("|u1", "(3,)", "Maybe"), "abc"), "has an unexpected header");
  for (const std::string shape :
       {"(3, 1, 1)", "(-3,)", "(3.0,)", "(3", "3", "(,)", "(a,)", "(3;)", "(, 3)", "",
        // More elements than 64 bits can count.
        "(99999999999999999999999,)", "(4294967296, 4294967296)", "(9223372036854775808, 2)"})
    expect_message(npy(header("|u1", shape), "abc"), "has an unexpected header");
  for (const std::string head : {"", "{}", "{'descr': '|u1", "{'descr': '|u1'}", "nonsense",
                                 "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), } x"})
    expect_message(npy(head, "abc"), "has an unexpected header");
}

TEST(NpyTest, CountsBytesOfWideElements) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.npy", npy(header("<u4", "(3,)"), "0123456789abc"));
  EXPECT_EQ(data_message([&] { read_npy<std::uint32_t>(file); }),
            file.string() + ": holds 13 bytes of data for 3 elements; expected a .npy file of <u4");
  // 2^62 elements of 4 bytes are 2^64 = 0 bytes.
  const auto huge = folder.write("y.npy", npy(header("<u4", "(4611686018427387904,)"), ""));
  EXPECT_THAT(data_message([&] { read_npy<std::uint32_t>(huge); }),
              StartsWith(huge.string() + ": holds 0 bytes of data for 4611686018427387904"));
}

TEST(NpyTest, ReadsTheLongestHeader) {
  const TemporaryFolder folder;
  const std::string head = header("|u1", "(3,)");
  const auto spaces =
      folder.write("x.npy", npy(head + std::string(65400 - head.size(), ' '), "abc"));
  EXPECT_THAT(read_npy<std::uint8_t>(spaces), ElementsAre('a', 'b', 'c'));
  const auto quote = folder.write("y.npy", npy(header(std::string(65000, 'x'), "(3,)"), "abc"));
  EXPECT_EQ(data_message([&] { read_npy<std::uint8_t>(quote); }),
            quote.string() + ": has elements of type '" + std::string(40, 'x') +
                "'...; expected a .npy file of |u1");
}

TEST(NpyTest, SaysThatAFileCannotBeRead) {
  const TemporaryFolder folder;
  const auto missing = folder.path() / "missing.npy";
  EXPECT_EQ(data_message([&] { read_npy<float>(missing); }),
            missing.string() + ": cannot be read; expected a .npy file");
  EXPECT_EQ(data_message([&] { read_npy<float>(folder.path()); }),
            folder.path().string() + ": cannot be read; expected a .npy file");
  EXPECT_EQ(data_message([&] { write_npy(folder.path() / "no" / "x.npy", std::vector<float>(1)); }),
            (folder.path() / "no" / "x.npy").string() +
                ": cannot be written (No such file or directory)");
}

TEST(NpyStreamTest, PiecesMakeTheFileThatIsWrittenAtOnce) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 3, 9999, 10'000, 100'000}) {
    std::vector<std::uint16_t> values(size);
    std::iota(values.begin(), values.end(), std::uint16_t{65530});
    write_npy(folder.path() / "once.npy", values);
    for (const bool known : {true, false}) {
      NpyStream<std::uint16_t> stream(folder.path() / "pieces.npy",
                                      known ? std::optional(size) : std::nullopt);
      // Pieces that fit into the buffer, and one that does not.
      const std::span all(values);
      for (const std::uint16_t value : all.first(size / 3)) stream.push_back(value);
      stream.append({});
      stream.append(all.subspan(size / 3));
      EXPECT_EQ(stream.size(), size);
      EXPECT_FALSE(std::filesystem::exists(folder.path() / "pieces.npy"));
      stream.finish();
      EXPECT_EQ(read_text(folder.path() / "pieces.npy"), read_text(folder.path() / "once.npy"));
      std::filesystem::remove(folder.path() / "pieces.npy");
    }
  }
}

TEST(NpyStreamTest, ReadsBackAndChangesWhatWasAppended) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "x.npy";
  NpyStream<std::uint32_t> stream(file);
  std::vector<std::uint32_t> expected(50'000);
  std::iota(expected.begin(), expected.end(), 7u);
  stream.append(std::span(expected).first(40'000));
  std::vector<std::uint32_t> read(3);
  stream.read(39'997, read);
  EXPECT_THAT(read, ElementsAre(40'004, 40'005, 40'006)) << "of the buffer";
  stream.read(0, read);
  EXPECT_THAT(read, ElementsAre(7, 8, 9));
  stream.overwrite(1, std::vector<std::uint32_t>{100, 200});
  expected[1] = 100;
  expected[2] = 200;
  stream.append(std::span(expected).subspan(40'000));
  stream.read(49'997, read);
  EXPECT_THAT(read, ElementsAre(50'004, 50'005, 50'006));
  stream.finish();
  EXPECT_EQ(read_npy<std::uint32_t>(file), expected);
}

TEST(MapNpyDeathTest, AFileThatIsTruncatedWhileItIsReadIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "x.npy";
  write_npy(file, std::span<const float>(std::vector<float>(100'000)));
  EXPECT_EXIT(
      {
        const MappedNpy<float> other = map_npy<float>(file);
        const MappedNpy<float> mapped = map_npy<float>(file);
        std::filesystem::resize_file(file, 4096);
        const volatile float last = mapped.values[99'999];
        static_cast<void>(last);
      },
      ::testing::ExitedWithCode(3),
      "^error: .*/x.npy: was truncated while it was in use; expected a file that stays as it is");
}

TEST(NpyStreamTest, RefusesToReadMissingElements) {
  const TemporaryFolder folder;
  NpyStream<std::uint32_t> stream(folder.path() / "x.npy");
  stream.push_back(1);
  std::vector<std::uint32_t> two(2);
  EXPECT_EQ(data_message([&] { stream.read(0, two); }),
            (folder.path() / "x.npy.part").string() + ": cannot be read back (it is shorter)");
}

TEST(NpyStreamTest, HoldsAsManyElementsAsAnnounced) {
  const TemporaryFolder folder;
  for (const std::size_t length : {0, 2}) {
    NpyStream<std::uint16_t> stream(folder.path() / "x.npy", length);
    stream.push_back(1);
    EXPECT_EQ(testing::message_of<Error>([&] { stream.finish(); }),
              fmt::format("NpyStream: 1 values were appended; expected {}", length));
  }
  EXPECT_EQ(folder.size(), 0u);
}

}  // namespace
}  // namespace ultr::npy_test
