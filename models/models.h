#pragma once

/// The menu of models/: the click-model DSL, and the models written in it.
#include "dsl/click_model.h"                  // ClickModel, Cascade, Examination: the stories
#include "dsl/model_options.h"                // ModelOptions: reads, describes and builds a model
#include "dsl/prob.h"                         // Prob: probabilities in log space
#include "dsl/relevance_layer.h"              // relevance_layer: the layer a model ranks by
#include "dsl/trainable_model.h"              // TrainableModel: a click model and its layers
#include "models/cascade.h"                   // cm
#include "models/click_chain.h"               // ccm
#include "models/dependent_click.h"           // dcm
#include "models/document_ctr.h"              // dctr
#include "models/document_rank_ctr.h"         // drctr
#include "models/dwell_dbn.h"                 // dwell_dbn
#include "models/dynamic_bayesian_network.h"  // dbn
#include "models/global_ctr.h"                // gctr
#include "models/mixture.h"                   // mixture
#include "models/position_based.h"            // pbm
#include "models/rank_ctr.h"                  // rctr
#include "models/simplified_dbn.h"            // sdbn
#include "models/skipped_pbm.h"               // skipped_pbm
#include "models/trust_bias.h"                // trust_bias
#include "models/two_tower.h"                 // two_tower
#include "models/user_browsing.h"             // ubm
#include "models/viewed_pbm.h"                // viewed_pbm

namespace ultr {

/// All click models of ultr, by their names in a configuration.
const std::vector<ModelType>& model_types();

}  // namespace ultr
