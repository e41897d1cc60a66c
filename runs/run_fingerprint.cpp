#include "runs/run_fingerprint.h"

#include <fmt/core.h>

#include "experiment/resolve_options.h"
#include "runs/run_results.h"

namespace ultr {

RunFingerprint run_fingerprint(ExperimentOptions& options, const Dataset& dataset) {
  RunFingerprint fingerprint;
  fingerprint.options = result_options(parse_config(saved_config(options), config_file));
  fingerprint.options.emplace_back("seed", std::to_string(options.seed));
  fingerprint.data = fmt::format(
      "{} training sessions of {} documents with {} clicks, {} validation sessions of {}, {} "
      "query-document pairs at {} positions",
      dataset.train.sessions(), dataset.train.documents(), dataset.train.clicked(),
      dataset.valid.sessions(), dataset.valid.documents(), dataset.dictionary.rows() - 1,
      dataset.positions);
  return fingerprint;
}

void expect_same_data(Communicator& processes, const RunFingerprint& fingerprint,
                      const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : fingerprint.options)
    texts.push_back(fmt::format("{}={}", name, value));
  texts.push_back(fingerprint.data);
  texts.push_back(fmt::format("{} test sessions of {} documents and {} judged lists",
                              dataset.test.sessions(), dataset.test.documents(),
                              dataset.labels.size()));
  texts.push_back(fmt::format("the dictionary {:016x}", dataset.dictionary.id()));
  expect_same(processes, texts);
}

}  // namespace ultr
