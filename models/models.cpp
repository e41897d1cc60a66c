#include "models/models.h"

namespace ultr {

const std::vector<ModelType>& model_types() {
  static const std::vector<ModelType> types = {
      model_type<GlobalCtrModel>("gctr", "Global click rate: one probability for all documents."),
      model_type<RankCtrModel>("rctr", "Rank-based click rate: one probability per rank."),
      model_type<DocumentCtrModel>(
          "dctr", "Document-based click rate: one probability per query-document pair."),
      model_type<DocumentRankCtrModel>(
          "drctr", "Document- and rank-based click rate: one probability per pair and rank."),
      model_type<PositionBasedModel>("pbm", "Position-based model: examination times attraction."),
      model_type<TrustBiasModel>(
          "trust_bias", "Position-based model whose users also click irrelevant documents."),
      model_type<TwoTowerModel>("two_tower", "Two towers: the logits of rank and pair add up."),
      model_type<CascadeClickModel>("cm", "Cascade model: users stop at the first click."),
      model_type<UserBrowsingModel>(
          "ubm", "User browsing model: examination depends on the last click's rank."),
      model_type<DependentClickModel>(
          "dcm", "Dependent click model: a cascade that may go on after a click."),
      model_type<ClickChainModel>(
          "ccm", "Click chain model: a cascade; going on depends on the clicked document."),
      model_type<DynamicBayesianNetworkModel>(
          "dbn", "Dynamic Bayesian network: a cascade that satisfied users leave."),
      model_type<SimplifiedDbnModel>("sdbn", "Simplified DBN: only satisfied users leave."),
      model_type<ViewedPbmModel>(
          "viewed_pbm", "Position-based model that knows which documents were in the viewport."),
      model_type<SkippedPbmModel>(
          "skipped_pbm", "Position-based model that knows if the document above was skipped."),
      model_type<DwellDbnModel>(
          "dwell_dbn", "DBN whose satisfaction also depends on the dwell time after a click."),
      model_type<MixtureModel>("mixture",
                               "Mixture: in each session the user follows one of several models."),
  };
  return types;
}

}  // namespace ultr
