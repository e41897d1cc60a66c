#include "runs/test_queries.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "data/tables/table_records.h"
#include "data/text/csv_text.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// The place of the measurements behind a metric of results.json.
struct Source {
  const char* file;
  std::string column;
  /// The columns with the amounts of data. "lists" counts rows.
  std::array<const char*, 3> data;
};

std::optional<Source> source_of(std::string_view metric) {
  constexpr std::string_view test = "test.", ranking = "test.ranking.";
  if (metric.starts_with(ranking))
    return Source{query_rankings_file,
                  std::string(metric.substr(ranking.size())),
                  {"lists", "documents", "relevant"}};
  if (!metric.starts_with(test)) return std::nullopt;
  for (const ClickMeasure& measure : click_measures())
    if (measure.name == metric.substr(test.size()) && !measure.query_column.empty())
      return Source{query_clicks_file,
                    std::string(measure.query_column),
                    {"sessions", "documents", "clicks"}};
  return std::nullopt;
}

/// Parses a whole cell as a number. Throws DataError without a place.
double parse(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw DataError(fmt::format("found {}; expected a number", quote(cell, 60)));
  return value;
}

/// Parses a whole cell as an amount of data, of which weights make fractions.
double parse_amount(std::string_view cell) {
  const double amount = parse(cell);
  if (!std::isfinite(amount) || amount < 0)
    throw DataError(fmt::format("found {}; expected a finite number, at least 0", quote(cell, 60)));
  return amount;
}

std::string describe(const QueryValues& values, const QueryValue& query) {
  std::string text;
  for (std::size_t i = 0; i < query.data.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", query.data[i], values.data[i]);
  return text;
}

std::string name_of(const QueryValue& query) {
  std::string number = fmt::format("{}", query.query);
  return query.name.empty() || query.name == number ? number : quote(query.name, 60);
}

/// Weighted sums over the sessions of a query.
struct QuerySums {
  std::uint64_t query = 0;
  double sessions = 0, documents = 0, clicks = 0;
  SessionLikelihood likelihood{};
};

/// Sessions whose queries are looked up together, so that the memory answers several at a time.
constexpr std::size_t sessions_at_once = 64;

/// The sums of each query, in the order in which queries first appear, and a hash table of them.
class QueryTable {
 public:
  std::vector<QuerySums>& sums() { return sums_; }

  /// Sets the number of each query's sums, which are prefetched, and adds sums of 0 for new
  /// queries.
  void find(std::span<const std::uint64_t> queries,
            std::array<std::uint32_t, sessions_at_once>& numbers) {
    if (2 * (sums_.size() + queries.size()) > slots_.size()) grow();
    for (const std::uint64_t query : queries) __builtin_prefetch(&slots_[first_slot(query)]);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Slot& slot = slot_of(queries[i]);
      if (slot.number == 0) {
        sums_.push_back({.query = queries[i]});
        slot = {queries[i], static_cast<std::uint32_t>(sums_.size())};
      }
      numbers[i] = slot.number - 1;
      __builtin_prefetch(&sums_[numbers[i]], 1);
    }
  }

 private:
  struct Slot {
    std::uint64_t query = 0;
    std::uint32_t number = 0;  // from 1; 0: free
  };

  std::size_t first_slot(std::uint64_t query) const {
    return static_cast<std::size_t>(query * 0x9E3779B97F4A7C15u >> 32) & (slots_.size() - 1);
  }
  Slot& slot_of(std::uint64_t query) {
    std::size_t at = first_slot(query);
    while (slots_[at].number != 0 && slots_[at].query != query) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    slots_.assign(4 * std::bit_ceil(sums_.size() + sessions_at_once), {});
    for (std::uint32_t i = 0; i < sums_.size(); ++i)
      slot_of(sums_[i].query) = {sums_[i].query, i + 1};
  }

  std::vector<QuerySums> sums_;
  std::vector<Slot> slots_;  // a power of two, at most half of them taken
};

}  // namespace

std::string query_clicks_csv(const SessionLog& log, std::span<const SessionLikelihood> each,
                             const IdNames& names) {
  QueryTable queries;
  std::array<std::uint64_t, sessions_at_once> ids;
  std::array<std::uint32_t, sessions_at_once> numbers;
  for (std::size_t begin = 0; begin < log.sessions(); begin += sessions_at_once) {
    const std::size_t count = std::min(sessions_at_once, log.sessions() - begin);
    for (std::size_t i = 0; i < count; ++i) ids[i] = log[begin + i].query;
    queries.find(std::span(ids).first(count), numbers);
    for (std::size_t i = 0; i < count; ++i) {
      const SessionView session = log[begin + i];
      QuerySums& sums = queries.sums()[numbers[i]];
      sums.sessions += session.weight;
      sums.documents += session.weight * static_cast<double>(session.clicks.size());
      sums.clicks += session.weight * static_cast<double>(std::accumulate(
                                          session.clicks.begin(), session.clicks.end(), 0u));
      for (const SessionColumn& column : session_columns)
        sums.likelihood.*column.value += session.weight * each[begin + i].*column.value;
    }
  }
  std::ranges::sort(queries.sums(), {}, &QuerySums::query);
  std::string csv = fmt::format("query,sessions,documents,clicks{}\n", session_header());
  for (const QuerySums& sums : queries.sums())
    csv += fmt::format("{},{},{},{}{}\n", csv_field(names.text(sums.query)), sums.sessions,
                       sums.documents, sums.clicks, session_cells(sums.likelihood, sums.documents));
  return csv;
}

std::string session_header() {
  std::string names;
  for (const SessionColumn& column : session_columns) names += fmt::format(",{}", column.name);
  return names;
}

