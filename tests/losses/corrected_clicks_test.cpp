#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"
#include "options/config_tree.h"
#include "testing/temporary_folder.h"

// Losses of corrected clicks are unbiased: their means over all orders that a policy shows and over
// all clicks of users, by enumeration, are the losses of the true relevance.

namespace ultr::corrected_clicks_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t documents = 3;
using Numbers = std::array<double, documents>;
using Order = std::array<std::uint32_t, documents>;  // rows from the top, from 1

/// Users who click document d at position k with probability α_k γ_d + β_k, and a policy that shows
/// each of some orders equally often.
struct World {
  Numbers relevance, alpha, beta;
  std::vector<Order> orders;

  SessionLog log() const {
    SessionLog log;
    for (const Order& order : orders) log.add(session(order, 0));
    return log;
  }
  /// Bit k of `vector` is the click at position k.
  static SessionView session(const Order& order, unsigned vector) {
    static constexpr std::array<std::uint16_t, documents> positions = {0, 1, 2};
    static std::array<std::uint8_t, documents> clicks;
    for (std::size_t k = 0; k < documents; ++k) clicks[k] = vector >> k & 1;
    return {order, positions, clicks};
  }
  double probability(const Order& order, unsigned vector) const {
    double p = 1 / static_cast<double>(orders.size());
    for (std::size_t k = 0; k < documents; ++k) {
      const double click = alpha[k] * relevance[order[k] - 1] + beta[k];
      p *= (vector >> k & 1) != 0 ? click : 1 - click;
    }
    return p;
  }
  std::string bias_rows() const {
    std::string rows = "position,alpha,beta\n";
    for (std::size_t k = 0; k < documents; ++k)
      rows += std::to_string(k + 1) + "," + std::to_string(alpha[k]) + "," +
              std::to_string(beta[k]) + "\n";
    return rows;
  }
};

/// Trust bias with the parameters that Agarwal et al. (2019) estimated for three positions.
const World trusting = {.relevance = {0.9, 0.2, 0.6},
                        .alpha = {0.35, 0.53, 0.55},
                        .beta = {0.65, 0.26, 0.15},
                        .orders = {{1, 2, 3}, {2, 3, 1}}};
/// Nobody looks at the last position.
const World cut_off = {.relevance = {0.9, 0.2, 0.6},
                       .alpha = {1, 0.5, 0},
                       .beta = {0, 0, 0},
                       .orders = {{1, 2, 3}, {3, 1, 2}, {2, 3, 1}}};
/// Users who trust the ranking and see two of three documents. The policy mostly hides the second.
const World top_two = {.relevance = {0.9, 0.2, 0.6},
                       .alpha = {0.35, 0.53, 0},
                       .beta = {0.65, 0.26, 0},
                       .orders = {{1, 3, 2}, {3, 1, 2}, {1, 3, 2}, {2, 3, 1}}};

const Numbers scores = {0.5, -1, 2};

double pointwise(const Numbers& targets) {
  double sum = 0;
  for (std::size_t d = 0; d < documents; ++d)
    sum += std::log1p(std::exp(scores[d])) - targets[d] * scores[d];
  return sum;
}

double softmax(const Numbers& targets) {
  double all = 0, sum = 0;
  for (const double x : scores) all += std::exp(x);
  for (std::size_t d = 0; d < documents; ++d) sum -= targets[d] * (scores[d] - std::log(all));
  return sum;
}

struct Moments {
  double mean = 0, variance = 0;
};

