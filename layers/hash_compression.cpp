#include "layers/hash_compression.h"

#include <fmt/core.h>

#include "autograd/map_index.h"
#include "base/random.h"

namespace ultr {
namespace {

struct HashedRow {
  std::uint32_t rows, key;
  std::uint32_t operator()(std::uint32_t i) const {
    return static_cast<std::uint32_t>(std::uint64_t{murmur3(i, key)} * rows >> 32);
  }
};

std::uint32_t key_of(const LayerSetting& setting) {
  RandomStream random(setting.seed, RandomPurpose::hashing, setting.number, 0);
  return static_cast<std::uint32_t>(random.bits());
}

}  // namespace

HashCompression::HashCompression(const LayerSetting& setting, double ratio)
    : name_(setting.name),
      unknown_(static_cast<std::uint32_t>(setting.unknown)),
      rows_(static_cast<std::uint32_t>(compressed_rows(setting, ratio))),
      key_(key_of(setting)) {}

std::vector<SharedTable> HashCompression::tables() const {
  const std::int64_t unknown = unknown_ > 0 ? 1 : 0;
  return {{.name = name_, .rows = unknown + rows_, .unknown = unknown}};
}

Index HashCompression::rows(std::size_t, Index entries) const {
  return map_index("hash", entries, AfterUnknown<HashedRow>{unknown_, {rows_, key_}});
}

std::string HashCompression::formula() const {
  return fmt::format("{}[{}]", name_, row_formula(unknown_, [&](const std::string& i) {
                       return fmt::format("(murmur3_32({}, seed={}) * {} >> 32)", i, key_, rows_);
                     }));
}

void HashOptions::fields(Fields& f) {
  f.number("ratio", ratio, "Entries of the domain per row of the table.", at_least(1));
}

std::unique_ptr<Compression> HashOptions::build(const LayerSetting& setting) const {
  return std::make_unique<HashCompression>(setting, ratio);
}

}  // namespace ultr
