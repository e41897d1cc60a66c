#include "python/logs/log_columns.h"

#include <string>
#include <unordered_map>

namespace ultr::python {

namespace py = pybind11;

py::array ids_array(std::span<const std::uint64_t> ids, const IdNames& names, bool numbered,
                    std::span<const std::uint32_t> rows) {
  const auto is_unknown = [&](std::size_t i) {
    return !rows.empty() && rows[i] == PairDictionary::unknown;
  };
  if (numbered) {
    std::vector<std::int64_t> numbers(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (is_unknown(i)) numbers[i] = -1;
    return array_of(std::move(numbers));
  }
  py::array texts(py::dtype("O"), static_cast<py::ssize_t>(ids.size()));
  auto** const cells = static_cast<PyObject**>(texts.mutable_data());
  std::unordered_map<std::uint64_t, py::object> known;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [text, is_new] = known.try_emplace(ids[i]);
    if (is_new) text->second = py::str(names.text(ids[i]));
    const py::object cell = is_unknown(i) ? py::object(py::none()) : text->second;
    Py_XDECREF(cells[i]);
    cells[i] = cell.inc_ref().ptr();
  }
  return texts;
}

py::dict columns_of(const ClickLog& log) {
  const SessionLog& sessions = *log.sessions;
  const std::vector<std::uint64_t> documents_of_rows = log.pairs->documents();
  std::vector<std::int64_t> lists;
  std::vector<std::uint64_t> queries, documents;
  std::vector<std::int32_t> positions;
  for (std::size_t i = 0; i < sessions.sessions(); ++i) {
    const SessionView session = sessions[i];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      lists.push_back(static_cast<std::int64_t>(i));
      queries.push_back(session.query);
      documents.push_back(documents_of_rows[session.rows[k]]);
      positions.push_back(session.positions[k] + 1);
    }
  }
  py::dict columns;
  columns["list"] = array_of(std::move(lists));
  columns["query"] = ids_array(queries, log.pairs->names(), log.numbered_queries);
  columns["document"] =
      ids_array(documents, log.pairs->names(), log.numbered_documents, sessions.rows());
  columns["position"] = array_of(std::move(positions));
  columns["click"] =
      array_of(std::vector<std::uint8_t>(sessions.clicks().begin(), sessions.clicks().end()));
  if (sessions.has_propensities())
    columns["propensity"] = array_of(
        std::vector<float>(sessions.propensities().begin(), sessions.propensities().end()));
  for (const Signal signal : all_signals)
    if (sessions.has(signal))
      columns[py::str(std::string(type_of(signal).name))] = array_of(std::vector<std::uint16_t>(
          sessions.signal(signal).begin(), sessions.signal(signal).end()));
  for (std::size_t f = 0; f < log.features.size(); ++f) {
    std::vector<float> values;
    for (std::int64_t row = 1; row < sessions.features().rows(); ++row)
      values.push_back(sessions.features().row(row)[f]);
    std::string name = log.features[f];
    while (columns.contains(name)) name.insert(0, "_");
    columns[py::str(name)] = array_of(std::move(values));
  }
  return columns;
}

}  // namespace ultr::python
