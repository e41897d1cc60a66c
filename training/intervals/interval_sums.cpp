#include "training/intervals/interval_sums.h"

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/sigmoid.h"
#include "base/threads/ordered_reducer.h"
#include "data/log/parallel_shards.h"

namespace ultr {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The probability below a 95% interval, and above it.
constexpr double outside = 0.025;
/// Priors of two coins whose product, if they are tossed one after the other, has Jeffreys' prior:
/// the product of Beta(3/4, 1/4) and Beta(1/2, 1/4) is Beta(1/2, 1/2).
constexpr std::array<CoinPrior, 2> product_priors = {{{0.75, 0.25}, {0.5, 0.25}}};
/// Added to information relative to its diagonal, so that flat directions have a large variance.
constexpr double rounding = 1e-10;

/// The sessions of a log sorted by query: groups that share no pair, and items of work of whole
/// groups.
struct GroupedSessions {
  std::vector<std::uint32_t> sessions, group_of;
  std::vector<std::size_t> items;  // the first session of each item, and the end
};

GroupedSessions group_by_query(const SessionLog& log) {
  GroupedSessions grouped;
  std::vector<std::uint64_t> queries(log.sessions());
  for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = log[i].query;
  grouped.sessions.resize(queries.size());
  std::iota(grouped.sessions.begin(), grouped.sessions.end(), 0u);
  std::stable_sort(grouped.sessions.begin(), grouped.sessions.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return queries[a] < queries[b]; });
  grouped.group_of.resize(queries.size());
  grouped.items.push_back(0);
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::uint32_t session = grouped.sessions[i];
    if (i > 0 && queries[session] != queries[grouped.sessions[i - 1]]) {
      ++group;
      if (i - grouped.items.back() >= shard_sessions) grouped.items.push_back(i);
    }
    grouped.group_of[session] = group;
  }
  if (!queries.empty()) grouped.items.push_back(queries.size());
  return grouped;
}

/// Returns the columns of a matrix that are not 0 in all of these rows.
std::vector<Eigen::Index> nonzero_columns(const MatrixXd& matrix, Eigen::Index first_row,
                                          Eigen::Index rows) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index column = 0; column < matrix.cols(); ++column)
    for (Eigen::Index row = first_row; row < first_row + rows; ++row)
      if (matrix(row, column) != 0) {
        columns.push_back(column);
        break;
      }
  return columns;
}

/// The probability of a parameter's prior mode, and the information of the prior there.
struct PriorAt {
  double complement, information;
  explicit PriorAt(double logit)
      : complement(sigmoid(-logit)), information(sigmoid(logit) * complement) {}
};

}  // namespace

void IntervalSums::take_unit(const GroupInformation& group, std::size_t unit,
                             const VectorXd& information, const Eigen::LLT<MatrixXd>& with_prior,
                             const VectorXd& scale, const CrossInformation& cross,
                             std::size_t place) {
  const ModelSetting& setting = layout_.model.setting();
  const std::size_t number = group.units[unit];
  const std::size_t positions =
      layout_.unit == Domain::document ? 1 : static_cast<std::size_t>(setting.positions);
  if (number % positions != 0) return;  // relevance is that at the first position
  const std::size_t row = number / positions, layers = layout_.of_pairs.size();
  VectorXd slopes = VectorXd::Zero(scale.size());
  std::vector<CoinPosterior> coins;
  HeldInterval& held = held_[row];
  for (const std::size_t d : layout_.factors) {
    const CoinCurve& curve = group.curves[unit * layers + d];
    coins.push_back(
        curve.posterior(layout_.factors.size() == 1 ? CoinPrior() : product_priors[coins.size()]));
    const PriorAt prior(curve.mode());
    const auto at = static_cast<Eigen::Index>(place + d);
    slopes[at] = prior.complement;
    held.held_variance +=
        prior.complement * prior.complement / (information[at] + prior.information);
  }
  held.interval = product_interval(coins, outside);
  const VectorXd solved = scale.cwiseProduct(with_prior.solve(scale.cwiseProduct(slopes)));
  held.group_variance = slopes.dot(solved);
  const VectorXd along = cross.matrix.transpose() * solved;
  along_shared_[row].reserve(cross.entries.size());
  for (std::size_t i = 0; i < cross.entries.size(); ++i)
    along_shared_[row].push_back({static_cast<std::uint32_t>(cross.entries[i]),
                                  static_cast<float>(along[static_cast<Eigen::Index>(i)])});
  known_[row] = 1;
}

