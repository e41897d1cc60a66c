#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/evaluation.h"

/// What a run measured on each query of its test data, in two files that let runs be compared query
/// by query. Both are CSV with a header and sorted by query id.
namespace ultr {

inline constexpr const char* query_clicks_file = "test_queries.csv";
inline constexpr const char* query_rankings_file = "test_rankings.csv";

/// test_queries.csv: a row a query of the test sessions. Columns: query, its sessions, documents
/// and clicks, `ll` and `unconditional_ll`: the mean over its documents of the log-likelihood,
/// natural logarithm, of P(click | clicks above) and of P(click). `each` has an entry for each
/// session.
std::string query_clicks_csv(const SessionLog& log, std::span<const SessionLikelihood> each);

/// test_rankings.csv: a row a judged list; lists of one query keep their order. Columns: query, its
/// documents and relevant ones (label above 0), then every ranking metric under its name, empty
/// where the list does not count. `metrics` were taken of these lists in their order.
std::string query_rankings_csv(const JudgedLists& lists, const RankingMetrics& metrics);

/// Of each list, its ranking metrics in the order of their names as CSV cells, each with a comma in
/// front; empty where the list does not count.
std::vector<std::string> ranking_cells(const RankingMetrics& metrics);

/// One measurement of a query, and what it was taken of.
struct QueryValue {
  std::uint64_t query = 0;
  std::array<std::uint64_t, 3> data{};
  double value = 0;  // NaN: the query does not count
};

struct QueryValues {
  std::string name;                   // "ll", "ndcg@10"
  std::array<const char*, 3> data{};  // what data[i] of a query counts: "sessions", ...
  std::vector<QueryValue> queries{};  // by rising id
};

/// The measurements that belong to a metric of results.json in a run's folder: for test.ll and
/// test.cond_ppl `ll`, for test.ppl `unconditional_ll`, for test.ranking.X the metric X, averaged
/// over the lists of a query that count. None if there are none of this metric or the run has no
/// such file. Throws DataError, with file and line, if the file is damaged.
std::optional<QueryValues> read_query_values(const std::filesystem::path& run,
                                             const std::string& metric);

/// Throws DataError, naming the runs and the first difference, unless the values of both were taken
/// of the same queries with the same numbers of sessions or lists, documents, and clicks or
/// relevant documents.
void expect_same_queries(const QueryValues& a, const std::filesystem::path& a_run,
                         const QueryValues& b, const std::filesystem::path& b_run);

}  // namespace ultr
