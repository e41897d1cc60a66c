#pragma once

#include <bit>

#include <fmt/core.h>

#include "autograd/tape/map_index.h"
#include "base/random.h"
#include "layers/compression.h"

namespace ultr {

/// MurmurHash3_x86_32 (Appleby, 2011, public domain) of the four bytes of `x`, in little-endian
/// order. Equals sklearn.utils.murmurhash3_32(x, seed, positive=True) of a NumPy int32.
constexpr std::uint32_t murmur3(std::uint32_t x, std::uint32_t seed) {
  x = std::rotl(x * 0xcc9e2d51u, 15) * 0x1b873593u;
  std::uint32_t hash = std::rotl(seed ^ x, 13) * 5 + 0xe6546b64u;
  hash ^= 4;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  return hash ^ hash >> 16;
}

/// The hashing trick (Weinberger et al., 2009). Known entry number i, counted from 0, reads row
///
///     murmur3(i, key) * rows / 2^32     with rows = entries / ratio, rounded down.
///
/// This is as uniform as the hash modulo `rows`, and it needs no division. The key is drawn from
/// the seed for each parameter, so that different documents collide in different parameters and
/// runs. Hashes collide at every ratio: at ratio 1, a row is read by one entry on average, not by
/// exactly one.
class HashCompression final : public Compression {
 public:
  /// Throws ConfigError if `ratio` leaves no row.
  HashCompression(const LayerSetting& setting, double ratio)
      : name_(setting.name),
        unknown_(static_cast<std::uint32_t>(setting.unknown)),
        rows_(static_cast<std::uint32_t>(compressed_rows(setting, ratio))),
        key_(static_cast<std::uint32_t>(
            RandomStream(setting.seed, RandomPurpose::hashing, setting.number, 0).bits())) {}

  std::vector<SharedTable> tables() const override {
    const std::int64_t unknown = unknown_ > 0 ? 1 : 0;
    return {{.name = name_, .rows = unknown + rows_, .unknown = unknown}};
  }
  Index rows(std::size_t, Index entries) const override {
    const auto hashed = [rows = rows_, key = key_](std::uint32_t i) {
      return static_cast<std::uint32_t>(std::uint64_t{murmur3(i, key)} * rows >> 32);
    };
    return map_index("hash", entries, AfterUnknown{unknown_, hashed});
  }
  Tensor combine(std::span<const Tensor> read) const override { return read[0]; }
  std::string formula() const override {
    return fmt::format("{}[{}]", name_, row_formula(unknown_, [&](const std::string& i) {
                         return fmt::format("(murmur3_32({}, seed={}) * {} >> 32)", i, key_, rows_);
                       }));
  }

 private:
  std::string name_;
  std::uint32_t unknown_, rows_, key_;
};

/// Options of `hash`.
struct HashOptions final : CompressionOptions {
  double ratio = 10;

  void fields(Fields& f) override {
    f.number("ratio", ratio, "Entries of the domain per row of the table.", at_least(1));
  }
  std::unique_ptr<Compression> build(const LayerSetting& setting) const override {
    return std::make_unique<HashCompression>(setting, ratio);
  }
};

}  // namespace ultr
