#include "focal_loss.h"

#include "testing/model_suite.h"

using ultr::testing::ModelSuite;
INSTANTIATE_TEST_SUITE_P(FocalLoss, ModelSuite,
                         ::testing::Values(ultr::model_type<FocalLoss>("focal", "")));
