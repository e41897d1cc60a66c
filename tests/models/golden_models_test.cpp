#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "models/story_models.h"
#include "testing/golden.h"

namespace ultr {
namespace {

using nlohmann::json;

const ModelType& registered(const std::string& name) {
  return *std::find_if(model_types().begin(), model_types().end(),
                       [&](const ModelType& type) { return type.name == name; });
}

/// What golden files call a model and its parameters, and what we call them. A golden parameter of
/// several numbers may be as many parameters here.
struct GoldenModel {
  std::string golden;
  ModelType type;
  std::map<std::string, std::vector<std::string>> parameters;
};
const std::vector<GoldenModel>& golden_models() {
  static const std::vector<GoldenModel> models = {
      {"gctr", registered("gctr"), {{"rho", {"click"}}}},
      {"rctr", registered("rctr"), {{"theta", {"examination"}}}},
      {"dctr", registered("dctr"), {{"gamma", {"attraction"}}}},
      {"pbm", registered("pbm"), {{"theta", {"examination"}}, {"gamma", {"attraction"}}}},
      {"dbn",
       registered("dbn"),
       {{"gamma", {"attraction"}}, {"sigma", {"satisfaction"}}, {"lambda", {"continuation"}}}},
      {"ubm",
       model_type<testing::UserBrowsingModel>("ubm", ""),
       {{"theta", {"examination"}}, {"gamma", {"attraction"}}}},
      {"cm", model_type<testing::FirstClickModel>("cm", ""), {{"gamma", {"attraction"}}}},
      {"dcm",
       model_type<testing::DependentClickModel>("dcm", ""),
       {{"gamma", {"attraction"}}, {"lambda", {"continuation"}}}},
      {"ccm",
       model_type<testing::ClickChainModel>("ccm", ""),
       {{"gamma", {"attraction"}}, {"tau", {"after_skip", "after_irrelevant", "after_relevant"}}}},
  };
  return models;
}

/// A golden case: a model with its parameters set, and the rows of the list that was shown.
/// Row 0 of a table is the unknown pair, so document d has row d + 1.
class GoldenCase {
 public:
  GoldenCase(const GoldenModel& names, const json& golden)
      : names_(names),
        golden_(golden),
        model_(testing::build_model(names.type, {.rows = golden["n_docs"].get<std::int64_t>() + 1,
                                                 .positions = golden["K"].get<std::int64_t>()})) {
    for (Parameter* parameter : model_.parameters()) parameter->fill(0);
    for (const auto& [golden_name, ours] : names.parameters)
      for (const Entry& entry : entries(golden_name, golden["params"][golden_name]["logit"]))
        testing::parameter_called(model_, entry.parameter)
            .value(static_cast<std::int64_t>(entry.row)) = static_cast<float>(entry.number);
    for (const auto& document : golden["docs"]) rows_.push_back(document.get<unsigned>() + 1);
  }

  const TrainableModel& model() const { return model_; }
  std::size_t length() const { return rows_.size(); }
  SessionLog all_vectors() const { return testing::all_click_vectors(rows_); }
  std::string vector_name(std::size_t vector) const {
    std::string name;
    for (std::size_t k = 0; k < length(); ++k) name += (vector >> k & 1) != 0 ? '1' : '0';
    return name;
  }
  const json& golden() const { return golden_; }
  const GoldenModel& names() const { return names_; }

  struct Entry {
    std::string parameter;
    std::size_t row;
    double number;
  };
  /// Numbers of a golden parameter with the place they have here. UBM's are ragged: of rank k
  /// (0-based), one for each rank of the last click, 0 for none.
  std::vector<Entry> entries(const std::string& golden_name, const json& values) const {
    const std::vector<std::string>& ours = names_.parameters.at(golden_name);
    const std::size_t first = golden_name == "gamma" || golden_name == "sigma" ? 1 : 0;
    const auto width = golden_["K"].get<std::size_t>() + 1;
    std::vector<Entry> result;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (ours.size() > 1) {
        result.push_back({ours[k], 0, testing::golden_number(values[k])});
      } else if (!values[k].is_array()) {
        result.push_back({ours[0], k + first, testing::golden_number(values[k])});
      } else {
        for (std::size_t last = 0; last < values[k].size(); ++last)
          result.push_back({ours[0], k * width + last, testing::golden_number(values[k][last])});
      }
    }
    return result;
  }

