#pragma once

#include <filesystem>
#include <functional>

#include "data/tables/table_setting.h"
#include "data/text/raw_log.h"

namespace ultr {

class Vocabulary;

/// Reads a text table and passes its lists to `take`, as a LogReader does.
///
/// Rows with the same session, user and query are a list, wherever they stand; lists are in the
/// order of their first rows, or of the column `time`. Queries and documents are texts (IdNames).
/// All rows of a file are in memory while it is read, unless `sorted` says that those of a list are
/// neighbours. An error of a row names its file, line and column. If malformed rows are skipped,
/// they leave a gap in their lists, and notes count them by kind. Words are read if there is a
/// vocabulary, which gets those that it lacks unless it is complete.
ReadReport read_table(const TableSetting& setting, TableUse use, const std::filesystem::path& file,
                      const ReadRules& rules, const std::function<void(const RawList&)>& take,
                      Vocabulary* vocabulary = nullptr);

}  // namespace ultr
