#include "models/models.h"
#include "models/story_models.h"
#include "testing/model_suite.h"

/// Every registered model, and some that tests write, tested alike.
namespace ultr::testing {

INSTANTIATE_TEST_SUITE_P(Models, ModelSuite, ::testing::ValuesIn(model_types()), model_name);
INSTANTIATE_TEST_SUITE_P(Stories, ModelSuite, ::testing::ValuesIn(story_types()), model_name);

}  // namespace ultr::testing