class CorrectedClicksTest : public ::testing::Test {
 protected:
  /// Builds a loss; BIAS and PROPENSITIES in the options stand for files.
  TrainableModel build(const std::string& type, const World& world, std::string options,
                       const Numbers& direct = {}) {
    train_ = world.log();
    const auto place = [&](const std::string& name, const std::string& content) {
      if (const auto at = options.find(name); at != std::string::npos)
        options.replace(at, name.size(), folder_.write(name + ".csv", content).string());
    };
    place("BIAS", world.bias_rows());
    std::string propensities = "position,examination\n";
    for (std::size_t k = 0; k < documents; ++k)
      propensities += std::to_string(k + 1) + "," + std::to_string(world.alpha[k]) + "\n";
    place("PROPENSITIES", propensities);
    TrainableModel model = testing::build_loss(
        type, {.rows = documents + 1, .positions = documents, .train = &train_}, options);
    for (Parameter* parameter : model.parameters()) {
      parameter->fill(0);
      for (std::size_t d = 0; d < documents; ++d) {
        if (parameter->name() == "relevance")
          parameter->value(static_cast<std::int64_t>(d) + 1) = static_cast<float>(scores[d]);
        if (parameter->name() == "direct_relevance" && direct[d] > 0)
          parameter->value(static_cast<std::int64_t>(d) + 1) =
              static_cast<float>(std::log(direct[d] / (1 - direct[d])));
      }
    }
    return model;
  }

  static Moments moments(const TrainableModel& model, const World& world) {
    Moments moments;
    ClickPrograms programs(model, ProgramKind::loss, Precision::float64);
    for (const Order& order : world.orders)
      for (unsigned vector = 0; vector < 1u << documents; ++vector) {
        SessionLog log;
        log.add(World::session(order, vector));
        const double p = world.probability(order, vector),
                     loss = programs.run(testing::pack_all(log)).loss();
        moments.mean += p * loss;
        moments.variance += p * loss * loss;
      }
    moments.variance -= moments.mean * moments.mean;
    return moments;
  }

  testing::TemporaryFolder folder_;
  SessionLog train_;
};

constexpr double exact_to_float = 1e-6;  // positions and rows have float32 tables

TEST_F(CorrectedClicksTest, AffineCorrectionIsUnbiasedUnderTrustBias) {
  for (const std::string policy_aware : {"false", "true"}) {
    const std::string options = "{bias: BIAS, policy_aware: " + policy_aware;
    EXPECT_NEAR(moments(build("affine", trusting, options + "}"), trusting).mean,
                pointwise(trusting.relevance), exact_to_float);
    EXPECT_NEAR(moments(build("affine", trusting, options + ", base: softmax}"), trusting).mean,
                softmax(trusting.relevance), exact_to_float);
  }
}

/// Clicks on irrelevant documents at the top count as relevance under inverse propensities.
TEST_F(CorrectedClicksTest, InversePropensitiesAreBiasedUnderTrustBias) {
  World examined = trusting;  // the propensities that a position-based model has: e = α + β
  for (std::size_t k = 0; k < documents; ++k) examined.alpha[k] += examined.beta[k];
  const double mean = moments(build("ips", examined,
                                    "{propensities: PROPENSITIES, base: pointwise, "
                                    "normalise: false, clip: 0}"),
                              trusting)
                          .mean;
  EXPECT_GT(std::abs(mean - pointwise(trusting.relevance)), 0.1);
}

TEST_F(CorrectedClicksTest, SlopesBelowTheLimitAreRaisedToIt) {
  const double clipped =
      moments(build("affine", trusting, "{bias: BIAS, clip: 0.7}"), trusting).mean;
  Numbers targets = {};
  for (const Order& order : trusting.orders)
    for (std::size_t k = 0; k < documents; ++k)
      targets[order[k] - 1] += trusting.alpha[k] / 0.7 * trusting.relevance[order[k] - 1] /
                               static_cast<double>(trusting.orders.size());
  EXPECT_NEAR(clipped, pointwise(targets), exact_to_float);
}

TEST_F(CorrectedClicksTest, DoublyRobustIsUnbiasedWhateverTheDirectMethodSays) {
  for (const Numbers& direct : {Numbers{0.5, 0.5, 0.5}, {0.1, 0.9, 0.3}})
    for (const std::string policy_aware : {"false", "true"}) {
      const std::string options = "{bias: BIAS, policy_aware: " + policy_aware;
      EXPECT_NEAR(moments(build("doubly_robust", trusting, options + "}", direct), trusting).mean,
                  pointwise(trusting.relevance), exact_to_float);
      EXPECT_NEAR(
          moments(build("doubly_robust", trusting, options + ", base: softmax}", direct), trusting)
              .mean,
          softmax(trusting.relevance), exact_to_float);
    }
}

