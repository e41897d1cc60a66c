#include "data/tables/table_columns.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "data/tables/table_records.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted_name = 40, most_listed = 8;

/// Formats the names of a header for a message: the first few, quoted.
std::string shown(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names.first(std::min(names.size(), most_listed)))
    quoted.push_back(quote(name, most_quoted_name));
  return fmt::format("{}{}", fmt::join(quoted, ", "), names.size() > most_listed ? ", ..." : "");
}

/// Returns the name that is meant by one that a header lacks: the nearest, or one that has it as a
/// part. Returns an empty text if there is none.
std::string meant_name(std::string_view name, std::span<const std::string_view> names) {
  std::string near = nearest_name(name, {names.begin(), names.end()});
  if (!near.empty()) return near;
  const auto has_it = [&](std::string_view other) {
    return other.find(name) != std::string_view::npos;
  };
  const auto found = std::find_if(names.begin(), names.end(), has_it);
  return found == names.end() ? "" : std::string(*found);
}

}  // namespace

std::size_t place_of_column(std::string_view name, std::span<const std::string_view> header) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return TableColumn::none;
  if (std::find(found + 1, header.end(), name) != header.end())
    throw DataError(fmt::format("has several columns {}; expected one of each name that is used",
                                quote(name, most_quoted_name)));
  return static_cast<std::size_t>(found - header.begin());
}

/// The columns of a table, looked up by name or number.
class TableColumns::ColumnFinder {
 public:
  /// `section`: the place of the user's names in a configuration, for messages; `options` as in
  /// TableColumns.
  ColumnFinder(std::span<const std::string_view> names, std::size_t count, std::string_view section,
               const std::map<std::string, std::string, std::less<>>& options)
      : names_(names), count_(count), section_(section), options_(options) {
    if (const std::string delimiter = likely_delimiter(names); !delimiter.empty())
      throw DataError(fmt::format("has one column, {}; expected {}",
                                  quote(names[0], most_quoted_name),
                                  expected_delimiter(delimiter)));
  }

