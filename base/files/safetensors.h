#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ultr {

/// An array of numbers with a name, row-major.
struct NamedArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // empty if the file has another type than F32
  std::string type = "F32";
};

/// Files in the format safetensors, in which weights of neural networks are exchanged: the length
/// of a JSON header (8 bytes, little-endian), the header, which describes each array, and the
/// numbers.

/// Reads all arrays, in the order of their names. Those of other types than F32 have no values.
/// Throws DataError, naming the file, if it is truncated or in another format.
std::vector<NamedArray> read_safetensors(const std::filesystem::path& file);

/// Writes arrays of type F32. Throws DataError if the file cannot be written.
void write_safetensors(const std::filesystem::path& file, std::span<const NamedArray> arrays);

}  // namespace ultr
