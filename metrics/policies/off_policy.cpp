#include "metrics/policies/off_policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "metrics/bootstrap.h"

namespace ultr {
namespace {

/// Numbers of what documents have in common, from 0 in the order of their first use.
class Numbering {
 public:
  std::size_t of(std::uint64_t a, std::uint64_t b) {
    return numbers_.try_emplace({a, b}, numbers_.size()).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> numbers_;
};

/// A displayed document. Its group is its query and position, its cell is its pair and position.
struct Display {
  std::size_t list, group, cell;
  double propensity;  // NaN: unknown
  bool clicked;
};

/// The documents of a log.
struct Displays {
  Displays(const SessionLog& log, Numbering& groups, Numbering& cells) {
    for (std::size_t i = 0; i < log.sessions(); ++i) {
      const SessionView list = log[i];
      for (std::size_t d = 0; d < list.rows.size(); ++d)
        all.push_back({.list = i,
                       .group = groups.of(list.query, list.positions[d]),
                       .cell = cells.of(list.rows[d], list.positions[d]),
                       .propensity = list.propensities.empty()
                                         ? std::numeric_limits<double>::quiet_NaN()
                                         : static_cast<double>(list.propensities[d]),
                       .clicked = list.clicks[d] != 0});
    }
  }

  std::vector<Display> all;
};

/// Impressions and clicks of a group or a cell.
struct CellCount {
  double impressions = 0, clicks = 0;
  void add(double weight, bool clicked) {
    impressions += weight;
    if (clicked) clicks += weight;
  }
};

/// Both logs, ready to be evaluated with any weights of their lists.
class PolicyLogs {
 public:
  PolicyLogs(const SessionLog& log, const SessionLog& target, const OffPolicyOptions& options)
      : options_(options), log_(log, groups_, cells_), target_(target, groups_, cells_) {
    group_of_cell_.resize(cells_.size());
    for (const Displays* displays : {&log_, &target_})
      for (const Display& shown : displays->all) group_of_cell_[shown.cell] = shown.group;
  }

  /// Returns values in the order of OffPolicyEvaluation.
  std::vector<double> values(const std::vector<double>& of_log,
                             const std::vector<double>& of_target,
                             OffPolicyEvaluation* details = nullptr) const;

 private:
  /// Counts by group and cell; those of the log apart for lists with even and with odd numbers.
  struct Counts {
    std::array<std::vector<CellCount>, 2> groups, cells;
    std::array<CellCount, 2> all;
    std::vector<double> target_groups, target_cells;
    double target_lists = 0, target_clicks = 0;
  };
  Counts count(const std::vector<double>& of_log, const std::vector<double>& of_target) const;
  /// Returns the click rate of a cell in one half of the log.
  double rate(const Counts& counts, std::size_t half, std::size_t cell) const;

