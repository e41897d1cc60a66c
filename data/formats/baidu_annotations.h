#pragma once

#include "data/formats/baidu_features.h"

namespace ultr {

/// Reads the annotations of Baidu-ULTR (see BaiduLine): documents with relevance labels 0 to 4,
/// assigned by human judges. Lines with the same query text form one list, wherever they stand in
/// the file; therefore all lists stay in memory until the end of the file.
class BaiduAnnotationsFormat final : public BaiduFeatureFormat {
 protected:
  ReadReport read_lists(const std::filesystem::path& file, const ReadRules& rules, bool prepare,
                        const std::function<void(const BaiduList&)>& take) const override;
};

}  // namespace ultr
