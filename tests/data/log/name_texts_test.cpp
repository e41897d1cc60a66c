#include "data/log/name_texts.h"

#include <string>

#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::name_texts_test {
namespace {

std::string saved(const IdNames& names) {
  const testing::TemporaryFolder folder;
  names.save(folder.path());
  return testing::read_text(folder.path() / IdNames::file_name);
}

TEST(NameTextsTest, AddsTextsInTheirOrder) {
  IdNames direct, added;
  NameTexts texts;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = "name " + std::to_string(i * 7 % 170);
    direct.add(text);
    texts.add(IdNames::Key::of(text), text);
  }
  texts.add_to(added);
  EXPECT_EQ(added.size(), 170u);
  EXPECT_EQ(saved(added), saved(direct));
  NameTexts others;
  others.add(IdNames::Key::of("other"), "other");
  others.add(texts);
  others.add(NameTexts());
  IdNames with_other;
  others.add_to(with_other);
  EXPECT_EQ(saved(with_other), "other\n" + saved(direct));
  NameTexts().add_to(added);
  EXPECT_EQ(added.size(), 170u);
}

TEST(NameTextsTest, TextsWithTheSameIdAreRefused) {
  IdNames names;
  NameTexts texts;
  IdNames::Key key = IdNames::Key::of("red");
  texts.add(key, "red");
  key.check += std::uint64_t{1} << 32;
  texts.add(key, "blue");
  EXPECT_EQ(testing::data_message([&] { texts.add_to(names); }),
            "'blue' has the same 64-bit hash as 'red'; expected names without collisions: rename "
            "one of them");
}

TEST(RecentNamesTest, KnowsNamesUntilOthersTakeTheirPlace) {
  RecentNames recent;
  IdNames::Key key = IdNames::Key::of("red");
  EXPECT_FALSE(recent.has(key));
  EXPECT_TRUE(recent.has(key));
  IdNames::Key other = key;
  other.check += std::uint64_t{1} << 32;
  EXPECT_FALSE(recent.has(other)) << "a text with the same id";
  EXPECT_FALSE(recent.has(key)) << "its place is the other's";
  EXPECT_TRUE(recent.has(key));
  int known = 0;
  for (int i = 0; i < 1000; ++i) known += recent.has(IdNames::Key::of("name " + std::to_string(i)));
  EXPECT_EQ(known, 0);
}

}  // namespace
}  // namespace ultr::name_texts_test
