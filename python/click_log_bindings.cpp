#include <algorithm>

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "base/error.h"
#include "python/bindings.h"
#include "python/logs/click_log.h"
#include "python/logs/log_builder.h"
#include "python/logs/log_columns.h"
#include "python/logs/log_table.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

SplitLog split_by(const ClickLog& log, double valid, double test, std::uint64_t seed,
                  const std::string& by) {
  return split(log, {.valid = valid,
                     .test = test,
                     .seed = seed,
                     .by = by == "query"  ? SplitBy::query
                           : by == "time" ? SplitBy::time
                                          : SplitBy::session});
}

/// Returns a dict of columns by name.
py::dict arrow_columns(const py::object& table, const std::vector<std::string>& names) {
  py::dict columns;
  for (ArrowColumn& column : read_arrow(table, names)) {
    const py::array values =
        column.texts ? py::array(py::array_t<double>(0)) : py::array(column.values);
    columns[py::str(column.name)] = PythonColumn{column.name, values, std::move(column.missing),
                                                 py::none(), std::move(column.texts)};
  }
  return columns;
}

/// Calls write_log_table. Throws DataError if the ids of some documents are unknown, as they are in
/// validation and test sessions that were read with others.
void write_known_documents(const ClickLog& log, const std::filesystem::path& file,
                           const std::map<std::string, std::string>& names) {
  const auto unknown = std::ranges::count(log.sessions->rows(), PairDictionary::unknown);
  if (unknown > 0)
    throw DataError(fmt::format(
        "the ids of {} of {} documents are unknown, since training sessions do not show them; "
        "expected a log of its own, as of ClickLog.from_dataframe",
        unknown, log.sessions->documents()));
  write_log_table(log, file, names);
}

}  // namespace

void bind_click_log(py::module_& m) {
  py::class_<PythonColumn>(m, "Column")
      .def(py::init(
          [](std::string name, py::array values, py::object missing, py::object categories) {
            return PythonColumn{std::move(name), std::move(values), std::move(missing),
                                std::move(categories)};
          }))
      .def("__len__", &PythonColumn::rows);
  m.def("arrow_columns", &arrow_columns);

  m.def("build_log",
        [](const std::map<std::string, PythonColumn>& columns, std::vector<PythonColumn> features,
           std::size_t bias_features, std::string first_position) {
          const auto column = [&](const std::string& name) {
            const auto found = columns.find(name);
            return found == columns.end() ? std::optional<PythonColumn>() : found->second;
          };
          PerSignal<std::optional<PythonColumn>> signals;
          for (const Signal signal : all_signals)
            signals[signal] = column(std::string(type_of(signal).name));
          return build_log({.document = columns.at("document"),
                            .session = column("session"),
                            .query = column("query"),
                            .position = column("position"),
                            .click = column("click"),
                            .propensity = column("propensity"),
                            .time = column("time"),
                            .user = column("user"),
                            .weight = column("weight"),
                            .signals = std::move(signals),
                            .features = std::move(features),
                            .bias_features = bias_features,
                            .first_position = std::move(first_position)});
        });

  py::class_<ClickLog>(m, "ClickLog")
      .def("split",
           [](const ClickLog& log, double valid, double test, std::uint64_t seed,
              const std::string& by) {
             SplitLog parts = split_by(log, valid, test, seed, by);
             return py::make_tuple(std::move(parts.train), std::move(parts.valid),
                                   std::move(parts.test));
           })
      .def("columns", &columns_of)
      .def("write_table", &write_known_documents, py::call_guard<py::gil_scoped_release>())
      .def_readonly("features", &ClickLog::features)
      .def_property_readonly(
          "bias_features",
          [](const ClickLog& log) { return log.sessions->features().bias_count(); })
      .def_readonly("has_clicks", &ClickLog::has_clicks)
      .def_property_readonly("has_propensities",
                             [](const ClickLog& log) { return log.sessions->has_propensities(); })
      .def_property_readonly("signals",
                             [](const ClickLog& log) {
                               std::vector<std::string> names;
                               for (const Signal signal : all_signals)
                                 if (log.sessions->has(signal))
                                   names.emplace_back(type_of(signal).name);
                               return names;
                             })
      .def_property_readonly("sessions",
                             [](const ClickLog& log) { return log.sessions->sessions(); })
      .def_property_readonly("documents",
                             [](const ClickLog& log) { return log.sessions->documents(); })
      .def_property_readonly("positions",
                             [](const ClickLog& log) { return log.sessions->positions(); })
      .def_property_readonly("click_rate",
                             [](const ClickLog& log) { return log.sessions->click_rate(); })
      .def_readonly("notes", &ClickLog::notes);
}

}  // namespace ultr::python
