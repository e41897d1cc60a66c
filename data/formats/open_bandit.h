#pragma once

#include "data/formats/raw_log.h"

namespace ultr {

/// Reads the Open Bandit Dataset (Saito et al., NeurIPS 2021 Datasets and Benchmarks), CSV with a
/// header, one impression a row:
///
///     ,timestamp,item_id,position,click,propensity_score,...
///
/// The columns `item_id`, `position` (from 1) and `click` (0 or 1) are found by name; others are
/// ignored but for `propensity_score`, the logging policy's probability of the item at the position
/// (above 0, at most 1), which is kept where the file has it. Impressions carry no list id: each is
/// a list of one document at its displayed position, and all have query 0.
ReadReport read_open_bandit(const std::filesystem::path& file, const ReadRules& rules,
                            const std::function<void(const RawList&)>& take);

}  // namespace ultr
