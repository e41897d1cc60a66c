#include "analyses/analyses.h"

#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "options/write.h"

namespace ultr::analyses_test {
namespace {

TEST(AnalysesTest, EachIsATaskWhoseOptionsReadBackTheSame) {
  const Registry registry = built_in_registry();
  for (const OptionType& type : registry.analyses()) {
    const auto options = type.make(), again = type.make();
    ASSERT_NE(dynamic_cast<Task*>(options.get()), nullptr) << type.name;
    const std::string text = write_options(*options);
    read_options(parse_config(text, type.name), *again);
    EXPECT_EQ(write_options(*again), text) << type.name;
  }
}

}  // namespace
}  // namespace ultr::analyses_test
