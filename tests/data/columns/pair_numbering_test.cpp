#include "data/columns/pair_numbering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::pair_numbering_test {
namespace {

using testing::TemporaryFolder;
using Ids = std::vector<std::uint64_t>;

struct List {
  std::uint64_t query;
  Ids documents;
};

/// Returns random lists of 0 to 9 documents; with more `documents`, fewer pairs repeat.
std::vector<List> random_lists(std::size_t lists, std::uint64_t queries, std::uint64_t documents) {
  std::vector<List> all(lists);
  for (std::size_t i = 0; i < lists; ++i) {
    RandomStream random(4, RandomPurpose::testing, 0, i);
    all[i].query = random.below(queries);
    all[i].documents.resize(random.below(10));
    for (std::uint64_t& document : all[i].documents) document = random.below(documents);
  }
  return all;
}

ListIds ids_of(std::span<const List> lists) {
  ListIds ids;
  for (const auto& [query, documents] : lists) ids.add(query, documents);
  return ids;
}

/// Expects that numbering lists with so much memory gives the rows and files of a PairDictionary.
void expect_like_dictionary(const std::vector<List>& lists, std::size_t memory) {
  SCOPED_TRACE(memory);
  const TemporaryFolder folder;
  PairNumbering numbering(folder.path(), memory);
  PairDictionary dictionary;
  std::vector<std::uint32_t> rows;
  for (const auto& [query, documents] : lists)
    for (const std::uint64_t document : documents) rows.push_back(dictionary.add(query, document));
  for (std::size_t i = 0; i < lists.size(); i += 30)
    numbering.add(ids_of(std::span(lists).subspan(i, std::min<std::size_t>(30, lists.size() - i))));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "pairs.npy"));
  int checks = 0;
  numbering.finish([&] { ++checks; });
  EXPECT_EQ(checks > 0, std::max(memory / 32, std::size_t{12}) < numbering.pairs())
      << "only what is on the disk takes time";
  EXPECT_EQ(read_npy<std::uint32_t>(folder.path() / "pairs.npy"), rows);
  EXPECT_EQ(read_npy<std::uint64_t>(folder.path() / "dictionary.query.npy"), dictionary.queries());
  EXPECT_EQ(read_npy<std::uint64_t>(folder.path() / "dictionary.document.npy"),
            dictionary.documents());
  EXPECT_EQ(numbering.pairs() + 1, static_cast<std::uint64_t>(dictionary.rows()));
  EXPECT_EQ(read_dictionary_id(folder.path()), dictionary.id());
  EXPECT_EQ(folder.size(), 4u) << "no temporary file is left";
}

TEST(PairNumberingTest, NumbersPairsLikeADictionaryInAnyMemory) {
  // Lists of 1, 12 or 600 different pairs; a table of 12 pairs needs parts of parts.
  for (const auto& [queries, documents] :
       {std::pair<std::uint64_t, std::uint64_t>(1, 1), {3, 4}, {20, 30}})
    for (const std::size_t memory : {1, 2000, 50'000, 10'000'000})
      expect_like_dictionary(random_lists(1000, queries, documents), memory);
  // 18,000 pairs that hardly ever repeat.
  expect_like_dictionary(random_lists(4000, 1 << 20, 1 << 30), 50'000);
}

TEST(PairNumberingTest, NumbersNothing) {
  expect_like_dictionary({}, 1000);
  expect_like_dictionary({{7, {}}}, 1000);
}

TEST(PairNumberingTest, KeepsTheDictionaryAndItsId) {
  const TemporaryFolder folder;
  PairNumbering column(folder.path(), 1'000'000);
  column.add(ids_of(std::vector<List>{{7, {5, 6}}, {8, {5}}}));
  column.add({});
  column.add(ids_of(std::vector<List>{{7, {6, 9}}}));
  column.finish({});
  EXPECT_TRUE(column.keeps_ids());
  EXPECT_EQ(column.summary(), "4 pairs");
  EXPECT_EQ(column.documents(), 2u + 1 + 2);
  EXPECT_THAT(read_npy<std::uint32_t>(folder.path() / pairs_file),
              ::testing::ElementsAre(1, 2, 3, 2, 4));
  const PairDictionary dictionary = PairDictionary::load(folder.path());
  EXPECT_THAT(dictionary.queries(), ::testing::ElementsAre(0, 7, 7, 8, 7));
  EXPECT_THAT(dictionary.documents(), ::testing::ElementsAre(0, 5, 6, 5, 9));
  EXPECT_EQ(read_dictionary_id(folder.path()), dictionary.id());
}

TEST(PairNumberingTest, LeavesNothingBehindUnlessFinished) {
  const TemporaryFolder folder;
  const auto lists = random_lists(2000, 100, 1000);
  {
    PairNumbering numbering(folder.path(), 1000);
    numbering.add(ids_of(lists));
    EXPECT_GT(folder.size(), 0u);
  }
  EXPECT_EQ(folder.size(), 0u);
  {
    PairNumbering numbering(folder.path(), 1000);
    numbering.add(ids_of(lists));
    EXPECT_THROW(numbering.finish([] { throw std::bad_alloc(); }), std::bad_alloc);
  }
  EXPECT_EQ(folder.size(), 0u);
}

TEST(PairNumberingTest, SaysThatFilesCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(testing::data_message([&] { PairNumbering(folder.path() / "missing", 1000); }),
            (folder.path() / "missing" / "pairs.npy").string() +
                ": cannot be written (No such file or directory)");
}

}  // namespace
}  // namespace ultr::pair_numbering_test
