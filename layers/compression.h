#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layers/logit_layer.h"

namespace ultr {

/// A table whose rows the entries of a domain share, with its initial values.
struct SharedTable {
  std::string name;  // of its parameter
  std::int64_t rows = 1;
  std::int64_t unknown = 0;  // number of first rows, which only unknown entries read
  /// Initial value of all numbers. If empty, rows start at random (see Embedding).
  std::optional<double> start = {};
};

/// A way for the entries of a domain to share the rows of smaller tables (thesis section 5.4.2).
/// Each entry reads one row of each table and combines them into its vector.
///
/// Entries that never occur in training (the first `unknown` of the domain) share a row of their
/// own. They therefore predict the baseline, whatever the other entries learn.
///
/// An op of the program computes which rows the entries read. This costs no more than computing
/// them when a batch is bound. It works for every domain and every kind of inputs, and entries that
/// no output needs cost nothing.
class Compression {
 public:
  virtual ~Compression() = default;

  /// The tables. The last one, and only that one, starts at random.
  virtual std::vector<SharedTable> tables() const = 0;
  /// Records the index of the row that each entry reads from a table.
  virtual Index rows(std::size_t table, Index entries) const = 0;
  /// Records the vectors of the entries, combined from the rows that they read from each table.
  /// Rows are numbers [entries], or vectors [entries, dimension].
  virtual Tensor combine(std::span<const Tensor> read) const = 0;
  /// True if several entries may read the same numbers. If false, entry i reads row i of one table.
  virtual bool shares() const { return true; }
  /// Returns the vector of entry e as a formula of the tables, for readers of a saved model:
  /// "attraction[e]".
  virtual std::string formula() const = 0;
};

/// Options of a type of compression, which also build it.
class CompressionOptions : public Options {
 public:
  /// Builds the compression. Throws ConfigError if the setting has too few entries for the options.
  virtual std::unique_ptr<Compression> build(const LayerSetting& setting) const = 0;
};

/// Options of `none`: one row per entry.
struct NoCompressionOptions final : CompressionOptions {
  void fields(Fields&) override {}
  std::unique_ptr<Compression> build(const LayerSetting& setting) const override;
};

/// Returns the number of entries that occur in training divided by `ratio`, rounded down. Throws
/// ConfigError if that is 0.
std::int64_t compressed_rows(const LayerSetting& setting, double ratio);

/// A function that returns the row of a known entry as text: a formula of the entry's number.
using RowFormula = std::function<std::string(const std::string& number)>;
/// Returns the row of entry e, known or unknown, as text. The first `unknown` entries share row 0:
/// "0 if e < 1 else 1 + (e - 1) % 7".
std::string row_formula(std::uint32_t unknown, const RowFormula& formula);

/// Maps an entry to the row that it reads. Entries below `unknown` share row 0, and entry e above
/// reads row 1 + function(e - unknown). If `unknown` is 0, entry e reads row function(e).
template <class Function>
struct AfterUnknown {
  std::uint32_t unknown;
  Function function;

  std::uint32_t operator()(std::uint32_t entry) const {
    const std::uint32_t shared = unknown > 0 ? 1 : 0;
    return entry < unknown ? 0 : shared + function(entry - unknown);
  }
};
template <class Function>
AfterUnknown(std::uint32_t, Function) -> AfterUnknown<Function>;

}  // namespace ultr
