#include "trust_pbm.h"

#include "testing/model_suite.h"

using ultr::testing::ModelSuite;
INSTANTIATE_TEST_SUITE_P(TrustPbm, ModelSuite,
                         ::testing::Values(ultr::model_type<TrustPbm>("trust_pbm", "")));
