#include "layers/compression.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "layers/compressions.h"
#include "layers/listed_rows.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::compression_test {
namespace {

using ::testing::HasSubstr;
using testing::listed_rows;
using ::testing::ThrowsMessage;

struct CompressionCase {
  std::string type, yaml;
  std::int64_t entries, unknown;
};

void PrintTo(const CompressionCase& c, std::ostream* out) {
  *out << c.type << " " << c.yaml << " of " << c.entries << ", unknown " << c.unknown;
}

std::vector<CompressionCase> all_cases() {
  std::vector<CompressionCase> all;
  for (const std::int64_t unknown : {0, 1, 10}) {
    for (const std::int64_t entries : {11, 100, 1009}) {
      all.push_back({"none", "{}", entries, unknown});
      for (const std::string ratio : {"1", "2.5", "10", "80"}) {
        if (entries - unknown < 80 && ratio != "1") continue;
        all.push_back({"hash", "{ratio: " + ratio + "}", entries, unknown});
        for (const std::string combine : {"product", "sum"})
          all.push_back({"quotient_remainder", "{ratio: " + ratio + ", combine: " + combine + "}",
                         entries, unknown});
      }
    }
  }
  return all;
}

/// Tests of every type of compression, with several ratios and sizes.
class EveryCompressionTest : public ::testing::TestWithParam<CompressionCase> {
 protected:
  EveryCompressionTest() {
    const Choice choice(compression_types(), GetParam().type);
    read_options(parse_config(GetParam().yaml, "test"), *choice.options);
    compression_ = choice.as<CompressionOptions>().build({.name = "attraction",
                                                          .domain = Domain::document,
                                                          .entries = GetParam().entries,
                                                          .unknown = GetParam().unknown});
    tables_ = compression_->tables();
  }

  /// Rows of a table that the entries of the domain read, in their order.
  std::vector<std::uint32_t> rows(std::size_t table) const {
    return listed_rows(*compression_, table, GetParam().entries);
  }

  std::unique_ptr<Compression> compression_;
  std::vector<SharedTable> tables_;
};

TEST_P(EveryCompressionTest, EntriesReadExistingRows) {
  for (std::size_t t = 0; t < tables_.size(); ++t)
    for (const std::uint32_t row : rows(t)) ASSERT_LT(row, tables_[t].rows);
}

TEST_P(EveryCompressionTest, UnknownEntriesShareNothingWithKnownOnes) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const auto read = rows(t);
    for (std::size_t entry = 0; entry < read.size(); ++entry)
      EXPECT_EQ(read[entry] < tables_[t].unknown,
                static_cast<std::int64_t>(entry) < GetParam().unknown)
          << "entry " << entry;
  }
}

TEST_P(EveryCompressionTest, OnlyTheLastTableStartsAtRandom) {
  for (std::size_t t = 0; t < tables_.size(); ++t)
    EXPECT_EQ(tables_[t].start.has_value(), t + 1 < tables_.size());
}

TEST_P(EveryCompressionTest, AtTheStartVectorsAreRowsOfTheLastTable) {
  // An embedding can therefore shift its logits by shifting rows of the last table.
  Tape tape(Precision::float64);
  std::vector<Tensor> read;
  for (const SharedTable& table : tables_) {
    std::vector<double> numbers(21);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = table.start.value_or(0.25 * static_cast<double>(i));
    read.push_back(tape.constant(Shape::matrix(7, 3), numbers));
  }
  EXPECT_EQ(compression_->combine(read).values(), read.back().values());
}

TEST_P(EveryCompressionTest, TablesHaveNamesThatTheFormulaUses) {
  std::set<std::string> names;
  for (const SharedTable& table : tables_) {
    EXPECT_TRUE(names.insert(table.name).second) << table.name;
    EXPECT_THAT(compression_->formula(), HasSubstr(table.name + "["));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryCompressionTest, ::testing::ValuesIn(all_cases()));

TEST(CompressionTest, RatiosMustLeaveARow) {
  const LayerSetting setting{
      .name = "attraction", .domain = Domain::rank, .entries = 11, .unknown = 1};
  EXPECT_EQ(compressed_rows(setting, 1), 10);
  EXPECT_EQ(compressed_rows(setting, 3), 3);
  EXPECT_EQ(compressed_rows(setting, 10), 1);
  EXPECT_THAT(
      [&] { compressed_rows(setting, 10.5); },
      ThrowsMessage<ConfigError>("attraction: a compression ratio of 10.5 leaves no row for "
                                 "10 entries (one per rank); expected at most 10"));
  for (const std::string type : {"hash", "quotient_remainder"}) {
    const Choice choice(compression_types(), type);
    read_options(parse_config("ratio: 11", "test"), *choice.options);
    EXPECT_THROW(choice.as<CompressionOptions>().build(setting), ConfigError) << type;
  }
}

TEST(CompressionTest, RatiosAreAtLeastOne) {
  for (const std::string type : {"hash", "quotient_remainder"})
    for (const std::string ratio : {"0.99", "0", "-2", ".inf", "much"}) {
      const Choice choice(compression_types(), type);
      EXPECT_THROW(read_options(parse_config("ratio: " + ratio, "test"), *choice.options),
                   ConfigError)
          << type << " " << ratio;
    }
}

TEST(CompressionTest, RowFormulasKeepUnknownEntriesApart) {
  const auto halved = [](const std::string& i) { return i + " // 2"; };
  EXPECT_EQ(row_formula(0, halved), "e // 2");
  EXPECT_EQ(row_formula(3, halved), "0 if e < 3 else 1 + (e - 3) // 2");
}

}  // namespace
}  // namespace ultr::compression_test
