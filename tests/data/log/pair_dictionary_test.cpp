#include "data/log/pair_dictionary.h"

#include <array>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files/npy.h"
#include "base/random.h"
#include "data/log/list_ids.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::pair_dictionary_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using testing::TemporaryFolder;
using Ids = std::vector<std::uint64_t>;

constexpr std::uint64_t largest = ~std::uint64_t{0};

TEST(PairDictionaryTest, NumbersPairsInTheOrderInWhichTheyAreAdded) {
  PairDictionary dictionary;
  EXPECT_EQ(dictionary.rows(), 1) << "the unknown row";
  EXPECT_EQ(dictionary.add(7, 5), 1u);
  EXPECT_EQ(dictionary.add(7, 6), 2u);
  EXPECT_EQ(dictionary.add(8, 5), 3u) << "another query makes another pair";
  EXPECT_EQ(dictionary.add(5, 7), 4u);
  EXPECT_EQ(dictionary.add(7, 6), 2u) << "again";
  EXPECT_EQ(dictionary.rows(), 5);
  EXPECT_THAT(dictionary.queries(), ElementsAre(0, 7, 7, 8, 5));
  EXPECT_THAT(dictionary.documents(), ElementsAre(0, 5, 6, 5, 7));
}

TEST(PairDictionaryTest, FindsPairsAndReturnsRow0ForUnknownOnes) {
  PairDictionary dictionary;
  EXPECT_EQ(dictionary.find(0, 0), PairDictionary::unknown);
  dictionary.add(7, 5);
  EXPECT_EQ(dictionary.find(7, 5), 1u);
  EXPECT_EQ(dictionary.find(5, 7), PairDictionary::unknown);
  EXPECT_EQ(dictionary.find(7, 6), PairDictionary::unknown);
  EXPECT_EQ(dictionary.find(8, 5), PairDictionary::unknown);
  EXPECT_EQ(dictionary.rows(), 2) << "finding adds nothing";
  EXPECT_EQ(dictionary.add(0, 0), 2u) << "ids of 0 are ids like others";
  EXPECT_EQ(dictionary.add(largest, largest), 3u);
  EXPECT_EQ(dictionary.find(largest, largest), 3u);
}

TEST(PairDictionaryTest, TakesListsAsOneDocumentAfterTheOther) {
  for (const bool hashed : {false, true}) {
    PairDictionary lists, one_by_one;
    if (hashed) {
      lists = PairDictionary::hashed(20);
      one_by_one = PairDictionary::hashed(20);
    }
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Ids documents = {i, i / 2, i, 7, 100 - i};
      std::vector<std::uint32_t> rows(documents.size()), expected;
      lists.add(i % 3, documents, rows);
      for (const std::uint64_t document : documents)
        expected.push_back(one_by_one.add(i % 3, document));
      EXPECT_EQ(rows, expected);
      const PairDictionary& known = lists;
      known.find(i % 3, Ids{i, 5000, 7}, std::span(rows).first(3));
      EXPECT_EQ(rows[0], expected[0]);
      EXPECT_EQ(rows[1], one_by_one.find(i % 3, 5000));
      EXPECT_EQ(rows[2], expected[3]);
    }
    EXPECT_EQ(lists.rows(), one_by_one.rows());
    EXPECT_EQ(lists.id(), one_by_one.id());
  }
}

TEST(PairDictionaryTest, TakesSeveralListsAsOneAfterTheOther) {
  for (const bool hashed : {false, true}) {
    PairDictionary together, by_list;
    if (hashed)
      for (PairDictionary* dictionary : {&together, &by_list})
        *dictionary = PairDictionary::hashed(20);
    ListIds lists, others;
    std::vector<std::uint32_t> rows, expected, of_list(3);
    for (std::uint64_t i = 0; i < 50; ++i) {
      lists.add(i % 3, Ids{i / 2, 7, i});
      by_list.add(i % 3, Ids{i / 2, 7, i}, of_list);
      expected.insert(expected.end(), of_list.begin(), of_list.end());
    }
    together.add(lists, rows);
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(together.id(), by_list.id());
    for (std::uint64_t i = 40; i < 60; ++i) {
      others.add(i % 3, Ids{i / 2, i, 8});
      by_list.find(i % 3, Ids{i / 2, i, 8}, of_list);
      expected.insert(expected.end(), of_list.begin(), of_list.end());
    }
    together.find(others, rows);
    EXPECT_EQ(rows, expected) << "appended to those before";
    EXPECT_EQ(together.id(), by_list.id());
  }
}

