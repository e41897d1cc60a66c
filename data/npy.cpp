#include "data/npy.h"

#include <bit>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <fmt/core.h>

#include "data/error.h"
#include "data/file.h"

namespace ultr {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t alignment = 64;  // of the data, as NumPy writes it

template <class T>
constexpr std::string_view type_code();
template <>
constexpr std::string_view type_code<float>() {
  return "<f4";
}
template <>
constexpr std::string_view type_code<double>() {
  return "<f8";
}
template <>
constexpr std::string_view type_code<std::int64_t>() {
  return "<i8";
}
template <>
constexpr std::string_view type_code<std::uint64_t>() {
  return "<u8";
}
template <>
constexpr std::string_view type_code<std::uint32_t>() {
  return "<u4";
}
template <>
constexpr std::string_view type_code<std::uint16_t>() {
  return "<u2";
}
template <>
constexpr std::string_view type_code<std::uint8_t>() {
  return "|u1";
}

}  // namespace

template <class T>
void write_npy(const std::filesystem::path& file, std::span<const T> values, std::size_t columns) {
  const std::string shape = columns == 0
                                ? fmt::format("({},)", values.size())
                                : fmt::format("({}, {})", values.size() / columns, columns);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   type_code<T>(), shape);
  const std::size_t before = magic.size() + 2;
  header.append(alignment - 1 - (before + header.size()) % alignment, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  write_file(file, bytes);
}

template <class T>
std::vector<T> read_npy(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad())
    throw DataError(file.string() + ": cannot be read; expected a .npy file");
  const auto fail = [&](const std::string& found) {
    throw DataError(
        fmt::format("{}: {}; expected a .npy file of {}", file.string(), found, type_code<T>()));
  };
  const std::size_t before = magic.size() + 2;
  if (bytes.size() < before || std::string_view(bytes).substr(0, magic.size()) != magic)
    fail("does not start like .npy 1.0");
  const std::size_t length =
      static_cast<unsigned char>(bytes[magic.size()]) +
      static_cast<std::size_t>(static_cast<unsigned char>(bytes[magic.size() + 1])) * 256;
  const std::string header = bytes.substr(before, length);
  static const std::regex pattern(
      R"(\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([0-9]*),? ?([0-9]*),?\),? *\}\s*)");
  std::smatch found;
  if (!std::regex_match(header, found, pattern)) fail("has an unexpected header");
  if (found[1].str() != type_code<T>()) fail("has elements of type " + found[1].str());
  std::size_t count = found[2].length() == 0 ? 1 : std::stoull(found[2].str());
  if (found[3].length() > 0) count *= std::stoull(found[3].str());
  if (bytes.size() != before + length + count * sizeof(T))
    fail(fmt::format("holds {} bytes of data for {} elements", bytes.size() - before - length,
                     count));
  std::vector<T> values(count);
  std::copy_n(bytes.data() + before + length, count * sizeof(T),
              reinterpret_cast<char*>(values.data()));
  return values;
}

template void write_npy(const std::filesystem::path&, std::span<const float>, std::size_t);
template void write_npy(const std::filesystem::path&, std::span<const double>, std::size_t);
template void write_npy(const std::filesystem::path&, std::span<const std::int64_t>, std::size_t);
template void write_npy(const std::filesystem::path&, std::span<const std::uint64_t>, std::size_t);
template void write_npy(const std::filesystem::path&, std::span<const std::uint32_t>, std::size_t);
template void write_npy(const std::filesystem::path&, std::span<const std::uint16_t>, std::size_t);
template void write_npy(const std::filesystem::path&, std::span<const std::uint8_t>, std::size_t);
template std::vector<float> read_npy(const std::filesystem::path&);
template std::vector<double> read_npy(const std::filesystem::path&);
template std::vector<std::int64_t> read_npy(const std::filesystem::path&);
template std::vector<std::uint64_t> read_npy(const std::filesystem::path&);
template std::vector<std::uint32_t> read_npy(const std::filesystem::path&);
template std::vector<std::uint16_t> read_npy(const std::filesystem::path&);
template std::vector<std::uint8_t> read_npy(const std::filesystem::path&);

}  // namespace ultr