  /// Finds the column of a role that must be there; `given` is the user's name for it.
  TableColumn need(std::string_view role, const std::string& given) const {
    const std::string_view name = given.empty() ? role : std::string_view(given);
    return names_.empty() ? numbered(role, given) : named(role, name);
  }
  /// Finds the column of a role if the user names it or the table has a column of that name.
  TableColumn find(std::string_view role, const std::string& given) const {
    if (given.empty() && std::find(names_.begin(), names_.end(), role) == names_.end()) return {};
    return need(role, given);
  }
  /// Returns true if the table has the column of a role.
  bool has(std::string_view role, const std::string& given) const {
    if (names_.empty()) return number_of(given).has_value();
    const std::string_view name = given.empty() ? role : std::string_view(given);
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  /// Finds the column of a role if the user names it.
  TableColumn find_if_given(std::string_view role, const std::string& given) const {
    return given.empty() ? TableColumn() : need(role, given);
  }

 private:
  std::string expected_delimiter(const std::string& likely) const {
    if (!options_.empty()) return std::string(delimiters_by_file_name);
    return fmt::format("{}.delimiter to be '{}'", section_.substr(0, section_.rfind('.')), likely);
  }
  /// Returns what a message expects of the column of a role.
  std::string expected_name(std::string_view role) const {
    if (options_.empty()) return fmt::format("{}.{} to be one of", section_, role);
    const auto option = options_.find(role);
    return option == options_.end() ? "it beside" : fmt::format("{} to be one of", option->second);
  }

  TableColumn named(std::string_view role, std::string_view name) const {
    const std::size_t place = place_of_column(name, names_);
    if (place == TableColumn::none) {
      const std::string near = meant_name(name, names_);
      throw DataError(fmt::format(
          "has no column {}; expected {} {}{}", quote(name, most_quoted_name), expected_name(role),
          shown(names_),
          near.empty() ? "" : fmt::format(" (did you mean {}?)", quote(near, most_quoted_name))));
    }
    return {place, fmt::format("column {}", quote(name, most_quoted_name))};
  }

  TableColumn numbered(std::string_view role, const std::string& given) const {
    const std::optional<std::size_t> number = number_of(given);
    if (!number)
      throw DataError(fmt::format(
          "{}.{} is {}; expected the number of a column, 1 to {}, since data.header is false",
          section_, role, given.empty() ? "missing" : quote(given, most_quoted_name), count_));
    return {*number - 1, fmt::format("{} (column {})", role, *number)};
  }

  /// Returns the number of a column; nothing if the table does not have it.
  std::optional<std::size_t> number_of(const std::string& given) const {
    std::size_t number = 0;
    const char* const end = given.data() + given.size();
    const auto [parsed, error] = std::from_chars(given.data(), end, number);
    if (given.empty() || error != std::errc() || parsed != end || number < 1 || number > count_)
      return std::nullopt;
    return number;
  }

  std::span<const std::string_view> names_;
  std::size_t count_;
  std::string_view section_;
  const std::map<std::string, std::string, std::less<>>& options_;
};

void TableColumns::fields(Fields& f) {
  f.text("session", session, "Column that tells lists apart; default: session.");
  f.text("user", user,
         "Column with the user: equal sessions of different users are different; default: none.");
  f.text("query", query, "Column with the query; default: query, or all lists have the same.");
  f.text("document", document, "Column with the document; default: document.");
  f.text("position", position,
         "Column with the displayed position; default: position, or the order of rows.");
  f.text("click", click, "Column with 0 or 1, or false or true; default: click.");
  f.text("label", label, "Column with judged relevance, -2 (unjudged) or 0 to 31; default: none.");
  f.text("propensity", propensity,
         "Column with the logging policy's probability of its choice; default: none.");
  f.text("time", time,
         "Column with the time, a number or ISO 8601, by which lists are ordered; default: none.");
  f.text("weight", weight,
         "Column with the number of sessions that a list stands for, above 0, perhaps not whole; "
         "default: none.");
  f.text("viewed", signals[Signal::viewed],
         "Column with 1 if the document was in the user's viewport, else 0; default: none.");
  f.text("skipped", signals[Signal::skipped],
         "Column with 1 if the user passed over the document, else 0; default: none.");
  f.text("dwell", signals[Signal::dwell],
         "Column with the seconds that the user stayed on a clicked document; empty or 0: unknown; "
         "default: none.");
  f.texts("features", features, "Columns with features of documents, in this order.");
  f.texts("bias_features", bias_features,
          "Columns with features that describe how a document was displayed.");
  f.text("query_words", query_words,
         "Column with the words of the query, for cross-encoders; may be that of `query`; default: "
         "none.");
  f.text("title", title, "Column with the words of the document's title; default: none.");
  f.text("abstract", abstract,
         "Column with the words of the document's abstract or body; default: none.");
  f.text("impressions", impressions,
         "In a table without clicks of single lists: column with the number of impressions of a "
         "query, document and position; default: impressions.");
  f.text("clicks", clicks, "Column with the number of clicks on these; default: clicks.");
}

void TableColumns::check() const {
  std::set<std::string_view> seen;
  for (const auto* names : {&features, &bias_features})
    for (const std::string& name : *names)
      if (!seen.insert(name).second)
        throw ConfigError(fmt::format(
            "columns.features and columns.bias_features have {} twice; expected each column once",
            quote(name, most_quoted_name)));
  if (features.empty() && !bias_features.empty())
    throw ConfigError(
        "columns.bias_features is given without columns.features; expected features of relevance, "
        "too");
}

TableLayout TableColumns::find_counted(const ColumnFinder& columns, TableUse use) const {
  TableLayout layout{.shape = TableShape::counted,
                     .query = columns.find("query", query),
                     .document = columns.need("document", document),
                     .position = columns.need("position", position),
                     .impressions = columns.need("impressions", impressions),
                     .clicks = columns.need("clicks", clicks)};
  if (columns.has("session", session)) layout.unused.push_back(columns.need("session", session));
  for (const auto& [role, given] : {std::pair{"user", &user},
                                    {"time", &time},
                                    {"weight", &weight},
                                    {"propensity", &propensity}})
    if (!given->empty() && columns.has(role, *given))
      layout.unused.push_back(columns.need(role, *given));
  const auto leave_out = [&](std::string_view role, const std::string& given) {
    if (!given.empty() && (use != TableUse::scoring || columns.has(role, given)))
      layout.unused.push_back(columns.need(role, given));
  };
  for (const Signal signal : all_signals) leave_out(type_of(signal).name, signals[signal]);
  for (const std::string& name : features) leave_out("features", name);
  for (const std::string& name : bias_features) leave_out("bias_features", name);
  return layout;
}

TableLayout TableColumns::find_documents(const ColumnFinder& columns, TableUse use) const {
  const bool of_queries = use == TableUse::log || use == TableUse::judged;
  const bool judged = use == TableUse::judged || columns.has("label", label) ||
                      (!columns.has("click", click) && columns.has("label", ""));
  const bool clicked =
      use != TableUse::judged && (columns.has("click", click) || (use == TableUse::log && !judged));
  const bool is_log = clicked && use != TableUse::lists;
  // A file that is only evaluated or scored may lack columns that training files have.
  const auto more = [&](std::string_view role, const std::string& given) {
    const bool may_be_missing = !clicked || use == TableUse::scoring;
    return may_be_missing && !columns.has(role, given) ? TableColumn()
                                                       : columns.find_if_given(role, given);
  };
  // Nor need it have the names that the user gave to those of a log.
  const auto name_of = [&](std::string_view role, const std::string& given) {
    return clicked || columns.has(role, given) || !columns.has(role, "") ? given : std::string();
  };
  TableLayout layout;
  if (const std::string its = name_of("session", session);
      is_log || (!of_queries && columns.has("session", its)))
    layout.session = columns.need("session", its);
  layout.query = layout.session.exists() ? columns.find("query", name_of("query", query))
                                         : columns.need("query", name_of("query", query));
  layout.document = columns.need("document", name_of("document", document));
  if (clicked)
    layout.position = columns.find("position", position);
  else if (const std::string its = name_of("position", position);
           !of_queries && columns.has("position", its))
    layout.position = columns.need("position", its);
  if (clicked) layout.click = columns.need("click", click);
  layout.label = is_log   ? more("label", label)
                 : judged ? columns.need("label", name_of("label", label))
                          : TableColumn();
  layout.propensity = more("propensity", propensity);
  layout.time = more("time", time);
  layout.user = more("user", user);
  layout.weight = more("weight", weight);
  for (const Signal signal : all_signals)
    layout.signals[signal] = more(type_of(signal).name, signals[signal]);
  for (const std::string& name : features)
    layout.features.push_back(columns.need("features", name));
  for (const std::string& name : bias_features)
    layout.features.push_back(columns.need("bias_features", name));
  layout.words = {columns.find_if_given("query_words", query_words),
                  columns.find_if_given("title", title),
                  columns.find_if_given("abstract", abstract)};
  return layout;
}

TableLayout TableColumns::find(std::span<const std::string_view> names, std::size_t count,
                               TableUse use) const {
  const bool of_reader = use == TableUse::lists;
  const ColumnFinder columns(names, count, of_reader ? "data.reader.columns" : "data.columns",
                             options);
  const bool counted = !of_reader && use != TableUse::judged && !columns.has("click", click) &&
                       !columns.has("label", label) && columns.has("impressions", impressions);
  TableLayout layout = counted ? find_counted(columns, use) : find_documents(columns, use);
  layout.columns = count;
  return layout;
}

}  // namespace ultr
