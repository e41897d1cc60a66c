#include "models/models.h"
#include "models/story_models.h"
#include "testing/model_suite.h"

/// Runs the same tests on every registered model and on some models that tests define.
namespace ultr::testing {

INSTANTIATE_TEST_SUITE_P(Models, ModelSuite, ::testing::ValuesIn(model_types()), model_name);
INSTANTIATE_TEST_SUITE_P(Stories, ModelSuite, ::testing::ValuesIn(story_types()), model_name);

}  // namespace ultr::testing