/// The other half of its robustness: a wrong ω, here by the limit, is made up for by a right R̂.
TEST_F(CorrectedClicksTest, DoublyRobustIsUnbiasedWhereTheDirectMethodIsRight) {
  const std::string options = "{bias: BIAS, policy_aware: true, clip: 0.9}";
  const double relevance = pointwise(trusting.relevance);
  EXPECT_NEAR(moments(build("doubly_robust", trusting, options, trusting.relevance), trusting).mean,
              relevance, exact_to_float);
  const Numbers wrong = {0.5, 0.5, 0.5};
  EXPECT_GT(std::abs(moments(build("doubly_robust", trusting, options, wrong), trusting).mean -
                     relevance),
            0.05);
}

/// The click rate of a document varies with its position, which R̂ predicts.
TEST_F(CorrectedClicksTest, DoublyRobustVariesLessThanTheAffineCorrection) {
  const World steep = {.relevance = {0.9, 0.2, 0.6},
                       .alpha = {0.9, 0.3, 0.05},
                       .beta = {0.1, 0.1, 0.05},
                       .orders = {{1, 2, 3}, {3, 1, 2}, {2, 3, 1}}};
  const Numbers direct = {0.8, 0.3, 0.6};
  const auto variance = [&](const std::string& type, const std::string& options) {
    return moments(build(type, steep, options, direct), steep).variance;
  };
  const std::string aware = "{bias: BIAS, policy_aware: true}",
                    by_position = "{bias: BIAS, clip: 0}";
  EXPECT_LT(variance("doubly_robust", aware), 0.9 * variance("affine", aware));
  EXPECT_LT(variance("affine", aware), variance("affine", by_position));
  // What is divided by the α of the position itself has no use for R̂: it cancels.
  EXPECT_NEAR(variance("doubly_robust", by_position), variance("affine", by_position), 1e-4);
}

/// The propensity of a document includes the probability of being shown.
TEST_F(CorrectedClicksTest, CandidatesThatAreNotShownTakePart) {
  const double relevance = pointwise(top_two.relevance);
  const Numbers direct = {0.7, 0.3, 0.6};
  for (const std::string type : {"affine", "doubly_robust"}) {
    const auto with_clip = [&](const std::string& clip) {
      return build(type, top_two, "{bias: BIAS, policy_aware: true, clip: " + clip + "}", direct);
    };
    EXPECT_NEAR(moments(with_clip("0"), top_two).mean, relevance, exact_to_float) << type;
    // The second document has propensity 0.35 / 4, which is raised.
    EXPECT_GT(std::abs(moments(with_clip("0.2"), top_two).mean - relevance), 0.05) << type;
  }
}

/// Large weights of documents that are seldom shown are those of clicks, or only of what clicks
/// differ from R̂.
TEST_F(CorrectedClicksTest, DoublyRobustVariesLessWhereDocumentsAreSeldomShown) {
  const World seldom = {.relevance = {0.9, 0.9, 0.6},
                        .alpha = {0.9, 0.8, 0},
                        .beta = {0.05, 0.05, 0},
                        .orders = top_two.orders};
  const Numbers direct = {0.8, 0.85, 0.6};
  const std::string options = "{bias: BIAS, policy_aware: true, clip: 0}";
  EXPECT_LT(moments(build("doubly_robust", seldom, options, direct), seldom).variance,
            0.7 * moments(build("affine", seldom, options, direct), seldom).variance);
}

/// Where a document is never shown, R̂ is its target. Without R̂ it counts as irrelevant.
TEST_F(CorrectedClicksTest, DoublyRobustPredictsWhatIsNeverShown) {
  World hidden = top_two;
  hidden.orders = {{1, 3, 2}, {3, 1, 2}};
  const Numbers direct = {0.8, 0.25, 0.6};
  const std::string options = "{bias: BIAS, policy_aware: true, clip: 0.1}";
  EXPECT_NEAR(moments(build("doubly_robust", hidden, options, direct), hidden).mean,
              pointwise({0.9, 0.25, 0.6}), exact_to_float);
  EXPECT_NEAR(moments(build("affine", hidden, options), hidden).mean, pointwise({0.9, 0, 0.6}),
              exact_to_float);
}

