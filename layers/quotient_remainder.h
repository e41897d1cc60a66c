#pragma once

#include "layers/compression.h"

namespace ultr {

/// The quotient-remainder trick (Shi et al., 2020). Known entry number i, counted from 0, combines
/// row i % m of a table of m = entries / ratio remainders (rounded down) with row i / m of a table
/// of about `ratio` quotients, by an elementwise product or sum. No two entries read the same pair
/// of rows. The two tables together are smallest at ratio √entries.
///
/// Entries that share a remainder are m apart, so the documents of one query, whose numbers are
/// close together, do not share one. (With `ratio` remainders and m quotients, neighbours would
/// share a row of the larger table. Implementations that do this shuffle the entries first.)
///
/// Remainders start at random near 0. Quotients start at the neutral element: 0 for a sum and 1 for
/// a product, whose gradients would vanish if both tables started near 0.
class QuotientRemainder final : public Compression {
 public:
  /// Throws ConfigError if `ratio` leaves no row.
  QuotientRemainder(const LayerSetting& setting, double ratio, bool product);

  std::vector<SharedTable> tables() const override;
  Index rows(std::size_t table, Index entries) const override;
  Tensor combine(std::span<const Tensor> read) const override;
  std::string formula() const override;

 private:
  std::string name_;
  std::uint32_t unknown_, quotients_, remainders_;
  bool product_;
};

/// Options of `quotient_remainder`.
struct QuotientRemainderOptions final : CompressionOptions {
  double ratio = 10;
  std::string combine = "product";

  void fields(Fields& f) override;
  std::unique_ptr<Compression> build(const LayerSetting& setting) const override;
};

}  // namespace ultr
