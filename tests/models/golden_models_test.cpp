#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "models/model_fixture.h"
#include "testing/golden.h"

namespace ultr::golden_models_test {
namespace {

using nlohmann::json;

/// The location of one number of a golden parameter in a model.
struct Entry {
  std::string parameter;
  std::int64_t row;
};

/// A model's name in golden files, and the locations of its parameters' numbers.
struct GoldenModel {
  std::string golden, type;
  /// Returns the entry of number i, given the number of ranks.
  std::map<std::string, std::function<Entry(std::int64_t i, std::int64_t ranks)>> parameters;
  std::string options = "{}";
};

auto plain(const std::string& name) {
  return [name](std::int64_t i, std::int64_t) { return Entry{name, i}; };
}
/// Locates document d at row d + 1, because row 0 of a table is the unknown pair.
auto of_document(const std::string& name) {
  return [name](std::int64_t i, std::int64_t) { return Entry{name, i + 1}; };
}
/// Locates entries of a ragged array: rank k has entries for last clicks at 0 (none) ... k-1.
Entry of_rank_pair(std::int64_t i, std::int64_t ranks) {
  std::int64_t rank = 0;
  while (i > rank) i -= ++rank;
  return {"examination", rank * (ranks + 1) + i};
}
Entry of_click_chain(std::int64_t i, std::int64_t) {
  const char* names[] = {"after_skip", "after_irrelevant", "after_relevant"};
  return {names[i], 0};
}

const std::vector<GoldenModel> golden_models = {
    {"gctr", "gctr", {{"rho", plain("click")}}},
    {"rctr", "rctr", {{"theta", plain("examination")}}},
    {"dctr", "dctr", {{"gamma", of_document("attraction")}}},
    {"pbm", "pbm", {{"theta", plain("examination")}, {"gamma", of_document("attraction")}}},
    {"additive",
     "two_tower",
     {{"theta", plain("examination")}, {"gamma", of_document("attraction")}}},
    {"ubm", "ubm", {{"theta", of_rank_pair}, {"gamma", of_document("attraction")}}},
    {"cm", "cm", {{"gamma", of_document("attraction")}}},
    {"dcm", "dcm", {{"gamma", of_document("attraction")}, {"lambda", plain("continuation")}}},
    {"ccm", "ccm", {{"gamma", of_document("attraction")}, {"tau", of_click_chain}}},
    {"dbn",
     "dbn",
     {{"gamma", of_document("attraction")},
      {"sigma", of_document("satisfaction")},
      {"lambda", plain("continuation")}}},
    {"sdbn",
     "sdbn",
     {{"gamma", of_document("attraction")}, {"sigma", of_document("satisfaction")}}},
    {"mixture",
     "mixture",
     {{"w", plain("prior")},
      {"theta", plain("pbm.examination")},
      {"gamma", of_document("attraction")},
      {"sigma", of_document("dbn.satisfaction")},
      {"lambda", plain("dbn.continuation")}},
     "{components: [pbm, dbn], share: [attraction]}"},
};

/// Returns all numbers of a golden array, nested or not.
std::vector<double> flat_numbers(const json& values) {
  std::vector<double> numbers;
  for (const json& value : values) {
    if (!value.is_array()) {
      numbers.push_back(testing::golden_number(value));
      continue;
    }
    const auto inner = flat_numbers(value);
    numbers.insert(numbers.end(), inner.begin(), inner.end());
  }
  return numbers;
}

/// Returns a model's options, with the temperature of the case if it has one.
std::string options_of(const GoldenModel& names, const json& golden) {
  if (!golden.contains("temperature")) return names.options;
  return names.options.substr(0, names.options.size() - 1) +
         ", temperature: " + golden["temperature"].dump() + "}";
}

/// A golden case: a model with its parameters set, and the rows of the displayed list.
class GoldenCase {
 public:
  GoldenCase(const GoldenModel& names, const json& golden)
      : names_(names),
        golden_(golden),
        model_(testing::build_model(
            names.type, {.rows = golden["n_docs"].get<std::int64_t>() + 1, .positions = ranks()},
            options_of(names, golden))) {
    for (Parameter* parameter : model_.parameters()) parameter->fill(0);
    for (const auto& [golden_name, entry] : names.parameters) {
      const auto logits = flat_numbers(golden["params"][golden_name]["logit"]);
      for (std::size_t i = 0; i < logits.size(); ++i) {
        const Entry to = entry(static_cast<std::int64_t>(i), ranks());
        testing::parameter_called(model_, to.parameter).value(to.row) =
            static_cast<float>(logits[i]);
      }
    }
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
  std::int64_t ranks() const { return golden_["K"].get<std::int64_t>(); }
  const json& golden() const { return golden_; }
  const GoldenModel& names() const { return names_; }

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

/// Checks the logit gradients of a program that has run backward.
void check_gradients(const GoldenCase& c, const ClickProgram& program, const json& golden,
                     double relative, double floor, const std::string& where) {
  const auto gradients = testing::gradients_of(c.model(), program);
  for (const auto& [golden_name, entry] : c.names().parameters) {
    const auto expected = flat_numbers(golden[golden_name]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Entry at = entry(static_cast<std::int64_t>(i), c.ranks());
      expect_near(gradients.at(at.parameter)[static_cast<std::size_t>(at.row)], expected[i],
                  relative, floor, where + " " + golden_name);
    }
  }
}

/// Checks log-likelihood and logit gradients of every click vector, one at a time.
void check_likelihood(const GoldenCase& c, double relative, double floor) {
  const SessionLog log = c.all_vectors();
  ClickPrograms programs(c.model(), ProgramKind::exact_loss, Precision::float64);
  for (std::uint32_t vector = 0; vector < log.sessions(); ++vector) {
    const std::string name = c.vector_name(vector);
    const std::string where = c.golden()["name"].get<std::string>() + " " + name;
    Shard shard;
    shard.pack(log, std::array{vector});
    ClickProgram& program = programs.run(shard);
    const double expected_log = testing::golden_number(c.golden()["log_likelihood"][name]);
    if (std::isinf(expected_log)) {
      EXPECT_EQ(-program.loss(), -HUGE_VAL) << where;
      continue;
    }
    expect_near(-program.loss(), expected_log, relative, floor, where);
    program.backward(-1);
    check_gradients(c, program, c.golden()["grad_log_likelihood"][name], relative, floor, where);
  }
}

/// Checks conditional and unconditional click probabilities, with all click vectors in one shard.
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
      const json& golden_p = c.golden()["cond_click_prob"][name][k];
      if (golden_p.is_null()) continue;  // after an impossible click
      const double expected = golden_p.get<double>();
      expect_near(std::exp(conditional_log[at]), expected, 1e-10, 0, where + " conditional");
      expect_near(std::exp(conditional_not[at]), 1 - expected, 1e-10, 1e-15,
                  where + " conditional complement");
      expect_near(std::exp(unconditional_log[at]), c.golden()["click_prob"][k].get<double>(), 1e-10,
                  0, where + " unconditional");
    }
  }
}

class ClickModelGoldenTest : public ::testing::TestWithParam<GoldenModel> {};

TEST_P(ClickModelGoldenTest, LikelihoodGradientsAndPredictionsMatch) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("click_models_" + GetParam().golden + ".json");
  std::size_t cases = 0;
  for (const json& g : golden["cases"]) {
    if (g.contains("temperature")) continue;  // see below
    const GoldenCase c(GetParam(), g);
    check_likelihood(c, 1e-10, 1e-15);
    check_predictions(c);
    ++cases;
  }
  EXPECT_EQ(cases, 4u);
}

