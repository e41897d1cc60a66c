#include "data/tables/table_row_columns.h"

namespace ultr {

std::size_t TableRowColumns::bytes() const {
  std::size_t of_signals = 0;
  for (const Signal signal : all_signals) of_signals += signals[signal].bytes();
  return of_signals + documents.bytes() + positions.bytes() + clicked.bytes() + labels.bytes() +
         propensities.bytes() + features.bytes() + impressions.bytes() + clicks.bytes() +
         tokens_.bytes() + types_.bytes() + last_tokens_.bytes();
}

void TableRowColumns::push_back(const TableRow& row) {
  documents.push_back(row.document);
  positions.push_back(row.position);
  if (parts.clicks) clicked.push_back(row.click);
  if (parts.labels) labels.push_back(static_cast<std::int8_t>(row.label));
  if (parts.propensities) propensities.push_back(row.propensity);
  features.append(row.features);
  if (parts.words) {
    tokens_.append(row.words.tokens);
    types_.append(row.words.types);
    last_tokens_.push_back(tokens_.size());
  }
  if (parts.counts) {
    impressions.push_back(row.impressions);
    clicks.push_back(row.clicks);
  }
  for (const Signal signal : all_signals)
    if (parts.signals[signal]) signals[signal].push_back(row.signals[signal]);
}

void TableRowColumns::append(const TableRowColumns& other, std::size_t first, std::size_t count) {
  const auto take = [&](auto& to, const auto& from, std::size_t per_row = 1) {
    if (!from.empty()) to.append(from.values().subspan(first * per_row, count * per_row));
  };
  take(documents, other.documents);
  take(positions, other.positions);
  take(clicked, other.clicked);
  take(labels, other.labels);
  take(propensities, other.propensities);
  take(features, other.features, parts.features);
  take(impressions, other.impressions);
  take(clicks, other.clicks);
  for (const Signal signal : all_signals) take(signals[signal], other.signals[signal]);
  if (!parts.words) return;
  for (std::size_t row = first; row < first + count; ++row) {
    const DocumentTokens its = other.words(row);
    tokens_.append(its.tokens);
    types_.append(its.types);
    last_tokens_.push_back(tokens_.size());
  }
}

DocumentTokens TableRowColumns::words(std::size_t row) const {
  const std::size_t begin = first_token(row);
  const std::size_t count = static_cast<std::size_t>(last_tokens_[row]) - begin;
  return {tokens_.values().subspan(begin, count), types_.values().subspan(begin, count)};
}

}  // namespace ultr
