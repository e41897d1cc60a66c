#pragma once

#include "data/text/raw_log.h"

namespace ultr {

/// Reads the TianGong-ST format of neural click models (NCM), one list per line:
///
///     sid ⇥ qid ⇥ [docs] ⇥ [verticals] ⇥ [clicks]    and, in human labels,   ⇥ [relevance]
///
/// The arrays of a line have one length. Clicks are 0 or 1; relevance is -2 (unjudged) or 0 to 4.
/// Document id 0 is padding, which has no click and is left out. Before the last document, padding
/// leaves a gap in the displayed positions. A list is malformed if it has only padding, or no
/// document within the first rules.max_positions positions. Session ids repeat and are ignored;
/// verticals are checked and ignored. Throws DataError as LogReader describes.
ReadReport read_tiangong(const std::filesystem::path& file, const ReadRules& rules,
                         const std::function<void(const RawList&)>& take);

}  // namespace ultr
