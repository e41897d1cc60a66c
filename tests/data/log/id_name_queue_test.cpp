#include "data/log/id_name_queue.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testing/temporary_folder.h"

namespace ultr::id_name_queue_test {
namespace {

TEST(IdNameQueueTest, KeepsTheNamesThatItsTargetWouldKeep) {
  IdNames direct, queued;
  IdNameQueue queue(queued);
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = i % 3 == 0 ? std::to_string(i) : "name " + std::to_string(i % 170);
    ids.push_back(direct.add(text));
    EXPECT_EQ(queue.add(text), ids.back());
  }
  queue.finish();
  ASSERT_EQ(queued.size(), direct.size());
  for (const std::uint64_t id : ids) EXPECT_EQ(queued.text(id), direct.text(id));
}

TEST(IdNameQueueTest, KeepsTheNamesInTheOrderOfAddition) {
  IdNames names;
  IdNameQueue queue(names);
  for (const std::string name : {"b", "a", "c", "a"}) queue.add(name);
  EXPECT_TRUE(names.empty());
  queue.finish();
  IdNames others;
  for (const std::string name : {"b", "a", "c"}) others.add(name);
  EXPECT_EQ(names.size(), 3u);
  const auto saved = [](const IdNames& some) {
    const testing::TemporaryFolder folder;
    some.save(folder.path());
    return testing::read_text(folder.path() / IdNames::file_name);
  };
  EXPECT_EQ(saved(names), saved(others));
}

}  // namespace
}  // namespace ultr::id_name_queue_test
