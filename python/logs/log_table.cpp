#include "python/logs/log_table.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "base/files/file.h"
#include "data/text/csv_line.h"

namespace ultr::python {
namespace {

/// A document of a log: its session, its rank there, and its place in the log.
struct Place {
  std::size_t session, rank, document;
};

/// A column of the table: its name, and its cells.
struct Cells {
  std::string name;
  std::function<std::string(const Place&)> cell;
};

std::vector<Cells> cells_of(const ClickLog& log, const std::map<std::string, std::string>& names) {
  const SessionLog& sessions = *log.sessions;
  const IdNames& texts = log.pairs->names();
  std::vector<Cells> columns;
  const auto add = [&](const std::string& column, std::function<std::string(const Place&)> cell) {
    const std::string& name = names.at(column);
    if (std::ranges::count(log.features, name) == 0) columns.push_back({name, std::move(cell)});
  };
  add("session", [](const Place& at) { return fmt::format("{}", at.session + 1); });
  add("query", [&](const Place& at) { return csv_field(texts.text(sessions[at.session].query)); });
  add("document", [&, ids = log.pairs->documents()](const Place& at) {
    return csv_field(texts.text(ids[sessions.rows()[at.document]]));
  });
  add("position", [&](const Place& at) {
    return fmt::format("{}", sessions[at.session].positions[at.rank] + 1);
  });
  if (log.has_clicks)
    add("click",
        [&](const Place& at) { return fmt::format("{}", sessions.clicks()[at.document]); });
  if (sessions.has_propensities())
    add("propensity",
        [&](const Place& at) { return fmt::format("{}", sessions.propensities()[at.document]); });
  for (const Signal signal : all_signals)
    if (sessions.has(signal))
      add(std::string(type_of(signal).name), [&, signal](const Place& at) {
        return fmt::format("{}", sessions.signal(signal)[at.document]);
      });
  for (std::size_t f = 0; f < log.features.size(); ++f)
    columns.push_back({log.features[f], [&, f](const Place& at) {
                         const auto row = static_cast<std::int64_t>(at.document) + 1;
                         return fmt::format("{}", sessions.features().row(row)[f]);
                       }});
  return columns;
}

}  // namespace

void write_log_table(const ClickLog& log, const std::filesystem::path& file,
                     const std::map<std::string, std::string>& names) {
  constexpr std::size_t most_text = 1 << 20;
  const std::vector<Cells> columns = cells_of(log, names);
  NewFile into(file);
  std::string text;
  const auto end_row = [&] { text.back() = '\n'; };
  for (const Cells& column : columns) text += csv_field(column.name) + ",";
  end_row();
  Place at{};
  for (; at.session < log.sessions->sessions(); ++at.session)
    for (at.rank = 0; at.rank < log.sessions->length(at.session); ++at.rank, ++at.document) {
      for (const Cells& column : columns) text += column.cell(at) + ",";
      end_row();
      if (text.size() < most_text) continue;
      into.write(text);
      text.clear();
    }
  into.write(text);
  into.finish();
}

}  // namespace ultr::python
