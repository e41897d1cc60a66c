#pragma once

#include "experiment/data_options.h"
#include "experiment/registry.h"

namespace ultr {

/// The source of data `feature_lists`: lists of documents with features, as rankers learn from, in
/// any of data/formats/feature_format.h's formats, or made up by one of
/// data/simulation/list_generator.h. What training learns from is chosen by `learn_from`
/// (learning_targets.h). Judged test lists are what rankings are evaluated on. `models` and
/// `layers`: see target_types.
OptionType feature_list_type(const std::vector<OptionType>& models,
                             const std::vector<OptionType>& layers, MakeRegistry make_registry);

}  // namespace ultr
