#pragma once

#include "data/formats/raw_log.h"

namespace ultr {

/// Reads the TianGong-ST format of neural click models (NCM), a list a line:
///
///     sid ⇥ qid ⇥ [docs] ⇥ [verticals] ⇥ [clicks]    and, in human labels,   ⇥ [relevance]
///
/// all of one length. Document id 0 is padding and is left out, which leaves a gap in the displayed
/// positions unless it stands at the end; clicks are 0 or 1; relevance is -2 (unjudged) or 0 to 4.
/// A list that has only padding, or shows nothing at the positions that the rules leave it, is
/// malformed. Session ids repeat and mean nothing here; verticals are checked and ignored.
ReadReport read_tiangong(const std::filesystem::path& file, const ReadRules& rules,
                         const std::function<void(const RawList&)>& take);

}  // namespace ultr
