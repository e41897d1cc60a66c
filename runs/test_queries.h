#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/log/id_names.h"
#include "data/log/judged_lists.h"
#include "training/evaluation.h"

/// Measurements of a run on each query of its test data, in two files that let runs be compared
/// query by query. Both are CSV with a header, sorted by query id. Queries whose ids are texts are
/// written by name, from which their ids follow (IdNames).
namespace ultr {

inline constexpr const char* query_clicks_file = "test_queries.csv";
inline constexpr const char* query_rankings_file = "test_rankings.csv";

/// Returns test_queries.csv: one row per query of the test sessions. Columns: query; its numbers of
/// sessions, documents and clicks; and session_columns: `ll` and `unconditional_ll`, the mean over
/// its documents of the log-likelihood (natural logarithm) of P(click | clicks above) and of
/// P(click). `each` has one entry per session.
std::string query_clicks_csv(const SessionLog& log, std::span<const SessionLikelihood> each,
                             const IdNames& names = {});

/// Returns the names of session_columns, each preceded by a comma.
std::string session_header();
/// Returns the means over documents of session_columns as CSV cells, each preceded by a comma.
std::string session_cells(const SessionLikelihood& sums, double documents);

/// Returns test_rankings.csv: one row per judged list; lists of one query keep their order.
/// Columns: query; its numbers of documents and of relevant ones (RankingOptions); then every
/// ranking measure under its name, empty where the list does not count. `metrics` must have been
/// computed on these lists, in their order.
std::string query_rankings_csv(const JudgedLists& lists, const RankingMetrics& metrics,
                               const IdNames& names = {});

/// Returns the ranking measures of each list as CSV cells, in the order of their names and each
/// preceded by a comma; empty where the list does not count.
std::vector<std::string> ranking_cells(const RankingMetrics& metrics);

/// One measurement of a query, and the amounts of data behind it.
struct QueryValue {
  std::uint64_t query = 0;
  std::string name{};            // as the file has it
  std::array<double, 3> data{};  // weighted sums of sessions, ...
  double value = 0;              // NaN: the query does not count
};

/// One measurement of every query of a run.
struct QueryValues {
  std::string name;                   // "ll", "ndcg@10"
  std::array<const char*, 3> data{};  // names of QueryValue::data: "sessions", ...
  std::vector<QueryValue> queries{};  // by ascending id
};

/// Returns the measurements behind a metric of results.json in the folder of a run: for test.X the
/// query_column of the click measure X, and for test.ranking.X the ranking measure X, averaged over
/// the lists of a query that count. Returns nothing if there are no measurements for
/// this metric or the run has no such file. Throws DataError, with file and line, if the file is
/// damaged.
std::optional<QueryValues> read_query_values(const std::filesystem::path& run,
                                             const std::string& metric);

/// Runs were tested on different queries.
struct OtherQueries : DataError {
  using DataError::DataError;
};
/// A run has no measurements for each query.
struct NoQueryValues : DataError {
  using DataError::DataError;
};

/// Throws OtherQueries, with the runs and their first difference, unless both were measured on the
/// same queries with the same numbers of sessions or lists, of documents, and of clicks or relevant
/// documents.
void expect_same_queries(const QueryValues& a, const std::filesystem::path& a_run,
                         const QueryValues& b, const std::filesystem::path& b_run);

/// The measurements of runs on each query, averaged over the runs.
struct MeanQueryValues {
  QueryValues mean;
  std::filesystem::path first_run;
};

/// Averages the measurements behind a metric over runs, at least one. Throws NoQueryValues if a run
/// has none, OtherQueries unless all were tested on the same queries, and DataError as
/// read_query_values does.
MeanQueryValues mean_query_values(std::span<const std::filesystem::path> runs,
                                  const std::string& metric);

}  // namespace ultr
