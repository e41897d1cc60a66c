#include "analyses/refused_targets.h"

#include "base/error.h"

namespace ultr {

void refuse_labels(const ExperimentData& data) {
  if (data.learns_labels)
    throw DataError(
        "the training sessions have relevance labels; expected clicks or click rates, which depend "
        "on ranks");
}

void refuse_click_rates(const SessionLog& log) {
  if (log.has_targets())
    throw ConfigError(
        "the sessions have click rates; expected clicks (analysis.data.learn_from.aggregate: "
        "false)");
}

}  // namespace ultr
