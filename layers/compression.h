#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layers/logit_layer.h"

namespace ultr {

/// A table that entries of a domain share, and what its rows start as.
struct SharedTable {
  std::string name;  // of the parameter
  std::int64_t rows = 1;
  std::int64_t unknown = 0;  // the first so many are read by unknown entries only
  /// What all its numbers start as; without it at random around 0.
  std::optional<double> start = {};
};

/// How the entries of a domain share the rows of smaller tables (thesis section 5.4.2): each entry
/// reads one row of each table and combines them to its vector.
///
/// Entries that training never shows (the first `unknown` of the domain) share a row of their own,
/// so that they predict the baseline whatever the others learn. Which rows an entry reads is
/// computed by an op of the program that reads them: it costs what computing them while a batch is
/// bound would, it works for every domain and every kind of inputs, and entries that no output
/// needs cost nothing.
class Compression {
 public:
  virtual ~Compression() = default;

  /// The tables; the last, and only the last, starts at random.
  virtual std::vector<SharedTable> tables() const = 0;
  /// Records which row of a table each entry reads.
  virtual Index rows(std::size_t table, Index entries) const = 0;
  /// Records the vectors of entries, from what was read of each table: vectors, or matrices with a
  /// row an entry.
  virtual Tensor combine(std::span<const Tensor> read) const = 0;
  /// Whether some entries may read the same numbers. If not, entry i reads row i of one table.
  virtual bool shares() const { return true; }
  /// The vector of entry e as a formula of the tables, for readers of a saved model:
  /// "attraction[e]".
  virtual std::string formula() const = 0;
};

/// The options of a type of compression, which also build it.
class CompressionOptions : public Options {
 public:
  /// Throws ConfigError if the setting has too few entries for the options.
  virtual std::unique_ptr<Compression> build(const LayerSetting& setting) const = 0;
};

/// Options of `none`: a row an entry.
struct NoCompressionOptions final : CompressionOptions {
  void fields(Fields&) override {}
  std::unique_ptr<Compression> build(const LayerSetting& setting) const override;
};

/// The entries of a setting that training shows, divided by a compression ratio, rounded down.
/// Throws ConfigError if nothing is left.
std::int64_t compressed_rows(const LayerSetting& setting, double ratio);

/// Which row a known entry reads, as a formula of its number, as text.
using RowFormula = std::function<std::string(const std::string& number)>;
/// The same for entry e, known or not, of which the first `unknown` share row 0:
/// "0 if e < 1 else 1 + (e - 1) % 7".
std::string row_formula(std::uint32_t unknown, const RowFormula& formula);

/// The row that an entry reads: function(entry - unknown), after a first row that the entries below
/// `unknown` share, if there are any.
template <class Function>
struct AfterUnknown {
  std::uint32_t unknown;
  Function function;

  std::uint32_t operator()(std::uint32_t entry) const {
    const std::uint32_t shared = unknown > 0 ? 1 : 0;
    return entry < unknown ? 0 : shared + function(entry - unknown);
  }
};

}  // namespace ultr
