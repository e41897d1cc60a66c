#include "dsl/model_options.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "options/config_tree.h"
#include "options/write.h"

namespace ultr::model_options_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

const ModelType& type_called(const std::string& name) {
  for (const ModelType& type : model_types())
    if (type.name == name) return type;
  throw std::runtime_error("no model called " + name);
}

std::vector<std::string> names_of(const TrainableModel& model) {
  std::vector<std::string> names;
  for (const Parameter* parameter : model.parameters()) names.push_back(parameter->name());
  return names;
}

TEST(ModelOptionsTest, AParameterIsALayerThatFitsItsDomain) {
  ModelOptions options(type_called("dbn"), testing::registry().models());
  const TrainableModel model = options.build({.rows = 30, .positions = 5});
  EXPECT_EQ(model.type(), "dbn");
  EXPECT_THAT(names_of(model),
              ElementsAre("attraction.baseline", "attraction", "satisfaction.baseline",
                          "satisfaction", "continuation"));
  ASSERT_EQ(model.layers().size(), 3u);
  EXPECT_EQ(model.layers()[1].name, "satisfaction");
  EXPECT_EQ(model.layers()[1].domain, Domain::document);
  EXPECT_EQ(model.layers()[1].effect, ClickEffect::lowers);
  EXPECT_EQ(model.layers()[2].domain, Domain::global);
  EXPECT_EQ(model.layers()[2].effect, ClickEffect::raises);
  EXPECT_EQ(model.setting().rows, 30);
}

TEST(ModelOptionsTest, TablesHaveAnEntryForEachOfTheirDomain) {
  const TrainableModel model =
      testing::build_model(model_type<UserBrowsingModel>("ubm", ""), {.rows = 30, .positions = 5});
  EXPECT_EQ(testing::parameter_called(model, "attraction").rows(), 30);
  EXPECT_EQ(testing::parameter_called(model, "examination").rows(), 5 * (5 + 1));
  const TrainableModel pbm = testing::build_model("pbm", {.rows = 30, .positions = 5});
  EXPECT_EQ(testing::parameter_called(pbm, "examination").rows(), 5);
  const TrainableModel gctr = testing::build_model("gctr", {.rows = 30, .positions = 5});
  EXPECT_EQ(testing::parameter_called(gctr, "click").rows(), 1);
}

TEST(ModelOptionsTest, TheConfigurationChoosesLayersAndStarts) {
  ModelOptions options(type_called("pbm"), testing::registry().models());
  testing::configure(options,
                     "{examination: {type: embedding, baseline: false, spread: 0}, "
                     "attraction: {type: table, start: 0.25}}");
  const TrainableModel model = options.build({.rows = 30, .positions = 5});
  EXPECT_THAT(names_of(model), ElementsAre("examination", "attraction"));
  EXPECT_THAT(testing::parameter_called(model, "examination").values(), Each(0.0f));
  EXPECT_THAT(testing::parameter_called(model, "attraction").values(),
              Each(static_cast<float>(std::log(0.25 / 0.75))));
  EXPECT_FALSE(model.layers()[0].start_given);
  EXPECT_TRUE(model.layers()[1].start_given);
}

