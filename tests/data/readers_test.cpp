#include "data/readers.h"

#include <set>

#include <gtest/gtest.h>

#include "data/data_message.h"
#include "data/read_lists.h"
#include "testing/temporary_folder.h"

namespace ultr {
namespace {

const LogReader& reader(const std::string& name) {
  for (const ReaderType& type : reader_types())
    if (type.name == name) return type.read;
  throw std::runtime_error("no reader " + name);
}

TEST(ReaderTypesTest, NamesReadTheirFormat) {
  const testing::TemporaryFolder folder;
  const auto tiangong = folder.write("tiangong", "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n");
  const auto yandex = folder.write("yandex", "1\t0\tQ\t7\t2\t5\t6\n1\t1\tC\t6\n");
  for (const auto& lists : {testing::read_lists(reader("tiangong"), tiangong).lists,
                            testing::read_lists(reader("yandex"), yandex).lists}) {
    ASSERT_EQ(lists.size(), 1u);
    EXPECT_EQ(lists[0].query, 7u);
    EXPECT_EQ(lists[0].documents, (std::vector<std::uint64_t>{5, 6}));
    EXPECT_EQ(lists[0].clicks, (std::vector<std::uint8_t>{0, 1}));
  }
}

TEST(ReaderTypesTest, AllRefuseFilesThatHaveNoList) {
  const testing::TemporaryFolder folder;
  const auto empty = folder.write("empty", ""), missing = folder.path() / "missing";
  const std::string zeros(1000, '\0');
  const auto binary = folder.write("binary", zeros + "\n\xff\xfe\n");
  std::set<std::string> names;
  for (const ReaderType& type : reader_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_TRUE(type.help.ends_with('.')) << type.name;
    for (const auto& file : {empty, missing, folder.path(), binary})
      for (const bool skip : {false, true}) {
        const std::string message = testing::data_message(
            [&] { testing::read_lists(type.read, file, {.skip_malformed = skip}); });
        EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
        EXPECT_NE(message.find("expected"), std::string::npos) << message;
        EXPECT_LT(message.size(), 500u) << message;
      }
  }
}

}  // namespace
}  // namespace ultr
