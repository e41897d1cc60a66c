#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/text/raw_log.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

/// The lists that a reader read from a file, and its report.
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

/// Reads a text with a reader.
inline ReadLists read_text_of_lists(const LogReader& read, const std::string& text,
                                    const ReadRules& rules = {}) {
  const TemporaryFolder folder;
  return read_lists(read, folder.write("log.txt", text), rules);
}

/// Returns the error that reading a text gives, without the path of the file: ":1: ..." for line 1.
inline std::string message_of_text(const LogReader& read, const std::string& text,
                                   const ReadRules& rules = {}) {
  const TemporaryFolder folder;
  const auto file = folder.write("log.txt", text).string();
  const std::string message = data_message([&] { read_lists(read, file, rules); });
  EXPECT_EQ(message.substr(0, file.size()), file);
  return message.substr(std::min(file.size(), message.size()));
}

}  // namespace ultr::testing
