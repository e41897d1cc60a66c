#include "data/pair_dictionary.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/random.h"
#include "data/npy.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr {
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

TEST(PairDictionaryTest, FindsPairsAndTellsUnknownOnes) {
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

TEST(PairDictionaryTest, TellsPairsOfOneHashApart) {
  PairDictionary dictionary;
  // The hash mixes query * factor + document.
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

TEST(PairDictionaryTest, LoadsWhatItSaved) {
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

TEST(PairDictionaryTest, RefusesFilesThatAreBroken) {
  const TemporaryFolder folder;
  const auto queries = folder.path() / "dictionary.query.npy";
  const auto documents = folder.path() / "dictionary.document.npy";
  const auto message = [&] { return data_message([&] { PairDictionary::load(folder.path()); }); };
  EXPECT_EQ(message(), queries.string() + ": cannot be read; expected a .npy file");
  write_npy(queries, Ids{0, 7, 7});
  EXPECT_EQ(message(), documents.string() + ": cannot be read; expected a .npy file");
  write_npy(documents, Ids{0, 5});
  EXPECT_EQ(message(), folder.path().string() +
                           ": the dictionary has 3 queries and 2 documents; expected as many, at "
                           "least 1");
  write_npy(documents, Ids{0, 5, 5});
  EXPECT_EQ(message(), folder.path().string() + ": row 2 of the dictionary repeats a pair");
  write_npy(documents, std::vector<std::uint32_t>{0, 5, 6});
  EXPECT_EQ(message(),
            documents.string() + ": has elements of type '<u4'; expected a .npy file of <u8");
  write_npy(queries, Ids{});
  write_npy(documents, Ids{});
  EXPECT_EQ(message(), folder.path().string() +
                           ": the dictionary has 0 queries and 0 documents; expected as many, at "
                           "least 1");
}

TEST(PairDictionaryTest, SaysThatItCannotBeSaved) {
  const TemporaryFolder folder;
  EXPECT_EQ(data_message([&] { PairDictionary().save(folder.path() / "missing"); }),
            (folder.path() / "missing" / "dictionary.query.npy").string() +
                ": cannot be written (No such file or directory)");
}

}  // namespace
}  // namespace ultr