TEST(PairDictionaryTest, DistinguishesPairsWithEqualHashes) {
  PairDictionary dictionary;
  // Both pairs have the same query * factor + document, from which the hash is mixed.
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  EXPECT_EQ(dictionary.add(1, 0), 1u);
  EXPECT_EQ(dictionary.find(0, factor), PairDictionary::unknown);
  EXPECT_EQ(dictionary.add(0, factor), 2u);
  EXPECT_EQ(dictionary.find(1, 0), 1u);
}

TEST(PairDictionaryTest, AgreesWithAMap) {
  PairDictionary dictionary;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> map;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    RandomStream random(1, RandomPurpose::testing, 0, i);
    const std::uint64_t query = random.below(100), document = random.below(100);
    const auto row = map.try_emplace({query, document}, map.size() + 1).first->second;
    ASSERT_EQ(dictionary.add(query, document), row);
  }
  EXPECT_EQ(dictionary.rows(), static_cast<std::int64_t>(map.size()) + 1);
  for (std::uint64_t query = 0; query < 100; ++query)
    for (std::uint64_t document = 0; document < 100; ++document) {
      const auto found = map.find({query, document});
      EXPECT_EQ(dictionary.find(query, document),
                found == map.end() ? PairDictionary::unknown : found->second);
    }
}

TEST(PairDictionaryTest, LoadsSavedFiles) {
  const TemporaryFolder folder;
  PairDictionary dictionary;
  dictionary.save(folder.path());
  EXPECT_EQ(PairDictionary::load(folder.path()).rows(), 1) << "without any pair";
  dictionary.add(7, 5);
  dictionary.add(0, 0);
  dictionary.add(largest, 1);
  dictionary.save(folder.path());
  EXPECT_EQ(folder.size(), 2u);
  EXPECT_THAT(read_npy<std::uint64_t>(folder.path() / "dictionary.query.npy"),
              ElementsAre(0, 7, 0, largest));
  EXPECT_THAT(read_npy<std::uint64_t>(folder.path() / "dictionary.document.npy"),
              ElementsAre(0, 5, 0, 1));

  PairDictionary loaded = PairDictionary::load(folder.path());
  EXPECT_EQ(loaded.queries(), dictionary.queries());
  EXPECT_EQ(loaded.documents(), dictionary.documents());
  EXPECT_EQ(loaded.find(largest, 1), 3u);
  EXPECT_EQ(loaded.find(1, largest), PairDictionary::unknown);
  EXPECT_EQ(loaded.add(9, 9), 4u);
}

TEST(PairDictionaryTest, RejectsDamagedFiles) {
  const TemporaryFolder folder;
  const auto queries = folder.path() / "dictionary.query.npy";
  const auto documents = folder.path() / "dictionary.document.npy";
  const auto message = [&] { return data_message([&] { PairDictionary::load(folder.path()); }); };
  EXPECT_EQ(message(), folder.path().string() +
                           ": has no dictionary; expected dictionary.query.npy and "
                           "dictionary.document.npy, or dictionary.hash.npy");
  write_npy(queries, Ids{0, 7, 7});
  EXPECT_EQ(message(), documents.string() + ": cannot be read; expected a .npy file");
  write_npy(documents, Ids{0, 5});
  EXPECT_EQ(message(), folder.path().string() +
                           ": the dictionary has 3 queries and 2 documents; expected "
                           "equally many, at least 1");
  write_npy(documents, Ids{0, 5, 5});
  EXPECT_EQ(message(), folder.path().string() + ": row 2 of the dictionary repeats a pair");
  write_npy(documents, std::vector<std::uint32_t>{0, 5, 6});
  EXPECT_EQ(message(),
            documents.string() + ": has elements of type '<u4'; expected a .npy file of <u8");
  write_npy(queries, Ids{});
  write_npy(documents, Ids{});
  EXPECT_EQ(message(), folder.path().string() +
                           ": the dictionary has 0 queries and 0 documents; expected "
                           "equally many, at least 1");
}

