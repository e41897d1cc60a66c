#include "dsl/model_setting.h"

#include <algorithm>

#include "dsl/signal_domains.h"

namespace ultr {
namespace {

/// Returns the number of entries per query-document pair; 0 for domains of anything else.
std::int64_t entries_per_pair(Domain domain, std::int64_t positions) {
  if (!is_of_documents(domain)) return 0;
  return domain == Domain::document_rank ? positions : 1;
}

}  // namespace

RowPart ModelSetting::part() const {
  return processes == nullptr ? RowPart() : RowPart{processes->process(), processes->size()};
}

std::int64_t ModelSetting::entries(Domain domain) const {
  switch (domain) {
    case Domain::rank:
      return positions;
    case Domain::rank_pair:
      return positions * (positions + 1);
    case Domain::document:
    case Domain::document_rank:
      return part().held(rows) * entries_per_pair(domain, positions);
    case Domain::rank_viewed:
    case Domain::rank_skipped:
      return positions * 2;
    case Domain::dwell:
      return dwell_classes;
    default:
      return 1;
  }
}

std::int64_t ModelSetting::feature_columns(Domain domain) const {
  if (domain == Domain::rank) return entries(domain) + features.bias_count();
  if (!is_of_documents(domain)) return entries(domain);
  if (features.empty()) return 0;
  return features.relevance_count() + (domain == Domain::document_rank ? positions : 0);
}

LayerSetting ModelSetting::layer(const std::string& name, Domain domain, double start,
                                 std::size_t number) const {
  const std::int64_t per_pair = entries_per_pair(domain, positions);
  return {.name = name,
          .domain = domain,
          .entries = entries(domain),
          .part = is_of_documents(domain) ? part() : RowPart(),
          .entries_per_pair = std::max<std::int64_t>(per_pair, 1),
          .features = feature_columns(domain),
          .missing = is_of_documents(domain) && features.may_miss(),
          .vocabulary = is_of_documents(domain) ? features.tokens().vocabulary() : 0,
          .unknown = per_pair,  // the entries of row 0, which come first
          .start = start,
          .seed = seed,
          .number = static_cast<std::uint32_t>(number),
          .restored = restored};
}

}  // namespace ultr
