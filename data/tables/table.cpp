#include "data/tables/table.h"

#include "data/tables/table_reading.h"

namespace ultr {

LogReader TableFormat::reader() const {
  setting_.check();
  return [setting = setting_](const auto& file, const auto& rules, const auto& take) {
    return read_table(setting, rules.scores_only ? TableUse::scoring : TableUse::log, file, rules,
                      take);
  };
}

}  // namespace ultr
