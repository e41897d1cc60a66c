#include "layers/quotient_remainder.h"

#include <fmt/core.h>

#include "autograd/arithmetic.h"
#include "autograd/map_index.h"

namespace ultr {
namespace {

enum : std::size_t { quotient, remainder };  // indices of the tables

/// Computes i / divisor, rounded down, exactly: the double nearest to a quotient of two 32-bit
/// integers is never on the other side of an integer. Unlike an integer division, it can be
/// vectorised.
std::uint32_t divide(std::uint32_t i, double divisor) {
  return static_cast<std::uint32_t>(static_cast<double>(i) / divisor);
}

struct Quotient {
  std::uint32_t divisor;
  std::uint32_t operator()(std::uint32_t i) const { return divide(i, divisor); }
};

struct Remainder {
  std::uint32_t divisor;
  std::uint32_t operator()(std::uint32_t i) const { return i - divisor * divide(i, divisor); }
};

}  // namespace

QuotientRemainder::QuotientRemainder(const LayerSetting& setting, double ratio, bool product)
    : name_(setting.name),
      unknown_(static_cast<std::uint32_t>(setting.unknown)),
      remainders_(static_cast<std::uint32_t>(compressed_rows(setting, ratio))),
      product_(product) {
  const auto known = static_cast<std::uint32_t>(setting.entries - setting.unknown);
  quotients_ = (known - 1) / remainders_ + 1;
}

std::vector<SharedTable> QuotientRemainder::tables() const {
  const std::int64_t unknown = unknown_ > 0 ? 1 : 0;
  return {{.name = name_ + ".quotient",
           .rows = unknown + quotients_,
           .unknown = unknown,
           .start = product_ ? 1 : 0},
          {.name = name_ + ".remainder", .rows = unknown + remainders_, .unknown = unknown}};
}

Index QuotientRemainder::rows(std::size_t table, Index entries) const {
  if (table == quotient)
    return map_index("quotient", entries, AfterUnknown<Quotient>{unknown_, {remainders_}});
  return map_index("remainder", entries, AfterUnknown<Remainder>{unknown_, {remainders_}});
}

Tensor QuotientRemainder::combine(std::span<const Tensor> read) const {
  return product_ ? read[quotient] * read[remainder] : read[quotient] + read[remainder];
}

std::string QuotientRemainder::formula() const {
  const auto row = [&](const char* operation) {
    return row_formula(unknown_, [&](const std::string& i) {
      return fmt::format("{} {} {}", i, operation, remainders_);
    });
  };
  return fmt::format("{0}.quotient[{1}] {3} {0}.remainder[{2}]", name_, row("//"), row("%"),
                     product_ ? "*" : "+");
}

void QuotientRemainderOptions::fields(Fields& f) {
  f.number("ratio", ratio, "Entries of the domain per row of the table of remainders.",
           at_least(1));
  f.word("combine", combine, "Elementwise operation that combines the two rows.",
         {"product", "sum"});
}

std::unique_ptr<Compression> QuotientRemainderOptions::build(const LayerSetting& setting) const {
  return std::make_unique<QuotientRemainder>(setting, ratio, combine == "product");
}

}  // namespace ultr
