#include "options/type_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/every_field.h"

namespace ultr::type_tables_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const std::vector<OptionType>& types) {
  std::vector<std::string> all;
  for (const OptionType& type : types) all.push_back(type.name);
  return all;
}

/// Options that make their table of types anew.
struct Picture final : Options {
  std::vector<OptionType> types = {option_type<testing::Drawing>("drawing", "Help of drawing."),
                                   option_type<Picture>("picture", "A picture in a picture.")};
  void fields(Fields& f) override {
    std::vector<Choice> parts;
    f.choices("parts", parts, types, "Help of parts.");
  }
};

struct Gallery final : Options {
  Picture picture;
  testing::EveryField every;
  void fields(Fields& f) override {
    f.section("picture", picture, "Help of picture.");
    every.fields(f);
  }
};

TEST(TypeTablesTest, HasEveryTableOnceHoweverDeep) {
  Gallery gallery;
  const std::vector<TypeTable> tables = type_tables(gallery);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].option, "picture.parts");
  EXPECT_EQ(tables[0].key, "type");
  EXPECT_EQ(tables[0].help, "Help of parts.");
  EXPECT_THAT(names(tables[0].types), ElementsAre("drawing", "picture"));
  EXPECT_EQ(tables[1].option, "picture.parts.shape");  // an inline choice of a type
  EXPECT_EQ(tables[1].key, "shape");
  EXPECT_THAT(names(tables[1].types), ElementsAre("point", "circle"));
}

TEST(TypeTablesTest, OptionsWithoutChoicesHaveNone) {
  testing::InnerOptions options;
  EXPECT_TRUE(type_tables(options).empty());
}

}  // namespace
}  // namespace ultr::type_tables_test
