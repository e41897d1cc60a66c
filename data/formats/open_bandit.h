#pragma once

#include "data/text/raw_log.h"

namespace ultr {

/// Reads the Open Bandit Dataset (Saito et al., NeurIPS 2021 Datasets and Benchmarks), a CSV with a
/// header and one impression per row:
///
///     ,timestamp,item_id,position,click,propensity_score,...
///
/// Columns are found by name: `item_id`, `position` (from 1), `click` (0 or 1) and, if present,
/// `propensity_score`, the logging policy's probability of showing the item at the position (above
/// 0, at most 1). Other columns are ignored. Impressions carry no list id: each becomes a list of
/// one document at its displayed position, with query 0. Throws DataError as LogReader describes.
ReadReport read_open_bandit(const std::filesystem::path& file, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take);

}  // namespace ultr