std::string session_cells(const SessionLikelihood& sums, double documents) {
  std::string cells;
  for (const SessionColumn& column : session_columns)
    cells += fmt::format(",{}", sums.*column.value / documents);
  return cells;
}

std::vector<std::string> ranking_cells(const RankingMetrics& metrics) {
  std::vector<std::string> cells(metrics.lists());
  for (const std::string& name : metrics.names()) {
    const std::vector<double> values = metrics.per_list(name);
    const std::vector<std::size_t> counted = metrics.counted_lists(name);
    for (std::string& cell : cells) cell += ',';
    for (std::size_t i = 0; i < counted.size(); ++i)
      cells[counted[i]] += fmt::format("{}", values[i]);
  }
  return cells;
}

std::string query_rankings_csv(const JudgedLists& lists, const RankingMetrics& metrics,
                               const IdNames& names) {
  const std::vector<std::string> cells = ranking_cells(metrics);
  std::vector<std::size_t> order(lists.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lists.query(a) < lists.query(b); });
  std::string csv = fmt::format("query,documents,relevant,{}\n", fmt::join(metrics.names(), ","));
  for (const std::size_t list : order) {
    const std::span<const int> labels = lists.labels(list);
    csv += fmt::format("{},{},{}{}\n", csv_field(names.text(lists.query(list))), labels.size(),
                       std::count_if(labels.begin(), labels.end(),
                                     [&](int y) { return y >= metrics.options().relevant; }),
                       cells[list]);
  }
  return csv;
}

std::optional<QueryValues> read_query_values(const fs::path& run, const std::string& metric) {
  const std::optional<Source> source = source_of(metric);
  if (!source) return std::nullopt;
  const fs::path file = run / source->file;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;

  TableRecords rows(file, ',');
  const auto next = [&] {
    try {
      return rows.next();
    } catch (const MalformedRecord& error) {
      throw DataError(fmt::format("{}:{}: {}", file.string(), rows.line(), error.what()));
    }
  };
  std::vector<std::string> header = {""};
  if (next()) header.assign(rows.fields().begin(), rows.fields().end());
  const auto find = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  if (header.front() != "query")
    throw DataError(fmt::format("{}: the header starts with {}; expected query", file.string(),
                                quote(header.front(), 60)));
  const std::size_t value_at = find(source->column);
  if (value_at == header.size()) return std::nullopt;
  std::array<std::size_t, 3> data_at{};
  std::transform(source->data.begin(), source->data.end(), data_at.begin(), find);

  QueryValues values{source->column, source->data};
  std::size_t counted = 0;  // rows of the last query that count
  const auto finish_query = [&] {
    if (!values.queries.empty()) values.queries.back().value /= static_cast<double>(counted);
    counted = 0;
  };
  while (next()) {
    try {
      const std::span<const std::string_view> cells = rows.fields();
      if (cells.size() != header.size())
        throw DataError(fmt::format("{} cells; expected {}", cells.size(), header.size()));
      const std::uint64_t id = IdNames::id_of(cells[0]);
      if (values.queries.empty() || values.queries.back().query != id) {
        if (!values.queries.empty() && values.queries.back().query > id)
          throw DataError(fmt::format("query {} comes after {}; expected ascending ids",
                                      csv_field(cells[0]), csv_field(values.queries.back().name)));
        finish_query();
        values.queries.push_back({.query = id, .name = std::string(cells[0])});
      }
      QueryValue& query = values.queries.back();
      for (std::size_t i = 0; i < data_at.size(); ++i)
        query.data[i] += data_at[i] == header.size() ? 1 : parse_amount(cells[data_at[i]]);
      if (cells[value_at].empty()) continue;
      query.value += parse(cells[value_at]);
      ++counted;
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}:{}: {}", file.string(), rows.line(), error.what()));
    }
  }
  finish_query();
  return values;
}

void expect_same_queries(const QueryValues& a, const fs::path& a_run, const QueryValues& b,
                         const fs::path& b_run) {
  std::string found;
  if (a.queries.size() != b.queries.size())
    found = fmt::format("{} and {} queries", a.queries.size(), b.queries.size());
  for (std::size_t i = 0; found.empty() && i < a.queries.size(); ++i) {
    const QueryValue &x = a.queries[i], &y = b.queries[i];
    if (x.query != y.query)
      found = fmt::format("query {} and query {}", name_of(x), name_of(y));
    else if (x.data != y.data)
      found =
          fmt::format("query {} with {} and with {}", name_of(x), describe(a, x), describe(b, y));
  }
  if (!found.empty())
    throw OtherQueries(
        fmt::format("runs {} and {} were tested on different data: {}; expected the "
                    "same test data, or two seeds in common, to pair them",
                    a_run.string(), b_run.string(), found));
}

MeanQueryValues mean_query_values(std::span<const fs::path> runs, const std::string& metric) {
  std::optional<MeanQueryValues> sum;
  for (const fs::path& run : runs) {
    std::optional<QueryValues> values = read_query_values(run, metric);
    if (!values)
      throw NoQueryValues(
          fmt::format("{} has no values of {} for each query", run.string(), metric));
    if (!sum) {
      sum = {std::move(*values), run};
      continue;
    }
    expect_same_queries(sum->mean, sum->first_run, *values, run);
    for (std::size_t i = 0; i < values->queries.size(); ++i)
      sum->mean.queries[i].value += values->queries[i].value;
  }
  if (!sum) throw NoQueryValues(metric + " is asked for without runs; expected one at least");
  for (QueryValue& query : sum->mean.queries) query.value /= static_cast<double>(runs.size());
  return std::move(*sum);
}

}  // namespace ultr