TEST_F(CorrectedClicksTest, TheFirstStageLearnsNothingFromDocumentsThatAreNotShown) {
  const TrainableModel model = build("doubly_robust", top_two, "{bias: BIAS}", {0.8, 0.3, 0.6});
  const TrainableModel other = build("doubly_robust", top_two, "{bias: BIAS}", {0.8, 0.9, 0.6});
  SessionLog log;
  log.add(World::session({1, 3, 2}, 0b001));
  const Shard shard = testing::pack_all(log);
  const double click = 0.35 * 0.8 + 0.65, none = 1 - (0.53 * 0.6 + 0.26);
  for (const ProgramKind kind : {ProgramKind::loss, ProgramKind::exact_loss}) {
    const auto loss = [&](const TrainableModel& built) {
      const TrainableModel stage = built.stages().front();
      return ClickPrograms(stage, kind, Precision::float64).run(shard).loss();
    };
    EXPECT_NEAR(loss(model), -std::log(click) - std::log(none), exact_to_float);
    EXPECT_NEAR(loss(model), loss(other), 1e-12);
  }
}

TEST_F(CorrectedClicksTest, DocumentsThatNobodySeesAreRefusedWithoutALimit) {
  for (const std::string policy_aware : {"false", "true"}) {
    World hidden = top_two;
    hidden.orders = {{1, 3, 2}, {3, 1, 2}};
    const std::string options = "{bias: BIAS, policy_aware: " + policy_aware + ", clip: ";
    EXPECT_NO_THROW(build("affine", hidden, options + "0.1}").story().check(train_));
    EXPECT_THAT([&] { build("affine", hidden, options + "0}").story().check(train_); },
                ThrowsMessage<DataError>(HasSubstr("a document is shown only where alpha is 0")));
  }
}

TEST_F(CorrectedClicksTest, TheFirstStageMaximisesTheLikelihoodOfClicks) {
  for (const char* options : {"{bias: BIAS}", "{}"}) {
    const TrainableModel model = build("doubly_robust", trusting, options, {0.8, 0.3, 0.6});
    const TrainableModel stage = model.stages().front();
    SessionLog log;
    double expected = 0;  // with the bias of the file
    for (unsigned vector = 0; vector < 1u << documents; ++vector) {
      log.add(World::session(trusting.orders[0], vector));
      World predicted = trusting;
      predicted.relevance = {0.8, 0.3, 0.6};
      expected -= std::log(2 * predicted.probability(trusting.orders[0], vector));
    }
    const Shard shard = testing::pack_all(log);
    ClickPrograms trained(stage, ProgramKind::loss, Precision::float64),
        exact(stage, ProgramKind::exact_loss, Precision::float64);
    const double loss = trained.run(shard).loss();
    EXPECT_NEAR(loss, exact.run(shard).loss(), 1e-10);
    if (std::string(options) != "{}") {
      EXPECT_NEAR(loss, expected, exact_to_float);
    }
  }
}

TEST_F(CorrectedClicksTest, PolicyAwarePropensitiesAdmitPositionsThatNobodyExamines) {
  const std::string options = "{propensities: PROPENSITIES, base: pointwise, normalise: false";
  const double relevance = pointwise(cut_off.relevance);
  EXPECT_NEAR(
      moments(build("ips", cut_off, options + ", clip: 0, policy_aware: true}"), cut_off).mean,
      relevance, exact_to_float);
  const TrainableModel by_position = build("ips", cut_off, options + ", clip: 0.1}");
  EXPECT_GT(std::abs(moments(by_position, cut_off).mean - relevance), 0.1);
}

TEST_F(CorrectedClicksTest, PolicyAwareWeightsAreRefusedForDocumentsThatNobodyExamines) {
  World fixed = cut_off;
  fixed.orders = {{1, 2, 3}};
  const std::string options = "{propensities: PROPENSITIES, policy_aware: true, clip: ";
  EXPECT_NO_THROW(build("ips", fixed, options + "0.1}").story().check(train_));
  EXPECT_THAT(
      [&] { build("ips", fixed, options + "0}").story().check(train_); },
      ThrowsMessage<DataError>(HasSubstr("a document is shown only at positions of propensity 0")));
}

