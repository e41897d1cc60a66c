#include "optim/reference_rule.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::testing {
namespace {

constexpr int steps = 200;
/// Every step rounds value and states to float32, which costs a few units of 2^-24.
constexpr double tolerance = 2e-5;

double learning_rate(const OptimizerOptions& options, int step) {
  return options.learning_rate * (1 + 0.5 * std::sin(step));
}

RandomStream stream(std::uint32_t step, std::uint64_t index) {
  return RandomStream(17, RandomPurpose::testing, step, index);
}

/// Values and states in double precision, to compare with those of a parameter.
class Reference {
 public:
  Reference(const ReferenceRule& rule, const Parameter& parameter) : rule_(rule) {
    for (const float value : parameter.values()) values_.push_back(static_cast<double>(value));
    states_.assign(values_.size(), std::vector<double>(static_cast<std::size_t>(rule.states)));
  }

  void update(std::size_t i, double gradient, const ReferenceRule::Step& step) {
    rule_.update(values_[i], states_[i], gradient, step);
  }

  void expect_like(const Parameter& parameter, int step) const {
    const auto actual = parameter.values();
    for (std::size_t i = 0; i < values_.size(); ++i)
      ASSERT_NEAR(static_cast<double>(actual[i]), values_[i],
                  tolerance * (1 + std::abs(values_[i])))
          << parameter.name() << "[" << i << "] after step " << step;
  }

 private:
  const ReferenceRule& rule_;
  std::vector<double> values_;
  std::vector<std::vector<double>> states_;
};

void randomise(Parameter& parameter) {
  RandomStream random = stream(0, 0);
  std::vector<float> values = parameter.values();
  for (float& value : values) value = static_cast<float>(2 * random.normal());
  parameter.assign(values);
}

/// Gradients of very different sizes, some of them 0.
float draw_gradient(RandomStream& random) {
  if (random.uniform() < 0.1) return 0;
  return static_cast<float>(random.normal() * std::pow(10, -3 * random.uniform()));
}

}  // namespace

void expect_dense_follows(const OptimizerOptions& options, const ReferenceRule& rule) {
  for (const bool decays : {true, false}) {
    DenseParameter parameter("bias", 37, 1);  // not a multiple of a register
    randomise(parameter);
    parameter.set_decays(decays);
    const auto optimizer = options.build();
    optimizer->attach(std::vector<Parameter*>{&parameter});
    Reference reference(rule, parameter);
    for (int step = 1; step <= steps; ++step) {
      std::vector<float> gradient(37);
      RandomStream random = stream(1, static_cast<std::uint64_t>(step));
      const double rate = learning_rate(options, step);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] = draw_gradient(random);
        reference.update(i, static_cast<double>(gradient[i]),
                         {rate, static_cast<double>(step), decays});
      }
      optimizer->begin_step(rate);
      optimizer->update(parameter, gradient, 1);
      reference.expect_like(parameter, step);
    }
  }
}

void expect_table_follows(const OptimizerOptions& options, const ReferenceRule& rule,
                          std::int64_t columns, Laziness laziness) {
  constexpr std::uint64_t rows = 83;
  const auto width = static_cast<std::size_t>(columns);
  EmbeddingTable table("attraction", rows, columns);
  randomise(table);
  const auto optimizer = options.build();
  optimizer->attach(std::vector<Parameter*>{&table});
  Reference reference(rule, table);
  for (int step = 1; step <= steps; ++step) {
    RandomStream random = stream(2, static_cast<std::uint64_t>(step));
    std::vector<std::uint32_t> read;
    std::vector<float> gradients;
    std::vector<double> summed(rows * width);
    std::vector<bool> touched(rows);
    for (int i = 0; i < 60; ++i) {
      read.push_back(static_cast<std::uint32_t>(random.below(rows)));
      touched[read.back()] = true;
      for (std::size_t c = 0; c < width; ++c) {
        gradients.push_back(draw_gradient(random));
        summed[read.back() * width + c] += static_cast<double>(gradients.back());
      }
    }
    const double rate = learning_rate(options, step);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = 0; c < width && (touched[row] || laziness == Laziness::dense); ++c)
        reference.update(row * width + c, summed[row * width + c],
                         {rate, static_cast<double>(step), true});
    optimizer->begin_step(rate);
    table.add_gradients(read, gradients.data(), {});
    if (laziness == Laziness::lazy)
      optimizer->update_rows(table, read, 1, {});
    else
      optimizer->update_all_rows(table, 1, {});
    reference.expect_like(table, step);
  }
}

void expect_follows(const OptimizerOptions& options, const ReferenceRule& rule) {
  {
    SCOPED_TRACE("dense");
    expect_dense_follows(options, rule);
  }
  for (const std::int64_t columns : {1, 3, 20})
    for (const Laziness laziness : {Laziness::lazy, Laziness::dense}) {
      SCOPED_TRACE(std::to_string(columns) + " columns, updated " +
                   (laziness == Laziness::lazy ? "lazily" : "densely"));
      expect_table_follows(options, rule, columns, laziness);
    }
}

}  // namespace ultr::testing
