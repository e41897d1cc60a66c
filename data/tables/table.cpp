#include "data/tables/table.h"

#include "base/error.h"
#include "data/tables/table_reading.h"

namespace ultr {

LogReader TableFormat::reader() const {
  setting_.check();
  if (setting_.columns.has_words())
    throw ConfigError(
        "data.columns.query_words, title and abstract are not read with sessions; expected data: "
        "{format: feature_lists, reader: {type: table, ...}}");
  return [setting = setting_](const auto& file, const auto& rules, const auto& take) {
    return read_table(setting, rules.scores_only ? TableUse::scoring : TableUse::log, file, rules,
                      take);
  };
}

}  // namespace ultr