void IntervalSums::take_block(const GroupInformation& group, const MatrixXd& own,
                              std::size_t first_unit, std::size_t units, MatrixXd& subtracted) {
  const std::size_t layers = layout_.of_pairs.size();
  const VectorXd information = own.diagonal();
  VectorXd scale(information.size()), prior_scale(information.size());
  MatrixXd with_prior = own;
  for (Eigen::Index i = 0; i < information.size(); ++i) {
    scale[i] = information[i] > 0 ? 1 / std::sqrt(information[i]) : 0;
    const std::size_t parameter = first_unit * layers + static_cast<std::size_t>(i);
    const PriorAt prior(group.curves[parameter].mode());
    with_prior(i, i) += prior.information;
    prior_scale[i] = 1 / std::sqrt(with_prior(i, i));
  }
  const auto factored = [](const MatrixXd& matrix, const VectorXd& by) {
    MatrixXd scaled = by.asDiagonal() * matrix * by.asDiagonal();
    scaled.diagonal().array() += rounding;
    return Eigen::LLT<MatrixXd>(scaled);
  };
  const auto first = static_cast<Eigen::Index>(first_unit * layers);
  const CrossInformation cross = [&] {
    std::vector<Eigen::Index> entries = nonzero_columns(group.cross, first, information.size());
    MatrixXd matrix = group.cross(Eigen::seqN(first, information.size()), entries);
    return CrossInformation{std::move(entries), std::move(matrix)};
  }();
  if (!cross.entries.empty()) {
    const MatrixXd scaled = scale.asDiagonal() * cross.matrix;
    const MatrixXd product = scaled.transpose() * factored(own, scale).solve(scaled);
    subtracted(cross.entries, cross.entries) += product;
  }
  const Eigen::LLT<MatrixXd> solver = factored(with_prior, prior_scale);
  for (std::size_t u = 0; u < units; ++u)
    take_unit(group, first_unit + u, information, solver, prior_scale, cross, u * layers);
}

void IntervalSums::take(GroupInformation& group, MatrixXd& subtracted) {
  if (group.coupled) {
    take_block(group, group.own, 0, group.units.size(), subtracted);
    return;
  }
  const auto layers = static_cast<Eigen::Index>(layout_.of_pairs.size());
  for (std::size_t u = 0; u < group.units.size(); ++u) {
    const Eigen::Index first = static_cast<Eigen::Index>(u) * layers;
    take_block(group, group.own.middleRows(first, layers), u, 1, subtracted);
  }
}

void IntervalSums::add(const SessionLog& log, int threads) {
  struct Part {
    MatrixXd shared, subtracted;
  };
  const GroupedSessions grouped = group_by_query(log);
  const std::size_t items = grouped.items.empty() ? 0 : grouped.items.size() - 1;
  OrderedReducer<Part> sums(0, [&](const Part& part) {
    shared_ += part.shared;
    profiled_ += part.shared - part.subtracted;
  });
  std::vector<std::unique_ptr<InformationPass>> passes;
  for (int worker = 0; worker < threads; ++worker)
    passes.push_back(std::make_unique<InformationPass>(layout_));
  for_each_item(threads, items, [&](std::size_t worker, std::size_t item) {
    Part part{MatrixXd::Zero(size(), size()), MatrixXd::Zero(size(), size())};
    const std::size_t begin = grouped.items[item];
    std::vector<GroupInformation> groups = (*passes[worker])(
        log, std::span(grouped.sessions).subspan(begin, grouped.items[item + 1] - begin),
        grouped.group_of, part.shared);
    for (GroupInformation& group : groups) take(group, part.subtracted);
    sums.put(item, std::move(part));
  });
}

}  // namespace ultr
