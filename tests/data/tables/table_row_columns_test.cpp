#include "data/tables/table_row_columns.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::table_row_columns_test {
namespace {

constexpr std::size_t rows = 40;

/// Entries for the signals viewed, skipped and dwell.
template <class T>
PerSignal<T> per_signal(T viewed, T skipped, T dwell) {
  PerSignal<T> all;
  all[Signal::viewed] = viewed;
  all[Signal::skipped] = skipped;
  all[Signal::dwell] = dwell;
  return all;
}

/// Rows with different values in all parts, and up to three words.
TableRowColumns columns_with(const TableRowParts& parts) {
  TableRowColumns columns(parts);
  for (std::uint16_t i = 0; i < rows; ++i) {
    const std::vector<float> features(parts.features, 0.5f * static_cast<float>(i));
    const std::vector<std::uint32_t> tokens(i % 4, i);
    const std::vector<std::uint8_t> types(i % 4, static_cast<std::uint8_t>(i % 3));
    columns.push_back({.document = 100u + i,
                       .position = i,
                       .click = static_cast<std::uint8_t>(i % 2),
                       .label = i - 2,
                       .propensity = 1 / (1 + static_cast<float>(i)),
                       .features = features,
                       .words = {tokens, types},
                       .impressions = 10u + i,
                       .clicks = i,
                       .signals = per_signal<std::uint16_t>(1, 0, i)});
  }
  return columns;
}

template <class T>
bool same(const GrowingColumn<T>& a, const GrowingColumn<T>& b) {
  return std::ranges::equal(a.values(), b.values());
}

TEST(TableRowColumnsTest, RowsOfOtherColumnsAreAppendedWithAllTheirParts) {
  for (const TableRowParts& parts :
       {TableRowParts(), TableRowParts{.clicks = false, .labels = true, .features = 3},
        TableRowParts{.propensities = true, .words = true, .counts = true},
        TableRowParts{.features = 1, .words = true, .signals = per_signal(true, false, true)}}) {
    const TableRowColumns all = columns_with(parts);
    TableRowColumns appended(parts);
    for (std::size_t first = 0, count = 1; first < rows; first += count++)
      appended.append(all, first, std::min(count, rows - first));
    EXPECT_EQ(appended.size(), rows);
    EXPECT_EQ(appended.bytes(), all.bytes());
    EXPECT_TRUE(same(appended.documents, all.documents) && same(appended.positions, all.positions));
    EXPECT_TRUE(same(appended.clicked, all.clicked) && same(appended.labels, all.labels));
    EXPECT_TRUE(same(appended.propensities, all.propensities));
    EXPECT_TRUE(same(appended.features, all.features));
    EXPECT_TRUE(same(appended.impressions, all.impressions) && same(appended.clicks, all.clicks));
    for (const Signal signal : all_signals)
      EXPECT_TRUE(same(appended.signals[signal], all.signals[signal]));
    for (std::size_t i = 0; parts.words && i < rows; ++i) {
      EXPECT_TRUE(std::ranges::equal(appended.words(i).tokens, all.words(i).tokens));
      EXPECT_TRUE(std::ranges::equal(appended.words(i).types, all.words(i).types));
      EXPECT_EQ(all.words(i).tokens.size(), i % 4);
    }
  }
}

TEST(TableRowColumnsTest, ARowTakesTheBytesOfItsParts) {
  EXPECT_EQ(columns_with({}).bytes(), rows * 11);
  EXPECT_EQ(columns_with({.clicks = false}).bytes(), rows * 10);
  EXPECT_EQ(columns_with({.labels = true, .propensities = true, .features = 2}).bytes(),
            rows * (11 + 1 + 4 + 8));
  EXPECT_EQ(columns_with({.counts = true, .signals = per_signal(true, true, false)}).bytes(),
            rows * (11 + 8 + 4));
  EXPECT_EQ(columns_with({.words = true}).bytes(), rows * (11 + 8) + rows / 4 * 6 * 5);
}

}  // namespace
}  // namespace ultr::table_row_columns_test
