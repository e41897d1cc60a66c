#include "layers/compression.h"

#include <cmath>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

/// One row per entry.
class NoCompression final : public Compression {
 public:
  explicit NoCompression(const LayerSetting& setting)
      : table_{setting.name, setting.entries, setting.unknown} {}

  std::vector<SharedTable> tables() const override { return {table_}; }
  Index rows(std::size_t, Index entries) const override { return entries; }
  Tensor combine(std::span<const Tensor> read) const override { return read[0]; }
  bool shares() const override { return false; }
  std::string formula() const override { return table_.name + "[e]"; }

 private:
  SharedTable table_;
};

}  // namespace

std::unique_ptr<Compression> NoCompressionOptions::build(const LayerSetting& setting) const {
  return std::make_unique<NoCompression>(setting);
}

std::int64_t compressed_rows(const LayerSetting& setting, double ratio) {
  const std::int64_t known = setting.entries - setting.unknown;
  const auto rows = static_cast<std::int64_t>(std::floor(static_cast<double>(known) / ratio));
  if (rows < 1)
    throw ConfigError(
        fmt::format("{}: a compression ratio of {} leaves no row for {} entries (one per {}); "
                    "expected at most {}",
                    setting.name, ratio, known, to_string(setting.domain), known));
  return rows;
}

std::string row_formula(std::uint32_t unknown, const RowFormula& formula) {
  if (unknown == 0) return formula("e");
  return fmt::format("0 if e < {0} else 1 + {1}", unknown,
                     formula(fmt::format("(e - {})", unknown)));
}

}  // namespace ultr
