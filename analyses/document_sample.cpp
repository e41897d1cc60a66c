#include "analyses/document_sample.h"

#include "base/random.h"

namespace ultr {

std::span<const float> document_features(const Dataset& dataset, const SessionLog& log,
                                         std::size_t session, std::size_t rank) {
  if (!log.features().empty())
    return log.features().row(static_cast<std::int64_t>(log.first_document(session) + rank + 1));
  return dataset.features.row(log[session].rows[rank]);
}

DocumentSample sample_documents(const Dataset& dataset, std::size_t most_documents,
                                std::uint64_t seed) {
  const SessionLog& log = dataset.train;
  const FeatureTable& table = log.features().empty() ? dataset.features : log.features();
  DocumentSample sample{.feature_count = static_cast<std::size_t>(table.relevance_count())};
  const double share = static_cast<double>(most_documents) /
                       static_cast<double>(std::max<std::size_t>(log.documents(), 1));
  for (std::size_t s = 0; s < log.sessions(); ++s) {
    if (RandomStream(seed, RandomPurpose::resampling, 1, s).uniform() >= share) continue;
    sample.sessions.push_back(static_cast<std::uint32_t>(s));
    for (std::size_t i = 0; sample.feature_count > 0 && i < log.length(s); ++i) {
      const auto features = document_features(dataset, log, s, i).first(sample.feature_count);
      sample.features.insert(sample.features.end(), features.begin(), features.end());
    }
  }
  return sample;
}

}  // namespace ultr
