#pragma once

/// The menu of models/: the click-model DSL, and the models written in it.
#include "models/click_model.h"               // ClickModel, Cascade, Examination: the stories
#include "models/document_ctr.h"              // dctr
#include "models/dynamic_bayesian_network.h"  // dbn
#include "models/global_ctr.h"                // gctr
#include "models/model_options.h"             // TrainableModel, ModelOptions
#include "models/position_based.h"            // pbm
#include "models/prob.h"                      // Prob: probabilities in log space
#include "models/rank_ctr.h"                  // rctr

namespace ultr {

/// All click models, by the name they have in a configuration.
const std::vector<ModelType>& model_types();
/// The same as a table of options.
const std::vector<OptionType>& model_option_types();

}  // namespace ultr
