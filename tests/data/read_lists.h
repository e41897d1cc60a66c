#pragma once

#include <string>
#include <vector>

#include "data/raw_log.h"

namespace ultr::testing {

/// What a reader made of a file.
struct ReadLists {
  std::vector<RawList> lists;
  ReadReport report;
};

inline ReadLists read_lists(const LogReader& read, const std::filesystem::path& file,
                            const ReadRules& rules = {}) {
  ReadLists result;
  result.report = read(file, rules, [&](const RawList& list) { result.lists.push_back(list); });
  return result;
}

}  // namespace ultr::testing
