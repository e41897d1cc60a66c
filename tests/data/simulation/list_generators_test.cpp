
#include <set>

#include <gtest/gtest.h>

#include "data/read_features.h"
#include "data/simulation/list_generator.h"
#include "data/simulation/simulated_relevance.h"
#include "testing/make_lists.h"

namespace ultr::list_generator_test {
namespace {

using testing::expect_equal;
using testing::make_lists;

/// Tests that run for every registered generator, by name.
class ListGeneratorsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ListGeneratorsTest, MakesJudgedListsForAllParts) {
  const ListGenerator::Parts parts = make_lists(GetParam());
  for (const FeatureLists* lists : {&parts.train, &parts.valid, &parts.test}) {
    EXPECT_GT(lists->lists(), 0u);
    EXPECT_EQ(lists->features(), parts.train.features());
    std::set<std::int32_t> labels(lists->columns().labels.begin(), lists->columns().labels.end());
    EXPECT_EQ(labels, (std::set<std::int32_t>{0, 1, 2, 3, largest_simulated_label}));
  }
}

TEST_P(ListGeneratorsTest, TheSeedDecides) {
  const auto first = make_lists(GetParam()), same = make_lists(GetParam(), "{seed: 1}"),
             other = make_lists(GetParam(), "{seed: 2}");
  expect_equal(first.train, same.train);
  expect_equal(first.valid, same.valid);
  expect_equal(first.test, same.test);
  EXPECT_NE(testing::values(first.train.columns().labels.values()),
            testing::values(other.train.columns().labels.values()));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const OptionType& type : list_generators()) all.push_back(type.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Generators, ListGeneratorsTest, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ultr::list_generator_test
