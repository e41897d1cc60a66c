#include "python/logs/log_table.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/text/csv_text.h"

namespace ultr::python {
namespace {

/// A document of a log: its session, its rank there, and its place in the log.
struct Place {
  std::size_t session, rank, document;
};

/// A column of the table: its name, and what adds its cell of a document.
struct Column {
  std::string name;
  std::function<void(const Place&, CsvText&)> add_cell;
};

std::vector<Column> columns_of(const ClickLog& log,
                               const std::map<std::string, std::string>& names) {
  const SessionLog& sessions = *log.sessions;
  const IdNames& texts = log.pairs->names();
  std::vector<Column> columns;
  const auto add = [&](const std::string& column, auto add_cell) {
    const std::string& name = names.at(column);
    if (std::ranges::count(log.features, name) == 0) columns.push_back({name, std::move(add_cell)});
  };
  add("session", [](const Place& at, CsvText& csv) { csv.add(at.session + 1); });
  add("query", [&](const Place& at, CsvText& csv) {
    std::string memory;
    csv.add(texts.text(sessions[at.session].query, memory));
  });
  add("document", [&, ids = log.pairs->documents()](const Place& at, CsvText& csv) {
    std::string memory;
    csv.add(texts.text(ids[sessions.rows()[at.document]], memory));
  });
  add("position",
      [&](const Place& at, CsvText& csv) { csv.add(sessions[at.session].positions[at.rank] + 1); });
  if (log.has_clicks)
    add("click", [&](const Place& at, CsvText& csv) { csv.add(sessions.clicks()[at.document]); });
  if (sessions.has_propensities())
    add("propensity",
        [&](const Place& at, CsvText& csv) { csv.add(sessions.propensities()[at.document]); });
  for (const Signal signal : all_signals)
    if (sessions.has(signal))
      add(std::string(type_of(signal).name), [&, signal](const Place& at, CsvText& csv) {
        csv.add(sessions.signal(signal)[at.document]);
      });
  for (std::size_t f = 0; f < log.features.size(); ++f)
    columns.push_back({log.features[f], [&, f](const Place& at, CsvText& csv) {
                         const auto row = static_cast<std::int64_t>(at.document) + 1;
                         csv.add(sessions.features().row(row)[f]);
                       }});
  return columns;
}

}  // namespace

void write_log_table(const ClickLog& log, const std::filesystem::path& file,
                     const std::map<std::string, std::string>& names) {
  constexpr std::size_t most_text = 1 << 20;
  const std::vector<Column> columns = columns_of(log, names);
  NewFile into(file);
  CsvText csv;
  for (const Column& column : columns) csv.add(column.name);
  csv.end_row();
  Place at{};
  for (; at.session < log.sessions->sessions(); ++at.session)
    for (at.rank = 0; at.rank < log.sessions->length(at.session); ++at.rank, ++at.document) {
      for (const Column& column : columns) column.add_cell(at, csv);
      csv.end_row();
      if (csv.text().size() < most_text) continue;
      into.write(csv.text());
      csv.clear();
    }
  into.write(csv.text());
  into.finish();
}

}  // namespace ultr::python
