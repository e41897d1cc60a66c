#include "data/log/id_names.h"

#include <set>

#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::id_names_test {
namespace {

TEST(IdNamesTest, WholeNumbersAreTheirOwnIds) {
  IdNames names;
  EXPECT_EQ(names.add("0"), 0u);
  EXPECT_EQ(names.add("17"), 17u);
  EXPECT_EQ(names.add("18446744073709551615"), 18446744073709551615u);
  EXPECT_TRUE(names.empty()) << "numbers need no names";
  EXPECT_EQ(names.text(17), "17");
}

TEST(IdNamesTest, OtherTextsHaveIdsOfTheirOwn) {
  IdNames names;
  std::set<std::uint64_t> ids;
  const std::vector<std::string> texts = {"",
                                          "007",
                                          "-1",
                                          "+1",
                                          " 1",
                                          "1 ",
                                          "1.0",
                                          "a",
                                          "b",
                                          "ab",
                                          "\n",
                                          "\\n",
                                          "\\",
                                          "\r",
                                          "ä",
                                          "日本",
                                          "18446744073709551616",
                                          std::string("a\0b", 3)};
  for (const std::string& text : texts) {
    const std::uint64_t id = names.add(text);
    EXPECT_TRUE(ids.insert(id).second) << text;
    EXPECT_GE(id, std::uint64_t{1} << 63) << text;
    EXPECT_EQ(id, IdNames::id_of(text)) << text;
    EXPECT_EQ(names.text(id), text);
    EXPECT_EQ(names.add(text), id) << "again";
  }
  EXPECT_EQ(names.size(), texts.size());
  EXPECT_EQ(IdNames::id_of(""), 0xad06800538d394c2u) << "XXH3 of no text, and the highest bit";
}

TEST(IdNamesTest, ManyNamesAreFound) {
  IdNames names;
  for (int i = 0; i < 10000; ++i) names.add("name " + std::to_string(i));
  EXPECT_EQ(names.size(), 10000u);
  for (int i = 0; i < 10000; ++i) {
    const std::string text = "name " + std::to_string(i);
    EXPECT_EQ(names.text(IdNames::id_of(text)), text);
  }
}

TEST(IdNamesTest, SavedNamesAreReadBack) {
  const testing::TemporaryFolder folder;
  IdNames names;
  IdNames().save(folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "no names, no file";
  EXPECT_TRUE(IdNames::load(folder.path()).empty());
  const std::vector<std::string> texts = {"red shoes", "two\nlines", "\\n", "a\r", "\\", ""};
  for (const std::string& text : texts) names.add(text);
  names.save(folder.path());
  const IdNames read = IdNames::load(folder.path());
  EXPECT_EQ(read.size(), texts.size());
  for (const std::string& text : texts) EXPECT_EQ(read.text(IdNames::id_of(text)), text);
  IdNames both;
  both.add("more");
  both.add(read);
  EXPECT_EQ(both.size(), texts.size() + 1);
}

TEST(IdNamesTest, AFileThatCannotBeReadIsAnError) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / IdNames::file_name);
  EXPECT_NE(testing::data_message([&] { IdNames::load(folder.path()); }).find("cannot be read"),
            std::string::npos);
}

TEST(IdNamesTest, ATruncatedFileIsAnError) {
  const testing::TemporaryFolder folder;
  IdNames names;
  for (const char* text : {"red shoes", "hat"}) names.add(text);
  names.save(folder.path());
  const std::filesystem::path file = folder.path() / IdNames::file_name;
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_EQ(
      testing::data_message([&] { IdNames::load(folder.path()); }),
      file.string() + ": is truncated: the last of 2 lines does not end; expected the whole file");
}

}  // namespace
}  // namespace ultr::id_names_test