TEST(ModelOptionsTest, ParametersThatTheModelDoesNotHaveAreRefused) {
  ModelOptions options(type_called("gctr"), testing::registry().models());
  EXPECT_THAT([&] { testing::configure(options, "{clik: table}"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'click'?")));
  EXPECT_THAT([&] { testing::configure(options, "{click: tabel}"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'table'?")));
}

/// The values with which a model with every kind of option was constructed.
struct Chosen {
  bool boolean = false;
  std::string word, file;
  std::int64_t positions = 0;  // of the setting; 0 while options are described
};

class ChoosingModel final : public ExaminationModel {
 public:
  explicit ChoosingModel(ModelBuilder& build)
      : chosen_{.boolean = build.boolean("tall", true, "Whether it is tall."),
                .word = build.word("colour", "red", {"red", "green"}, "What it looks like."),
                .file = build.file("picture", "What it was drawn after."),
                .positions = build.setting() == nullptr ? 0 : build.setting()->positions},
        click_(build.parameter("click", Domain::global, "Probability of a click.")) {}
  Examination story(const Session& s) const override {
    return {.examination = s.always(), .attraction = click_(s)};
  }
  const Chosen& chosen() const { return chosen_; }

 private:
  Chosen chosen_;
  LogitParameter click_;
};

Chosen chosen_with(const std::string& yaml) {
  ModelOptions options(model_type<ChoosingModel>("choosing", ""), testing::registry().models());
  testing::configure(options, yaml);
  const TrainableModel model = options.build({.rows = 3, .positions = 4});
  return dynamic_cast<const ChoosingModel&>(model.story()).chosen();
}

TEST(ModelOptionsTest, ModelsMayChooseByWordsBooleansAndFiles) {
  const Chosen by_default = chosen_with("{}");
  EXPECT_TRUE(by_default.boolean);
  EXPECT_EQ(by_default.word, "red");
  EXPECT_EQ(by_default.file, "");
  EXPECT_EQ(by_default.positions, 4);
  const Chosen other = chosen_with("{tall: false, colour: green, picture: a/cat.png}");
  EXPECT_FALSE(other.boolean);
  EXPECT_EQ(other.word, "green");
  EXPECT_EQ(other.file, "a/cat.png");
  EXPECT_THAT([] { chosen_with("{colour: blue}"); },
              ThrowsMessage<ConfigError>(HasSubstr("red, green")));
  EXPECT_THAT([] { chosen_with("{tall: very}"); }, ThrowsMessage<ConfigError>(HasSubstr("tall")));
}

TEST(ModelOptionsTest, FilesBecomeTheirFullPaths) {
  ModelOptions options(model_type<ChoosingModel>("choosing", ""), testing::registry().models());
  std::vector<std::string> asked;
  const auto find = [&](const std::string& file) {
    asked.push_back(file);
    return "/found/" + file;
  };
  options.locate_files(find);
  EXPECT_THAT(asked, IsEmpty()) << "no file is given";
  testing::configure(options, "{picture: a/cat.png}");
  options.locate_files(find);
  EXPECT_THAT(asked, ElementsAre("a/cat.png"));
  const TrainableModel model = options.build({.rows = 3, .positions = 4});
  EXPECT_EQ(dynamic_cast<const ChoosingModel&>(model.story()).chosen().file, "/found/a/cat.png");
}

TEST(ModelOptionsTest, FilesOfComponentsAreFoundToo) {
  const std::vector<OptionType> types = {{"choosing", "", []() -> std::unique_ptr<Options> {
                                            return std::make_unique<ModelOptions>(
                                                model_type<ChoosingModel>("choosing", ""),
                                                testing::registry().models());
                                          }}};
  ModelOptions options({"mixture", "",
                        [](ModelBuilder& build) -> std::unique_ptr<ClickModel> {
                          return std::make_unique<MixtureModel>(
                              build, std::vector<std::string>{"choosing"});
                        }},
                       types);
  testing::configure(options,
                     "{components: [{type: choosing, picture: cat.png}, choosing, "
                     "{type: choosing, picture: dog.png}]}");
  std::vector<std::string> asked;
  options.locate_files([&](const std::string& file) {
    asked.push_back(file);
    return "/found/" + file;
  });
  EXPECT_THAT(asked, ElementsAre("cat.png", "dog.png"));
  const std::string written = write_options(options);
  EXPECT_THAT(written, HasSubstr("picture: /found/cat.png"));
  EXPECT_THAT(written, HasSubstr("picture: /found/dog.png"));
}

TEST(ModelOptionsTest, BuildsTheSameModelAgain) {
  ModelOptions options(type_called("pbm"), testing::registry().models());
  const auto start = [&](std::uint64_t seed) {
    const TrainableModel model = options.build({.rows = 30, .positions = 5, .seed = seed});
    return testing::parameter_called(model, "attraction").values();
  };
  EXPECT_EQ(start(1), start(1));
  EXPECT_NE(start(1), start(2));
}

TEST(ModelOptionsTest, ParametersOfAModelStartDifferently) {
  const TrainableModel model = testing::build_model("dbn", {.rows = 30, .positions = 5});
  EXPECT_NE(testing::parameter_called(model, "attraction").values(),
            testing::parameter_called(model, "satisfaction").values());
}

TEST(ModelOptionsTest, NamesTheParametersOfDocuments) {
  EXPECT_THAT(ModelOptions(type_called("dbn"), testing::registry().models()).document_parameters(),
              ElementsAre("attraction", "satisfaction"));
  EXPECT_THAT(ModelOptions(type_called("rctr"), testing::registry().models()).document_parameters(),
              IsEmpty());
}

class EveryModelOptionsTest : public ::testing::TestWithParam<ModelType> {};

TEST_P(EveryModelOptionsTest, RoundTripsThroughYaml) {
  ModelOptions options(GetParam(), testing::registry().models()),
      again(GetParam(), testing::registry().models());
  const std::string text = write_options(options);
  testing::configure(again, text);
  EXPECT_EQ(write_options(again), text);
}

TEST_P(EveryModelOptionsTest, HasHelpAndParametersWithNamesOfTheirOwn) {
  EXPECT_THAT(GetParam().help, Not(IsEmpty()));
  const TrainableModel model = testing::build_model(GetParam(), {.rows = 3, .positions = 2});
  const auto names = names_of(model);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(names, Not(IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelOptionsTest, ::testing::ValuesIn(model_types()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ultr::model_options_test
