#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dsl/model_options.h"
#include "dsl/programs/click_program.h"
#include "testing/model_inputs.h"

namespace ultr::testing {

/// The properties that every click model must have: the probabilities of all 2^K click vectors sum
/// to one, conditionals multiply to the joint, unconditionals are summed joints, gradients agree
/// with finite differences in float64, a replayed program equals a fresh one, samples have the
/// predicted frequencies, and expectation maximisation (where the model allows it) never lowers the
/// likelihood. ultr tests its own models with this suite. To test another model, link the test
/// program to ultr::model_suite (find_package(ultr COMPONENTS model_suite)) and write
///
///     using ultr::testing::ModelSuite;
///     INSTANTIATE_TEST_SUITE_P(MyModel, ModelSuite,
///                              ::testing::Values(ultr::model_type<MyModel>("my_model", "")));
///
/// The suite builds the model with its default options and sets its numbers at random.
class ModelSuite : public ::testing::TestWithParam<ModelType> {
 protected:
  static constexpr std::int64_t rows = 9, positions = 6;

  ModelSuite();

  /// log P(clicks) of each session, in the order of the log.
  std::vector<double> log_joint(const SessionLog& log,
                                ProgramKind kind = ProgramKind::exact_loss) const;

  TrainableModel model_;
  const std::vector<std::uint32_t> list_ = {3, 1, 4, 1, 5};  // one document is shown twice
};

/// Names tests by their model: the last argument of INSTANTIATE_TEST_SUITE_P.
inline std::string model_name(const ::testing::TestParamInfo<ModelType>& test) {
  return test.param.name;
}

}  // namespace ultr::testing