/// Weights are divided by the propensity of position 1: all would be 0.
TEST_F(CorrectedClicksTest, PolicyAwareWeightsAreRefusedIfNobodyExaminesPositionOne) {
  World first_hidden = cut_off;
  std::swap(first_hidden.alpha[0], first_hidden.alpha[2]);
  const std::string options = "{propensities: PROPENSITIES, policy_aware: true, clip: ";
  EXPECT_NO_THROW(build("ips", first_hidden, options + "0.1}").story().check(train_));
  EXPECT_NO_THROW(
      build("ips", first_hidden, options + "0, normalise: false}").story().check(train_));
  EXPECT_THAT([&] { build("ips", first_hidden, options + "0}").story().check(train_); },
              ThrowsMessage<DataError>(HasSubstr("the propensity of position 1 is 0")));
}

TEST_F(CorrectedClicksTest, PolicyAwareMeansAreRefusedWhereTheyCountWhatNobodyClicks) {
  SessionLog log;
  for (int i = 0; i < 600; ++i) log.add(World::session({1, 2, 3}, 0b011));
  World below = cut_off;
  below.alpha[2] = 0.25;
  for (const std::string type : {"ips", "affine"}) {
    const std::string file = type == "ips" ? "propensities: PROPENSITIES" : "bias: BIAS",
                      aware = "{" + file + ", policy_aware: true}";
    EXPECT_NO_THROW(build(type, cut_off, aware).story().check(log));
    EXPECT_NO_THROW(build(type, below, "{" + file + "}").story().check(log));
    EXPECT_THAT([&] { build(type, below, aware).story().check(log); },
                ThrowsMessage<DataError>(HasSubstr("propensity 0.25 for position 3")))
        << type;
  }
}

TEST_F(CorrectedClicksTest, SelfNormalisedWeightsOfClicksHaveMeanOne) {
  World world = cut_off;
  world.alpha = {1, 0.5, 0.25};
  SessionLog log;  // clicks with weights 1, 2 and 4
  log.add(World::session({1, 2, 3}, 0b001));
  log.add(World::session({1, 2, 3}, 0b110));
  train_ = log;
  const auto file = folder_.write("p.csv", "position,p\n1,1\n2,0.5\n3,0.25\n");
  const auto loss = [&](const std::string& options) {
    const TrainableModel model = testing::build_loss(
        "ips", {.rows = documents + 1, .positions = documents, .train = &train_},
        "{propensities: " + file.string() + options + "}");
    ClickPrograms programs(model, ProgramKind::loss, Precision::float64);
    return programs.run(testing::pack_all(log)).loss();
  };
  EXPECT_NEAR(loss(", self_normalise: true"), loss("") / ((1. + 2 + 4) / 3), 1e-12);
}

TEST_F(CorrectedClicksTest, CountsWhereThePolicyShowsDocuments) {
  const SessionLog train = trusting.log();
  SessionLog valid;
  valid.add(World::session({1, 3, 2}, 0));
  valid.add({std::array<std::uint32_t, 1>{4}, std::array<std::uint16_t, 1>{2},
             std::array<std::uint8_t, 1>{0}});
  EXPECT_THAT(display_positions({&train, &valid}, 6, 3), ElementsAre(0, 0, 0,      // unknown
                                                                     0.5, 0, 0.5,  // 1
                                                                     0.5, 0.5, 0,  // 2
                                                                     0, 0.5, 0.5,  // 3
                                                                     0, 0, 1,  // of the second log
                                                                     0, 0, 0));  // shown by none
}

TEST_F(CorrectedClicksTest, RefusesAFileThatLacksAPosition) {
  const auto file = folder_.write("b.csv", "position,alpha,beta\n1,0.5,0.5\n2,0.5,0.2\n");
  const TrainableModel model = testing::build_loss(
      "affine", {.rows = documents + 1, .positions = documents}, "{bias: " + file.string() + "}");
  EXPECT_THAT([&] { model.story().check(trusting.log()); },
              ThrowsMessage<DataError>(HasSubstr(
                  "b.csv: no usable propensity for position 3, which the data show; expected a row "
                  "for it")));
}

}  // namespace
}  // namespace ultr::corrected_clicks_test