 private:
  const GoldenModel& names_;
  const json& golden_;
  TrainableModel model_;
  std::vector<std::uint32_t> rows_;
};

void expect_near(double actual, double expected, double relative, double floor,
                 const std::string& where) {
  EXPECT_LE(std::abs(actual - expected), relative * std::abs(expected) + floor)
      << where << ": got " << actual << ", exact " << expected;
}

/// Log-likelihood and logit gradients of every click vector, one at a time.
void check_likelihood(const GoldenCase& c, double relative, double floor) {
  const SessionLog log = c.all_vectors();
  ClickPrograms programs(c.model(), ProgramKind::loss, Precision::float64);
  for (std::uint32_t vector = 0; vector < log.sessions(); ++vector) {
    const std::string name = c.vector_name(vector);
    const std::string where = c.golden()["name"].get<std::string>() + " " + name;
    Shard shard;
    shard.pack(log, std::array{vector});
    ClickProgram& program = programs.run(shard);
    program.backward(-1);
    const auto gradients = testing::gradients_of(c.model(), program);
    const double expected = testing::golden_number(c.golden()["log_likelihood"][name]);
    if (expected == -HUGE_VAL) {
      // An impossible click vector has no derivative; what training must not see is NaN.
      EXPECT_EQ(-program.loss(), expected) << where;
      for (const auto& [parameter, gradient] : gradients)
        EXPECT_THAT(gradient, ::testing::Each(0.0)) << where << " " << parameter;
      continue;
    }
    expect_near(-program.loss(), expected, relative, floor, where);
    for (const auto& [golden_name, ours] : c.names().parameters)
      for (const auto& [parameter, row, gradient] :
           c.entries(golden_name, c.golden()["grad_log_likelihood"][name][golden_name]))
        expect_near(gradients.at(parameter)[row], gradient, relative, floor,
                    where + " " + parameter);
  }
}

/// Conditional and unconditional click probabilities, all click vectors in one shard.
void check_predictions(const GoldenCase& c) {
  const SessionLog log = c.all_vectors();
  const Shard shard = testing::pack_all(log);
  ClickPrograms conditional(c.model(), ProgramKind::conditional, Precision::float64);
  ClickPrograms unconditional(c.model(), ProgramKind::unconditional, Precision::float64);
  const auto conditional_log = conditional.run(shard).log_p();
  const auto conditional_not = conditional.run(shard).log_complement();
  const auto unconditional_log = unconditional.run(shard).log_p();
  for (std::size_t j = 0; j < shard.sessions(); ++j) {
    const std::string name = c.vector_name(shard.order()[j]);
    const std::string where = c.golden()["name"].get<std::string>() + " " + name;
    for (std::size_t k = 0; k < c.length(); ++k) {
      const std::size_t at = shard.begin(k) + j;
      expect_near(std::exp(unconditional_log[at]), c.golden()["click_prob"][k].get<double>(), 1e-10,
                  0, where + " unconditional");
      const json& conditional_click = c.golden()["cond_click_prob"][name][k];
      if (conditional_click.is_null()) continue;  // the clicks above are impossible
      const auto expected = conditional_click.get<double>();
      expect_near(std::exp(conditional_log[at]), expected, 1e-10, 0, where + " conditional");
      expect_near(std::exp(conditional_not[at]), 1 - expected, 1e-10, 1e-15,
                  where + " conditional complement");
    }
  }
}

class ClickModelGoldenTest : public ::testing::TestWithParam<GoldenModel> {};

TEST_P(ClickModelGoldenTest, LikelihoodGradientsAndPredictionsMatch) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("click_models_" + GetParam().golden + ".json");
  std::size_t cases = 0;
  for (const json& g : golden["cases"]) {
    const GoldenCase c(GetParam(), g);
    check_likelihood(c, 1e-10, 1e-15);
    check_predictions(c);
    ++cases;
  }
  EXPECT_EQ(cases, 4u);
}

INSTANTIATE_TEST_SUITE_P(Models, ClickModelGoldenTest, ::testing::ValuesIn(golden_models()),
                         [](const auto& test) { return test.param.golden; });

TEST(ExtremeLogitsGoldenTest, LikelihoodsAndGradientsAreFiniteAndMatch) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("click_models_extreme.json");
  std::size_t cases = 0;
  for (const json& g : golden["cases"])
    for (const GoldenModel& names : golden_models())
      if (names.golden == g["model"]) {
        check_likelihood(GoldenCase(names, g), 1e-9, 1e-15);
        ++cases;
      }
  EXPECT_EQ(cases, golden["cases"].size());
}

}  // namespace
}  // namespace ultr
