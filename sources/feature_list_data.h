#pragma once

#include "data/log/id_names.h"
#include "data/simulation/list_generator.h"
#include "experiment/data_options.h"
#include "experiment/registry.h"

namespace ultr {

/// Returns the data source `feature_lists`: lists of documents with features for rankers, read in
/// one of the feature formats (data/readers.h) or made by a list generator
/// (data/simulation/list_generator.h). The option `learn_from` chooses the training targets
/// (learning_targets.h). Rankings are evaluated on the judged test lists. `models`, `layers` and
/// `make_registry`: see target_types.
OptionType feature_list_type(const std::vector<OptionType>& models,
                             const std::vector<OptionType>& layers,
                             const MakeRegistry& make_registry);

/// Reads or makes the lists of a source `feature_lists`, divided as its options say, before any
/// option selects or scales documents. Sets the vocabulary, the names of ids and the notes of
/// `data`. Throws as DataOptions::load does.
ListGenerator::Parts lists_of(const DataOptions& source, const DataSetting& setting,
                              ExperimentData& data);

/// Makes the data of lists in memory, as the options of a source `feature_lists` say; its files are
/// not read. `names` are those of the lists' ids. Throws as DataOptions::load does.
ExperimentData load_lists(const DataOptions& source, ListGenerator::Parts lists,
                          const IdNames& names, const DataSetting& setting);

}  // namespace ultr
