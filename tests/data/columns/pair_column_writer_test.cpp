#include "data/columns/pair_column_writer.h"

#include <map>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "base/random.h"
#include "data/log/pair_dictionary.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::pair_column_writer_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using Ids = std::vector<std::uint64_t>;

std::vector<std::uint32_t> rows_in(const TemporaryFolder& folder) {
  return read_npy<std::uint32_t>(folder.path() / "pairs.npy");
}

TEST(PairColumnWriterTest, HashedPairsCountDocumentsThatCollide) {
  for (const std::int64_t rows : {2, 3, 50, 4000}) {
    const TemporaryFolder folder;
    const auto column = hashed_pairs(folder.path(), rows);
    const PairDictionary dictionary = PairDictionary::hashed(rows);
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> first;
    std::vector<std::uint32_t> expected;
    std::size_t collisions = 0;
    ListIds lists;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      RandomStream random(5, RandomPurpose::testing, 0, i);
      const std::uint64_t query = random.below(20);
      const Ids documents = {random.below(30), random.below(30)};
      lists.add(query, documents);
      for (const std::uint64_t document : documents) {
        const std::uint32_t row = dictionary.find(query, document);
        const std::pair pair(query, document);
        collisions += first.try_emplace(row, pair).first->second == pair ? 0 : 1;
        expected.push_back(row);
      }
    }
    column->add(lists);
    column->finish({});
    EXPECT_EQ(rows_in(folder), expected);
    EXPECT_EQ(column->summary(),
              fmt::format("{} rows, {} used; {:.3g}% of documents collide: "
                          "another pair used their row first",
                          rows, first.size(), 100 * static_cast<double>(collisions) / 2000));
    EXPECT_GT(collisions, 0u);
    EXPECT_EQ(column->documents(), expected.size());
    EXPECT_FALSE(column->keeps_ids());
    EXPECT_EQ(PairDictionary::load(folder.path()).rows(), rows);
    EXPECT_THAT(read_npy<std::uint64_t>(folder.path() / dictionary_id_file),
                ElementsAre(dictionary.id()));
  }
}

TEST(PairColumnWriterTest, KnownPairsHaveTheRowsOfTheirDictionary) {
  const TemporaryFolder made, folder;
  PairDictionary dictionary;
  for (std::uint64_t i = 0; i < 5000; ++i) dictionary.add(i % 70, i);
  dictionary.save(made.path());
  int checks = 0;
  const auto column = known_pairs(folder.path(), made.path(), [&] { ++checks; });
  EXPECT_EQ(checks, 1) << "5000 rows are read at once";
  ListIds lists;
  lists.add(3, Ids{3, 4, 73});
  lists.add(99, Ids{99});
  column->add(lists);
  column->finish({});
  EXPECT_THAT(rows_in(folder), ElementsAre(4, 0, 74, 0));
  EXPECT_EQ(column->documents(), 4u);
  EXPECT_EQ(column->summary(), "50% of documents are not in the dictionary");
  EXPECT_FALSE(column->keeps_ids());
  EXPECT_THAT(read_npy<std::uint64_t>(folder.path() / dictionary_id_file),
              ElementsAre(dictionary.id()));
  EXPECT_EQ(folder.size(), 2u) << "the dictionary stays where it is";
}

TEST(PairColumnWriterTest, KnownPairsOfHashesAreHashes) {
  const TemporaryFolder made, folder;
  const PairDictionary dictionary = PairDictionary::hashed(1000);
  dictionary.save(made.path());
  const auto column = known_pairs(folder.path(), made.path());
  ListIds lists;
  lists.add(3, Ids{3, 4});
  column->add(lists);
  column->finish({});
  EXPECT_THAT(rows_in(folder), ElementsAre(dictionary.find(3, 3), dictionary.find(3, 4)));
  EXPECT_EQ(column->summary(), "0% of documents are not in the dictionary");
  EXPECT_THAT(read_npy<std::uint64_t>(folder.path() / dictionary_id_file),
              ElementsAre(dictionary.id()));
}

TEST(PairColumnWriterTest, RejectsADictionaryThatIsBroken) {
  const TemporaryFolder made, folder;
  const auto message = [&] {
    return data_message([&] { known_pairs(folder.path(), made.path()); });
  };
  EXPECT_THAT(message(), StartsWith(made.path().string() + ": has no dictionary; "));
  write_npy(made.path() / "dictionary.query.npy", Ids{0, 7, 7});
  write_npy(made.path() / "dictionary.document.npy", Ids{0, 5, 5});
  EXPECT_EQ(message(), made.path().string() + ": row 2 of the dictionary repeats a pair");
  EXPECT_EQ(folder.size(), 0u);
}

}  // namespace
}  // namespace ultr::pair_column_writer_test
