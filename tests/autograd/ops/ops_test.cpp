#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "autograd/ops/op_call.h"

// Properties that every op has, each tested on the whole list of ops. broadcasting_test.cpp tests
// broadcasting.

namespace ultr::ops_test {
namespace {

using testing::Argument;
using testing::Arguments;
using testing::Call;
using testing::expect_close;
using testing::Form;
using testing::Loss;
using testing::Numbers;
using testing::Op;
using testing::ordinary;
using testing::Outcome;
using testing::outcome_of;
using testing::precisions;
using testing::unweighted;
using testing::weighted;
using testing::weighted_sum;

class OpsTest : public ::testing::TestWithParam<Op> {};
class ElementwiseOpsTest : public OpsTest {};

std::string name_of(const ::testing::TestParamInfo<Op>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, OpsTest, ::testing::ValuesIn(testing::all_ops()), name_of);
INSTANTIATE_TEST_SUITE_P(All, ElementwiseOpsTest, ::testing::ValuesIn(testing::elementwise_ops()),
                         name_of);

TEST_P(OpsTest, GradientsAgreeWithDifferences) {
  for (const std::int64_t n : {1, 5, 19}) {
    std::vector<CheckedInput> inputs;
    for (const Argument& argument : ordinary(GetParam(), n))
      inputs.push_back(
          {"operand " + std::to_string(inputs.size()), argument.shape, argument.values});
    EXPECT_TRUE(testing::gradient_agrees(
        [&](Tape&, std::span<const Tensor> operands) { return GetParam().apply(operands); },
        inputs))
        << "size " << n;
  }
}

TEST_P(OpsTest, Float32AgreesWithFloat64) {
  for (const std::int64_t n : {1, 37}) {
    const Arguments arguments = ordinary(GetParam(), n);
    const Outcome narrow = outcome_of(GetParam(), arguments, Precision::float32);
    const Outcome wide = outcome_of(GetParam(), arguments, Precision::float64);
    // Relative, except for elements that are small because numbers of size 3 cancel.
    const double floor = GetParam().form == Form::elementwise ? 3e-7 : 3e-6;
    expect_close(narrow.value, wide.value, 3e-6, floor);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      expect_close(narrow.gradients[i], wide.gradients[i], 3e-6, floor);
  }
}

TEST_P(OpsTest, FiniteLegalInputsNeverGiveNaN) {
  const Numbers candidates = {-1e4, -700, -90, -30, -1, -1e-30, 0, 1e-30, 1, 30, 90, 700, 1e4};
  std::mt19937_64 random(7);
  for (const Precision precision : precisions) {
    for (const std::int64_t n : {1, 2, 1000}) {
      Arguments arguments;
      for (const testing::Operand& operand : GetParam().operands) {
        Numbers legal;
        for (const double x : candidates)
          if (x >= operand.domain.least && x <= operand.domain.most) legal.push_back(x);
        Argument argument{operand.shape(n), {}};
        for (std::int64_t i = 0; i < argument.shape.capacity(); ++i)
          argument.values.push_back(legal[random() % legal.size()]);
        arguments.push_back(std::move(argument));
      }
      const Outcome outcome = outcome_of(GetParam(), arguments, precision, unweighted);
      for (const double x : outcome.value) ASSERT_FALSE(std::isnan(x));
      for (const Numbers& gradient : outcome.gradients)
        for (std::size_t i = 0; i < gradient.size(); ++i)
          ASSERT_FALSE(std::isnan(gradient[i])) << "at " << arguments[0].values[i];
    }
  }
}

TEST_P(OpsTest, ConstantOperandsGetNoGradientAndDoNotChangeOthers) {
  const Arguments arguments = ordinary(GetParam(), 19);
  for (const Precision precision : precisions) {
    const Outcome all = outcome_of(GetParam(), arguments, precision);
    for (std::size_t fixed = 0; fixed < arguments.size(); ++fixed) {
      Arguments some = arguments;
      some[fixed].constant = true;
      Outcome expected = all;
      std::fill(expected.gradients[fixed].begin(), expected.gradients[fixed].end(), 0.0);
      EXPECT_TRUE(outcome_of(GetParam(), some, precision).same_bits(expected)) << fixed;
    }
  }
}

TEST_P(OpsTest, GradientsOfSeveralUsesAdd) {
  const Arguments arguments = ordinary(GetParam(), 19);
  const Loss squares = [](Tensor y, std::span<const Tensor>) { return sum(square(y)); };
  const Loss outside = [](Tensor y, std::span<const Tensor> x) {
    Tensor total = sum(square(x[0]));
    for (const Tensor& operand : x) total = total + weighted_sum(operand);
    return total + 0 * sum(y);
  };
  const Loss together = [&](Tensor y, std::span<const Tensor> x) {
    return outside(y, x) + weighted_sum(y) + squares(y, x);
  };
  const auto gradients = [&](const Loss& loss) {
    return outcome_of(GetParam(), arguments, Precision::float64, loss).gradients;
  };
  const auto actual = gradients(together), first = gradients(weighted), second = gradients(squares),
             third = gradients(outside);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    Numbers expected;
    for (std::size_t k = 0; k < actual[i].size(); ++k)
      expected.push_back(first[i][k] + second[i][k] + third[i][k]);
    expect_close(actual[i], expected, 1e-12, 1e-12);
  }
}

TEST_P(OpsTest, ReplayAfterAssignEqualsAFreshRecording) {
  for (const Precision precision : precisions) {
    Call call(GetParam(), ordinary(GetParam(), 19, 1), precision);
    call.outcome();
    const Arguments others = ordinary(GetParam(), 19, 5);
    call.assign(others);
    EXPECT_TRUE(call.outcome().same_bits(outcome_of(GetParam(), others, precision)));
  }
}

TEST_P(OpsTest, EverySizeRuns) {
  for (const Precision precision : precisions)
    for (std::int64_t n = 0; n <= 70; ++n) {
      const Arguments arguments = ordinary(GetParam(), n);
      const Outcome outcome = outcome_of(GetParam(), arguments, precision);
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        ASSERT_EQ(outcome.gradients[i].size(), arguments[i].values.size());
        for (const double x : outcome.gradients[i]) ASSERT_TRUE(std::isfinite(x)) << n;
      }
    }
}

