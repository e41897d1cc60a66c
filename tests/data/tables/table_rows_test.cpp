#include "data/tables/table_rows.h"

#include <gtest/gtest.h>

namespace ultr {
namespace {

TEST(TableRowsTest, LinesOfRowsAreKnownByTheirRuns) {
  for (const std::uint64_t first : {0, 2}) {
    const std::vector<std::uint64_t> lines{first, first + 1, first + 2,   7,
                                           9,     10,        10000000000, 10000000001};
    RowLines rows;
    for (const std::uint64_t line : lines) rows.append(line, 1);
    for (std::size_t row = 0; row < lines.size(); ++row)
      EXPECT_EQ(rows[row], static_cast<std::uint32_t>(lines[row])) << row;
    EXPECT_EQ(rows.bytes(), 4 * 8u);
  }
}

/// The lists that rows became: their documents, and the lines by which lists were rejected.
struct PassedOn {
  std::vector<std::vector<std::uint64_t>> documents;
  std::vector<std::uint64_t> rejected;
};

PassedOn pass_on(TableRows& rows) {
  PassedOn all;
  TableRows::Counts counts;
  rows.pass_on(
      0, {}, [&](const RawList& list) { all.documents.push_back(list.documents); },
      [&](std::uint64_t line, const DataError&) { all.rejected.push_back(line); }, counts);
  return all;
}

TEST(TableRowsTest, RowsOfListsMayAlternateAfterSomeThatDoNot) {
  TableRows rows({});
  const auto add = [&](std::uint64_t key, std::uint64_t document, std::uint16_t position) {
    rows.add(rows.list_of(key, 0), {.document = document, .position = position}, 2 + rows.rows());
  };
  for (std::uint64_t key = 0; key < 3; ++key)
    for (std::uint16_t k = 0; k < 2; ++k) add(key, 10 * key + k, k);
  const std::size_t grouped = rows.bytes();
  add(0, 2, 2);
  EXPECT_GT(rows.bytes(), grouped + 11);  // now the list of each row is kept, too
  add(2, 22, 2);
  add(1, 12, 2);
  add(1, 13, 2);  // on line 11, at a position that another row has
  const PassedOn all = pass_on(rows);
  EXPECT_EQ(all.documents, (std::vector<std::vector<std::uint64_t>>{{0, 1, 2}, {20, 21, 22}}));
  EXPECT_EQ(all.rejected, std::vector<std::uint64_t>{11});
}

}  // namespace
}  // namespace ultr
