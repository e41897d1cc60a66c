#include "base/files/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/quote.h"

namespace ultr {
namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // as the format's own reader has it

[[noreturn]] void refuse_weights(const std::filesystem::path& file, const std::string& found) {
  throw DataError(fmt::format("{}: {}; expected a .safetensors file", file.string(), found));
}

std::string bytes_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes;
  if (stream) bytes.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad())
    throw DataError(fmt::format("{}: cannot be read; expected a .safetensors file", file.string()));
  return bytes;
}

/// The description of an array in the header.
struct Described {
  std::string type;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // of its bytes, after the header
};

/// Returns nothing unless the description is as the format says.
std::optional<Described> described(const nlohmann::json& array) {
  if (!array.is_object()) return std::nullopt;
  const auto type = array.find("dtype"), shape = array.find("shape"),
             offsets = array.find("data_offsets");
  if (type == array.end() || !type->is_string() || shape == array.end() || !shape->is_array() ||
      offsets == array.end() || !offsets->is_array() || offsets->size() != 2)
    return std::nullopt;
  Described result{.type = type->get<std::string>(), .shape = {}};
  for (const auto* list : {&*shape, &*offsets})
    for (const auto& number : *list)
      if (!number.is_number_unsigned()) return std::nullopt;
  std::uint64_t elements = 1;
  for (const auto& number : *shape) {
    const auto size = number.get<std::uint64_t>();
    if (size > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    if (size > 0 && elements > std::numeric_limits<std::uint64_t>::max() / 16 / size)
      return std::nullopt;
    elements *= size;
    result.shape.push_back(static_cast<std::int64_t>(size));
  }
  result.begin = (*offsets)[0].get<std::uint64_t>();
  result.end = (*offsets)[1].get<std::uint64_t>();
  if (result.begin > result.end) return std::nullopt;
  if (result.type == "F32" && result.end - result.begin != elements * sizeof(float))
    return std::nullopt;
  return result;
}

}  // namespace

std::vector<NamedArray> read_safetensors(const std::filesystem::path& file) {
  static_assert(std::endian::native == std::endian::little);
  const std::string bytes = bytes_of_file(file);
  std::uint64_t length = 0;
  if (bytes.size() < length_bytes) refuse_weights(file, fmt::format("has {} bytes", bytes.size()));
  std::memcpy(&length, bytes.data(), length_bytes);
  if (length > longest_header || length > bytes.size() - length_bytes)
    refuse_weights(file, fmt::format("its header would have {} bytes, but the file has {}", length,
                                     bytes.size()));
  const char* const header_begin = bytes.data() + length_bytes;
  const nlohmann::json header =
      nlohmann::json::parse(header_begin, header_begin + length, nullptr, false);
  if (!header.is_object()) refuse_weights(file, "its header is no JSON object");
  const std::string_view data(header_begin + length, bytes.size() - length_bytes - length);
  std::vector<NamedArray> arrays;
  for (const auto& [name, description] : header.items()) {
    if (name == "__metadata__") continue;
    const std::optional<Described> array = described(description);
    if (!array) refuse_weights(file, fmt::format("the header describes {} wrongly", quote(name)));
    if (array->end > data.size())
      refuse_weights(file, fmt::format("ends before the numbers of {}, which end at byte {} of {}",
                                       quote(name), array->end, data.size()));
    NamedArray read{.name = name, .shape = array->shape, .values = {}, .type = array->type};
    if (array->type == "F32") {
      read.values.resize((array->end - array->begin) / sizeof(float));
      if (!read.values.empty())
        std::memcpy(read.values.data(), data.data() + array->begin, array->end - array->begin);
    }
    arrays.push_back(std::move(read));
  }
  return arrays;
}

void write_safetensors(const std::filesystem::path& file, std::span<const NamedArray> arrays) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::uint64_t end = 0;
  for (const NamedArray& array : arrays) {
    const std::uint64_t begin = end;
    end += array.values.size() * sizeof(float);
    header[array.name] = {{"dtype", "F32"}, {"shape", array.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + length_bytes - 1) / length_bytes * length_bytes, ' ');
  const std::uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), length_bytes);
  bytes += text;
  for (const NamedArray& array : arrays)
    bytes.append(reinterpret_cast<const char*>(array.values.data()),
                 array.values.size() * sizeof(float));
  write_file(file, bytes);
}

}  // namespace ultr