TEST(PairDictionaryTest, ReportsThatItCannotBeSaved) {
  const TemporaryFolder folder;
  EXPECT_EQ(data_message([&] { PairDictionary().save(folder.path() / "missing"); }),
            (folder.path() / "missing" / "dictionary.query.npy").string() +
                ": cannot be written (No such file or directory)");
}

TEST(PairDictionaryTest, MapsSavedDictionaries) {
  const TemporaryFolder folder, copy;
  PairDictionary dictionary;
  for (std::uint64_t i = 0; i < 100; ++i) dictionary.add(i % 7, i);
  dictionary.save(folder.path());
  PairDictionary mapped = PairDictionary::map(folder.path());
  EXPECT_EQ(mapped.rows(), dictionary.rows());
  EXPECT_EQ(mapped.id(), dictionary.id());
  EXPECT_EQ(mapped.queries(), dictionary.queries());
  EXPECT_EQ(mapped.documents(), dictionary.documents());
  EXPECT_THROW(mapped.find(0, 0), Error) << "without an index";
  mapped.save(copy.path());
  EXPECT_EQ(PairDictionary::load(copy.path()).documents(), dictionary.documents());
  mapped.index();
  EXPECT_EQ(mapped.find(3, 10), dictionary.find(3, 10));
  EXPECT_EQ(mapped.add(3, 10), dictionary.find(3, 10));
  EXPECT_EQ(mapped.id(), dictionary.id());
  EXPECT_EQ(PairDictionary::map(folder.path()).add(8, 8), 101u) << "adding indexes";
}

TEST(PairDictionaryTest, IdsTellDictionariesApart) {
  std::set<std::uint64_t> ids;
  const auto add = [&](const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) {
    PairDictionary dictionary;
    for (const auto& [query, document] : pairs) dictionary.add(query, document);
    EXPECT_TRUE(ids.insert(dictionary.id()).second);
  };
  add({});
  add({{0, 0}});
  add({{1, 2}});
  add({{2, 1}});
  add({{1, 2}, {2, 1}});
  add({{2, 1}, {1, 2}});
  EXPECT_TRUE(ids.insert(PairDictionary::hashed(2).id()).second);
  EXPECT_TRUE(ids.insert(PairDictionary::hashed(3).id()).second);
}

TEST(PairDictionaryTest, AMappedDictionaryTakesItsIdFromItsFile) {
  const TemporaryFolder folder;
  PairDictionary().save(folder.path());
  write_npy(folder.path() / dictionary_id_file, Ids{42});
  EXPECT_EQ(PairDictionary::map(folder.path()).id(), 42u);
  EXPECT_EQ(read_dictionary_id(folder.path()), 42u);
  write_npy(folder.path() / dictionary_id_file, Ids{1, 2});
  EXPECT_EQ(data_message([&] { PairDictionary::map(folder.path()); }),
            (folder.path() / dictionary_id_file).string() +
                ": 2 entries; expected one, the dictionary's id");
}

TEST(PairDictionaryTest, HashedRowsAreFixedAndSpreadEvenly) {
  PairDictionary dictionary = PairDictionary::hashed(11);
  EXPECT_EQ(dictionary.rows(), 11);
  EXPECT_TRUE(dictionary.is_hashed());
  std::array<int, 11> hits{};
  for (std::uint64_t query = 0; query < 100; ++query)
    for (std::uint64_t document = 0; document < 100; ++document) {
      const std::uint32_t row = dictionary.add(query, document);
      ASSERT_LT(row, 11u);
      EXPECT_EQ(row, dictionary.find(query, document));
      ++hits[row];
    }
  EXPECT_EQ(hits[PairDictionary::unknown], 0) << "no pair is unknown";
  // 10,000 pairs over 10 rows: the standard deviation of a count is 30.
  for (std::size_t row = 1; row < hits.size(); ++row) EXPECT_NEAR(hits[row], 1000, 5 * 30);
  EXPECT_EQ(dictionary.rows(), 11) << "adding adds none";
  EXPECT_EQ(PairDictionary::hashed(2).find(5, 6), 1u);
  EXPECT_EQ(data_message([&] { dictionary.queries(); }),
            "the dictionary is hashed; expected one that stores its pairs");
  EXPECT_EQ(data_message([&] { dictionary.documents(); }),
            "the dictionary is hashed; expected one that stores its pairs");
}

