#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/logs/click_log.h"
#include "python/logs/python_column.h"

namespace ultr::python {

/// The columns of a table with one row per shown document. Only `document` is required: a table
/// without a session has one list per query, one without a query one query, one without positions
/// shows documents in the order of its rows, and one without clicks has none. Lists of different
/// users are different, and a list is repeated as often as the weight of its first row says. Dwell
/// times are numbers from 0 up, other signals 0 or 1.
struct LogColumns {
  PythonColumn document;
  std::optional<PythonColumn> session{}, query{}, position{}, click{}, propensity{}, time{}, user{},
      weight{};
  PerSignal<std::optional<PythonColumn>> signals{};
  std::vector<PythonColumn> features{};  // numbers; bias features last
  std::size_t bias_features = 0;         // number of the last of them that describe the display
  std::string first_position = "found";  // or "0" or "1": as the table format has it
};

/// Makes a log of the rows of a table. Rows with the same session and query are a list; lists are
/// in the order of their first rows, or of their times. Throws DataError with the column and the
/// row for a value that is missing or of the wrong type, and with the row for a list that shows two
/// documents at one position. Needs the GIL.
ClickLog build_log(const LogColumns& columns);

}  // namespace ultr::python