INSTANTIATE_TEST_SUITE_P(Models, ClickModelGoldenTest, ::testing::ValuesIn(golden_models),
                         [](const auto& test) { return test.param.golden; });

TEST(TemperedMixtureGoldenTest, LossAndItsGradientsMatch) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("click_models_mixture.json");
  std::size_t cases = 0;
  for (const json& g : golden["cases"]) {
    if (!g.contains("temperature")) continue;
    const GoldenCase c(golden_models.back(), g);
    const SessionLog log = c.all_vectors();
    ClickPrograms programs(c.model(), ProgramKind::loss, Precision::float64);
    for (std::uint32_t vector = 0; vector < log.sessions(); ++vector) {
      const std::string name = c.vector_name(vector);
      Shard shard;
      shard.pack(log, std::array{vector});
      ClickProgram& program = programs.run(shard);
      expect_near(program.loss(), g["loss"][name].get<double>(), 1e-10, 1e-15, name);
      program.backward(1);
      check_gradients(c, program, g["grad_loss"][name], 1e-10, 1e-15, name);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 2u);
}

TEST(ExtremeLogitsGoldenTest, LikelihoodsAndGradientsAreFiniteAndMatch) {
  ULTR_NEEDS_GOLDEN();
  const json golden = testing::read_golden("click_models_extreme.json");
  std::size_t cases = 0;
  for (const json& g : golden["cases"])
    for (const GoldenModel& names : golden_models)
      if (names.golden == g["model"].get<std::string>()) {
        check_likelihood(GoldenCase(names, g), 1e-9, 1e-15);
        ++cases;
      }
  EXPECT_EQ(cases, golden["cases"].size());
}

}  // namespace
}  // namespace ultr::golden_models_test