  OffPolicyOptions options_;
  Numbering groups_, cells_;
  Displays log_, target_;
  std::vector<std::size_t> group_of_cell_;
};

PolicyLogs::Counts PolicyLogs::count(const std::vector<double>& of_log,
                                     const std::vector<double>& of_target) const {
  Counts counts;
  for (std::size_t half = 0; half < 2; ++half) {
    counts.groups[half].resize(groups_.size());
    counts.cells[half].resize(cells_.size());
  }
  for (const Display& shown : log_.all) {
    const double weight = of_log[shown.list];
    const std::size_t half = shown.list % 2;
    counts.groups[half][shown.group].add(weight, shown.clicked);
    counts.cells[half][shown.cell].add(weight, shown.clicked);
    counts.all[half].add(weight, shown.clicked);
  }
  counts.target_groups.resize(groups_.size());
  counts.target_cells.resize(cells_.size());
  for (const Display& shown : target_.all) {
    const double weight = of_target[shown.list];
    counts.target_groups[shown.group] += weight;
    counts.target_cells[shown.cell] += weight;
    if (shown.clicked) counts.target_clicks += weight;
  }
  for (const double weight : of_target) counts.target_lists += weight;
  return counts;
}

double PolicyLogs::rate(const Counts& counts, std::size_t half, std::size_t cell) const {
  const auto shrunk = [&](const CellCount& count, double towards) {
    const double impressions = count.impressions + options_.pseudo_count;
    return impressions > 0 ? (count.clicks + options_.pseudo_count * towards) / impressions
                           : towards;
  };
  const CellCount& all = counts.all[half];
  const double overall = all.impressions > 0 ? all.clicks / all.impressions : 0;
  const CellCount& group = counts.groups[half][group_of_cell_[cell]];
  return shrunk(counts.cells[half][cell],
                group.impressions > 0 ? group.clicks / group.impressions : overall);
}

std::vector<double> PolicyLogs::values(const std::vector<double>& of_log,
                                       const std::vector<double>& of_target,
                                       OffPolicyEvaluation* details) const {
  const Counts counts = count(of_log, of_target);
  const auto impressions = [](const std::array<std::vector<CellCount>, 2>& by, std::size_t i) {
    return by[0][i].impressions + by[1][i].impressions;
  };
  // Sums over the documents of each group.
  std::vector<double> weights(groups_.size()), clicks(groups_.size()), residuals(groups_.size());
  double all = 0, squares = 0, largest = 0, lists = 0, logged = 0;
  for (const Display& shown : log_.all) {
    const double times = of_log[shown.list], m = counts.target_groups[shown.group];
    if (shown.clicked) logged += times;
    if (times == 0 || m == 0) continue;
    const double propensity =
        std::isnan(shown.propensity)
            ? impressions(counts.cells, shown.cell) / impressions(counts.groups, shown.group)
            : shown.propensity;
    double w = counts.target_cells[shown.cell] / m / propensity;
    if (options_.clip > 0) w = std::min(w, options_.clip);
    const double clicked = shown.clicked ? 1 : 0;
    weights[shown.group] += times * w;
    clicks[shown.group] += times * w * clicked;
    residuals[shown.group] += times * w * (clicked - rate(counts, 1 - shown.list % 2, shown.cell));
    all += times * w;
    squares += times * w * w;
    largest = std::max(largest, w);
  }
  for (const double times : of_log) lists += times;

  const double log_rate = (counts.all[0].clicks + counts.all[1].clicks) /
                          (counts.all[0].impressions + counts.all[1].impressions);
  double direct = 0, ips = 0, snips = 0, doubly_robust = 0, unsupported = 0, displays = 0;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const double m = counts.target_cells[cell];
    displays += m;
    if (impressions(counts.cells, cell) == 0) unsupported += m;
    const std::size_t group = group_of_cell_[cell];
    const double n = impressions(counts.groups, group);
    for (std::size_t half = 0; m > 0 && half < 2; ++half) {
      // Documents of one half have rates of the other.
      const double share = n > 0 ? counts.groups[half][group].impressions / n : 0.5;
      direct += m * share * (n > 0 ? rate(counts, 1 - half, cell) : log_rate);
    }
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const double m = counts.target_groups[group], n = impressions(counts.groups, group);
    if (m == 0) continue;
    snips += m * (weights[group] > 0 ? clicks[group] / weights[group] : log_rate);
    if (n == 0) continue;
    ips += m / n * clicks[group];
    doubly_robust += m / n * residuals[group];
  }
  doubly_robust += direct;
  if (details != nullptr) {
    details->largest_weight = largest;
    details->effective_documents = squares > 0 ? all * all / squares : 0;
    details->unsupported = unsupported / displays;
  }
  const double of = counts.target_lists;
  return {direct / of,        ips / of,       snips / of,
          doubly_robust / of, logged / lists, counts.target_clicks / of};
}

}  // namespace

const std::vector<std::string>& off_policy_estimators() {
  static const std::vector<std::string> names = {"direct", "ips", "snips", "doubly_robust"};
  return names;
}

OffPolicyEvaluation evaluate_off_policy(const SessionLog& log, const SessionLog& target,
                                        const OffPolicyOptions& options, const Progress& progress) {
  if (log.sessions() == 0 || target.sessions() == 0)
    throw Error("evaluate_off_policy: a log is empty; expected sessions in both");
  if (options.same_lists && log.sessions() != target.sessions())
    throw Error("evaluate_off_policy: other lists than those of the log; expected the same");
  const PolicyLogs logs(log, target, options);
  OffPolicyEvaluation evaluation;
  const std::vector<double> values =
      logs.values(std::vector<double>(log.sessions(), 1), std::vector<double>(target.sessions(), 1),
                  &evaluation);
  std::vector<std::vector<double>> resampled(values.size());
  for (std::size_t i = 0; i < options.resamples; ++i) {
    const auto resample = [&](const SessionLog& lists, std::uint32_t stream) {
      return draw_poisson(lists.sessions(),
                          RandomStream(options.seed, RandomPurpose::resampling, stream, i));
    };
    const std::vector<double> of_log = resample(log, 0),
                              of_target = options.same_lists ? of_log : resample(target, 1);
    const std::vector<double> drawn = logs.values(of_log, of_target);
    for (std::size_t v = 0; v < drawn.size(); ++v)
      if (std::isfinite(drawn[v])) resampled[v].push_back(drawn[v]);
    if (progress) progress("bootstrap", "resamples", i + 1, options.resamples);
  }
  std::vector<std::string> names = off_policy_estimators();
  names.insert(names.end(), {"logged", "observed"});
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t v = 0; v < values.size(); ++v)
    evaluation.values.push_back({.estimator = names[v],
                                 .value = values[v],
                                 .interval = resampled[v].empty()
                                                 ? ConfidenceInterval{unknown, unknown}
                                                 : percentile_interval(std::move(resampled[v]))});
  return evaluation;
}

}  // namespace ultr