TEST_P(ElementwiseOpsTest, EverySizeEqualsTheElementsOneByOne) {
  constexpr std::int64_t most = 70;
  const Arguments arguments = ordinary(GetParam(), most);
  const auto part = [&](std::int64_t begin, std::int64_t size) {
    Arguments some;
    for (const Argument& argument : arguments) {
      const auto from = argument.values.begin() + begin;
      some.push_back({Shape::vector(size), Numbers(from, from + size)});
    }
    return some;
  };
  for (const Precision precision : precisions) {
    Outcome single{{}, std::vector<Numbers>(arguments.size())};
    for (std::int64_t n = 0; n <= most; ++n) {
      ASSERT_TRUE(outcome_of(GetParam(), part(0, n), precision, unweighted).same_bits(single)) << n;
      if (n == most) break;
      const Outcome next = outcome_of(GetParam(), part(n, 1), precision, unweighted);
      single.value.push_back(next.value[0]);
      for (std::size_t i = 0; i < arguments.size(); ++i)
        single.gradients[i].push_back(next.gradients[i][0]);
    }
  }
}

TEST_P(ElementwiseOpsTest, SmallerRunTimeSizesEqualFixedOnes) {
  for (const Precision precision : precisions) {
    Tape tape(precision);
    const Extent rows = tape.extent(40);
    std::vector<Tensor> operands;
    for (const Argument& argument : ordinary(GetParam(), 40))
      operands.push_back(tape.variable(Shape::vector(rows), argument.values));
    const Tensor result = GetParam().apply(operands), loss = sum(result);
    for (const std::int64_t n : {40, 17, 0, 16, 1}) {
      const Arguments arguments = ordinary(GetParam(), n);
      tape.bind(rows, n);
      for (std::size_t i = 0; i < operands.size(); ++i)
        tape.assign(operands[i], arguments[i].values);
      tape.replay();
      tape.backward(loss);
      Outcome outcome{result.values(), {}};
      for (const Tensor& operand : operands) outcome.gradients.push_back(operand.gradient());
      EXPECT_TRUE(outcome.same_bits(outcome_of(GetParam(), arguments, precision, unweighted))) << n;
    }
  }
}

/// Returns the names of the functions that a header declares to return a Tensor or a Mask.
std::vector<std::string> declared_ops(const std::filesystem::path& header) {
  std::ifstream file(header);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);)
    for (const std::string type : {"Tensor ", "Mask "}) {
      if (!line.starts_with(type) || line.find('(') == std::string::npos) continue;
      const std::string name = line.substr(type.size(), line.find('(') - type.size());
      if (!name.starts_with("operator")) names.push_back(name);
    }
  return names;
}

/// Returns the headers that declare ops.
std::vector<std::filesystem::path> headers_of_ops() {
  std::vector<std::filesystem::path> headers;
  for (const std::string room : {"ops", "markov"})
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(ULTR_SOURCE_DIR "/autograd/") + room)) {
      const std::string name = file.path().filename();
      // The other two are what ops are made of.
      if (name.ends_with(".h") && name != "elementwise.h" && name != "groups.h")
        headers.push_back(file.path());
    }
  return headers;
}

TEST(OpListTest, NamesEveryOpOfTheHeaders) {
  const auto ops = testing::all_ops();
  std::size_t count = 0;
  for (const std::filesystem::path& header : headers_of_ops())
    for (const std::string& name : declared_ops(header)) {
      ++count;
      // Without tensor operands, or random: gather_test.cpp and dropout_test.cpp test them.
      if (name.starts_with("gather") || name.starts_with("read") || name == "one_hot" ||
          name == "dropout")
        continue;
      EXPECT_TRUE(std::any_of(ops.begin(), ops.end(),
                              [&](const Op& op) { return op.name.starts_with(name); }))
          << name << " of " << header << " is not in op_list.cpp";
    }
  EXPECT_GT(count, 50u);
}

}  // namespace
}  // namespace ultr::ops_test
