#pragma once

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/tape/map_index.h"
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
  QuotientRemainder(const LayerSetting& setting, double ratio, bool product)
      : name_(setting.name),
        unknown_(static_cast<std::uint32_t>(setting.unknown)),
        remainders_(static_cast<std::uint32_t>(compressed_rows(setting, ratio))),
        product_(product) {
    const auto known = static_cast<std::uint32_t>(setting.entries - setting.unknown);
    quotients_ = (known - 1) / remainders_ + 1;
  }

  std::vector<SharedTable> tables() const override {
    const std::int64_t unknown = unknown_ > 0 ? 1 : 0;
    return {{.name = name_ + ".quotient",
             .rows = unknown + quotients_,
             .unknown = unknown,
             .start = product_ ? 1 : 0},
            {.name = name_ + ".remainder", .rows = unknown + remainders_, .unknown = unknown}};
  }
  Index rows(std::size_t table, Index entries) const override {
    // Exact: the double nearest to a quotient of two 32-bit integers is never on the other side of
    // an integer. Unlike an integer division, this can be vectorised.
    const auto quotient_of = [m = remainders_](std::uint32_t i) {
      return static_cast<std::uint32_t>(static_cast<double>(i) / m);
    };
    const auto remainder_of = [=, m = remainders_](std::uint32_t i) {
      return i - m * quotient_of(i);
    };
    return table == quotient
               ? map_index("quotient", entries, AfterUnknown{unknown_, quotient_of})
               : map_index("remainder", entries, AfterUnknown{unknown_, remainder_of});
  }
  Tensor combine(std::span<const Tensor> read) const override {
    return product_ ? read[quotient] * read[remainder] : read[quotient] + read[remainder];
  }
  std::string formula() const override {
    const auto row = [&](const char* operation) {
      return row_formula(unknown_, [&](const std::string& i) {
        return fmt::format("{} {} {}", i, operation, remainders_);
      });
    };
    return fmt::format("{0}.quotient[{1}] {3} {0}.remainder[{2}]", name_, row("//"), row("%"),
                       product_ ? "*" : "+");
  }

 private:
  enum : std::size_t { quotient, remainder };  // indices of the tables

  std::string name_;
  std::uint32_t unknown_, quotients_, remainders_;
  bool product_;
};

/// Options of `quotient_remainder`.
struct QuotientRemainderOptions final : CompressionOptions {
  double ratio = 10;
  std::string combine = "product";

  void fields(Fields& f) override {
    f.number("ratio", ratio, "Entries of the domain per row of the table of remainders.",
             at_least(1));
    f.word("combine", combine, "Elementwise operation that combines the two rows.",
           {"product", "sum"});
  }
  std::unique_ptr<Compression> build(const LayerSetting& setting) const override {
    return std::make_unique<QuotientRemainder>(setting, ratio, combine == "product");
  }
};

}  // namespace ultr
