#pragma once

/// Menu of losses/: functions that compute a loss from scores in list order, and the losses that
/// rankers are trained with.
#include "dsl/model_options.h"              // ModelType
#include "losses/affine.h"                  // affine
#include "losses/backdoor.h"                // backdoor
#include "losses/display_positions.h"       // DisplayPositions: policy-aware propensities
#include "losses/distill.h"                 // distill
#include "losses/doubly_robust.h"           // doubly_robust
#include "losses/dual_learning.h"           // dla
#include "losses/inverse_propensity.h"      // ips
#include "losses/lambdarank.h"              // lambdarank_loss
#include "losses/lists.h"                   // Lists: the lists of a batch
#include "losses/logging_policy_weights.h"  // logging_policy_weights
#include "losses/naive.h"                   // naive
#include "losses/pairwise_debias.h"         // pairwise_debias
#include "losses/pointwise.h"               // pointwise_loss
#include "losses/position_based.h"          // pbm
#include "losses/propensity_weights.h"      // inverse_propensity_weights
#include "losses/ranking_loss.h"            // RankingLoss: a forward formula
#include "losses/regression_em.h"           // regression_em
#include "losses/softmax.h"                 // softmax_loss
#include "losses/trust_bias.h"              // trust_bias_loss
#include "losses/two_tower.h"               // two_tower

namespace ultr {

/// All losses of ultr, with their names in a configuration. Each type builds a RankingLoss.
const std::vector<ModelType>& ranking_losses();

}  // namespace ultr
