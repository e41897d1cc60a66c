#pragma once

#include "data/formats/baidu_features.h"

namespace ultr {

/// Reads Baidu's annotations (BaiduLine): documents with relevance judged by people, 0 to 4. Lines
/// with one query text are one list, wherever they stand; until the end of the file they are kept
/// in memory. A document's id is a hash of its title and abstract.
class BaiduAnnotationsFormat final : public BaiduFeatureFormat {
 protected:
  ReadReport read_lists(const std::filesystem::path& file, const ReadRules& rules, bool prepare,
                        const std::function<void(const List&)>& take) const override;
};

}  // namespace ultr
