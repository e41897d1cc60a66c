#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "losses/loss_variants.h"
#include "models/model_fixture.h"

namespace ultr::testing {

/// A ranking loss whose relevance, or a click model whose parameters of documents are boosted
/// trees.
struct TreeStory {
  std::string name;
  bool is_click_model;
  /// `trees`: the options of every tower, in YAML.
  std::function<TrainableModel(const ModelSetting&, const std::string& trees)> build;
};

inline void PrintTo(const TreeStory& story, std::ostream* out) { *out << story.name; }

/// Returns a loss with another relevance.
inline LossVariant with_relevance(LossVariant loss, const std::string& layer) {
  std::string others = loss.options.substr(1, loss.options.size() - 2);
  if (!others.empty()) others += ", ";
  loss.options = "{" + others + "relevance: " + layer + "}";
  return loss;
}

inline TreeStory tree_story(const LossVariant& loss) {
  return {loss.name, false, [loss](const ModelSetting& setting, const std::string& trees) {
            return build_loss(with_relevance(loss, trees), setting);
          }};
}

inline TreeStory tree_story(const ModelType& type) {
  return {"click_model_" + type.name, true,
          [type](const ModelSetting& setting, const std::string& trees) {
            ModelOptions options(type, registry().models());
            std::string yaml;
            for (const std::string& name : options.document_parameters())
              yaml += (yaml.empty() ? "" : ", ") + name + ": " + trees;
            if (type.name == "mixture")
              yaml = "components: [{type: pbm, attraction: " + trees +
                     "}, {type: dbn, attraction: " + trees + ", satisfaction: " + trees + "}]";
            configure(options, "{" + yaml + "}");
            return options.build(setting);
          }};
}

/// All ranking losses and all click models that have parameters of documents. Those of drctr are
/// parameters of documents at ranks, which trees do not compute.
inline std::vector<TreeStory> tree_stories() {
  std::vector<TreeStory> all;
  for (const LossVariant& loss : loss_variants()) all.push_back(tree_story(loss));
  for (const ModelType& type : model_types())
    if (type.name == "mixture" ||
        (type.name != "drctr" &&
         !ModelOptions(type, registry().models()).document_parameters().empty()))
      all.push_back(tree_story(type));
  return all;
}

}  // namespace ultr::testing
