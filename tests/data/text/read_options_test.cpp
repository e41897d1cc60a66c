#include "data/text/read_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/read.h"
#include "testing/errors.h"

namespace ultr::read_options_test {
namespace {

ReadRules rules_of(const std::string& text) {
  ReadOptions options;
  read_options(parse_config(text, "options"), options);
  return options.rules();
}

TEST(ReadOptionsTest, BecomeRules) {
  const ReadRules usual = rules_of("{}");
  EXPECT_EQ(usual.max_positions, 10u);
  EXPECT_FALSE(usual.truncate);
  EXPECT_FALSE(usual.skip_malformed);

  const ReadRules rules = rules_of("{max_positions: 1000, long_lists: truncate}");
  EXPECT_EQ(rules.max_positions, 1000u);
  EXPECT_TRUE(rules.truncate);
  EXPECT_FALSE(rules.skip_malformed);
  EXPECT_TRUE(rules_of("on_error: skip").skip_malformed);
}

TEST(ReadOptionsTest, RejectsUnknownWordsAndNumbersOutOfRange) {
  for (const char* text :
       {"max_positions: 0", "max_positions: 1001", "long_lists: cut", "on_error: ignore"})
    EXPECT_THAT(testing::config_message([&] { rules_of(text); }), ::testing::HasSubstr("expected"))
        << text;
}

}  // namespace
}  // namespace ultr::read_options_test
