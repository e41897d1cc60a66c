#include "runs/results/measures.h"

#include "runs/results/results_json.h"

namespace ultr {
namespace {

template <class Table>
MeasureGroup group_of(std::string_view title, const Table& table) {
  return {title, {table.begin(), table.end()}};
}

/// Turns "test.ranking.ndcg@10" into "test.ranking.ndcg@K" and "test.ppl_per_rank.3" into
/// "test.ppl_per_rank".
std::string measure_of(std::string_view path) {
  const std::string_view start = path.substr(0, path.find_last_not_of("0123456789") + 1);
  if (start.size() == path.size()) return std::string(path);
  if (start.ends_with('@')) return std::string(start) + 'K';
  return std::string(start.ends_with('.') ? start.substr(0, start.size() - 1) : path);
}

}  // namespace

std::vector<MeasureGroup> all_measures() {
  std::vector<MeasureGroup> groups = {
      group_of("measures of click predictions (train, valid and test in results.json)",
               click_measures()),
      group_of("measures of rankings (test.ranking in results.json)", ranking_measures()),
      group_of("measures of a run (results.json)", run_measures())};
  groups[1].measures.insert(groups[1].measures.end(), std::begin(ranking_counts),
                            std::end(ranking_counts));
  groups[2].measures.push_back(position_bias_error);
  groups[2].measures.push_back(teacher_kendall_tau);
  return groups;
}

Better better_of(std::string_view path, const std::vector<MeasureGroup>& groups) {
  const std::string dotted = '.' + measure_of(path);
  for (const MeasureGroup& group : groups)
    for (const Measure& measure : group.measures)
      if (dotted.ends_with('.' + std::string(measure.name))) return measure.better;
  return Better::neither;
}

}  // namespace ultr