TEST(PairDictionaryTest, HashedDictionariesAreSavedAsTheirSize) {
  const TemporaryFolder folder;
  const PairDictionary dictionary = PairDictionary::hashed(std::int64_t{1} << 32);
  dictionary.save(folder.path());
  EXPECT_EQ(folder.size(), 1u);
  const PairDictionary loaded = PairDictionary::load(folder.path());
  EXPECT_TRUE(loaded.is_hashed());
  EXPECT_EQ(loaded.rows(), std::int64_t{1} << 32);
  EXPECT_EQ(loaded.find(3, 4), dictionary.find(3, 4));
  EXPECT_EQ(loaded.id(), dictionary.id());
  const auto file = folder.path() / PairDictionary::hash_file;
  for (const Ids& wrong : {Ids{1}, Ids{(std::uint64_t{1} << 32) + 1}, Ids{}, Ids{5, 6}}) {
    write_npy(file, wrong);
    EXPECT_EQ(data_message([&] { PairDictionary::load(folder.path()); }),
              file.string() + ": holds " +
                  (wrong.size() == 1 ? std::to_string(wrong[0])
                                     : std::to_string(wrong.size()) + " numbers") +
                  "; expected the number of rows, 2 to 4294967296");
  }
  for (const std::int64_t rows : {std::int64_t{-1}, std::int64_t{1}, (std::int64_t{1} << 32) + 1})
    EXPECT_EQ(data_message([&] { PairDictionary::hashed(rows); }),
              "a dictionary of " + std::to_string(rows) + " hashed rows; expected 2 to 4294967296");
}

TEST(WriteDictionaryTest, WritesADictionaryThatCanBeLoaded) {
  for (const std::uint64_t rows : {1u, 2u, 200'000u}) {  // in one block and in several
    const TemporaryFolder folder;
    const std::uint64_t id = write_dictionary(
        folder.path(), rows, [](std::uint64_t row) { return row % 5; },
        [](std::uint64_t row) { return 2 * row; });
    PairDictionary expected;
    for (std::uint64_t row = 1; row < rows; ++row) expected.add(row % 5, 2 * row);
    const PairDictionary written = PairDictionary::load(folder.path());
    EXPECT_EQ(written.queries(), expected.queries());
    EXPECT_EQ(written.documents(), expected.documents());
    EXPECT_EQ(id, expected.id());
    EXPECT_EQ(read_dictionary_id(folder.path()), id);
  }
}

TEST(PairDictionaryTest, TabulatesAMappedDictionaryAndChecksNowAndThen) {
  constexpr std::uint64_t rows = 2'200'000;  // memory is released after each 2^20
  const TemporaryFolder folder;
  write_dictionary(
      folder.path(), rows, [](std::uint64_t row) { return row / 300; },
      [](std::uint64_t row) { return row; });
  int checks = 0;
  const PairTable table = PairDictionary::map(folder.path()).table([&] { ++checks; });
  EXPECT_EQ(checks, 3);
  for (const std::uint64_t row : {1ul, 300ul, 1'500'000ul, rows - 1}) {
    std::uint32_t found = 0;
    table.find(row / 300, {&row, 1}, {&found, 1});
    EXPECT_EQ(found, row);
  }
  EXPECT_THROW(PairDictionary::map(folder.path()).table([] { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(PairDictionaryTest, BeginsWithADictionaryOfItsFirstPairs) {
  PairDictionary few, more, other;
  for (const std::uint64_t document : {3u, 1u}) {
    few.add(5, document);
    more.add(5, document);
    other.add(5, document + 1);
  }
  EXPECT_TRUE(more.begins_with(few) && few.begins_with(more));
  more.add(6, 3);
  other.add(6, 3);
  EXPECT_TRUE(more.begins_with(few));
  EXPECT_FALSE(few.begins_with(more));
  EXPECT_FALSE(other.begins_with(few));
  EXPECT_FALSE(more.begins_with(PairDictionary::hashed(2)));
  EXPECT_TRUE(PairDictionary::hashed(2).begins_with(PairDictionary::hashed(2)));
}

}  // namespace
}  // namespace ultr::pair_dictionary_test
