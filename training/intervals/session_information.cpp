#include "training/intervals/session_information.h"

#include <algorithm>
#include <cmath>

#include "base/sigmoid.h"
#include "data/log/pair_dictionary.h"
#include "dsl/relevance_layer.h"
#include "dsl/signal_domains.h"

namespace ultr {
namespace {

/// Parameters of a group between all of which information is kept: a square matrix of at most 8 MB.
constexpr std::size_t most_coupled = 1024;

/// Writes the entry of each document of a shard in Domain::rank_pair.
void write_rank_pairs(const Shard& shard, std::int64_t positions,
                      std::vector<std::uint32_t>& entries) {
  const auto width = static_cast<std::uint32_t>(positions + 1);
  for (std::size_t j = 0; j < shard.sessions(); ++j) {
    std::uint32_t last = 0;  // clicked position, from 1
    for (std::size_t k = 0; j < shard.count(k); ++k) {
      const std::size_t at = shard.begin(k) + j;
      entries[at] = shard.positions()[at] * width + last;
      if (shard.clicks()[at] != 0) last = shard.positions()[at] + 1;
    }
  }
}

/// Writes the entry of each document of a shard in a domain whose entries sessions share.
void write_shared_entries(const Shard& shard, Domain domain, std::int64_t positions,
                          std::vector<std::uint32_t>& entries) {
  entries.assign(shard.documents(), 0);
  switch (domain) {
    case Domain::global:
      break;
    case Domain::rank:
      std::ranges::copy(shard.positions(), entries.begin());
      break;
    case Domain::rank_pair:
      write_rank_pairs(shard, positions, entries);
      break;
    case Domain::rank_viewed:
    case Domain::rank_skipped:
    case Domain::dwell:
      find_signal_entries(shard, *signal_of(domain), entries);
      break;
    case Domain::document:       // not shared
    case Domain::document_rank:  // not shared
    case Domain::alternative:    // has no intervals
      break;
  }
}

}  // namespace

InformationLayout::InformationLayout(const TrainableModel& trained) : model(trained) {
  const ModelSetting& setting = model.setting();
  for (std::size_t l = 0; l < model.layers().size(); ++l) {
    const TrainableModel::Layer& layer = model.layers()[l];
    if (is_of_documents(layer.domain)) {
      of_pairs.push_back(l);
      unit = layer.domain;
    } else {
      shared.push_back(l);
      first_shared.push_back(shared_entries);
      shared_entries += static_cast<std::size_t>(layer.layer->entry_logits()->values->rows());
    }
  }
  units = static_cast<std::size_t>(setting.rows);
  if (unit == Domain::document_rank) units *= static_cast<std::size_t>(setting.positions);
  is_memoryless = ScoreProgram(model, 2).is_memoryless();
  for (const TrainableModel::Layer* factor : relevance_factors(model))
    for (std::size_t d = 0; d < of_pairs.size(); ++d)
      if (&model.layers()[of_pairs[d]] == factor) factors.push_back(d);
}

std::size_t InformationLayout::unit_of(std::uint32_t row, std::uint32_t position) const {
  if (unit == Domain::document) return row;
  return std::size_t{row} * static_cast<std::size_t>(model.setting().positions) + position;
}

double InformationLayout::logit(std::size_t layer, std::size_t entry) const {
  const EntryLogits logits = *model.layers()[layer].layer->entry_logits();
  const double offset = static_cast<double>(logits.values->value(static_cast<std::int64_t>(entry)));
  return logits.baseline == nullptr ? offset
                                    : offset + static_cast<double>(logits.baseline->value(0));
}

InformationPass::InformationPass(const InformationLayout& layout)
    : layout_(layout),
      local_(layout.units, none),
      entry_(layout.shared.size()),
      score_(layout.of_pairs.size()) {}

std::vector<GroupInformation> InformationPass::operator()(const SessionLog& log,
                                                          std::span<const std::uint32_t> sessions,
                                                          std::span<const std::uint32_t> group_of,
                                                          Eigen::MatrixXd& shared) {
  const std::uint32_t first_group = group_of[sessions.front()];
  std::vector<GroupInformation> groups(group_of[sessions.back()] - first_group + 1);
  number_units(log, sessions, group_of, groups);
  for (std::size_t begin = 0; begin < sessions.size(); begin += shard_sessions) {
    shard_.pack(log, sessions.subspan(begin, std::min(shard_sessions, sessions.size() - begin)));
    add_shard(group_of, first_group, groups, shared);
  }
  for (GroupInformation& group : groups) {
    finish_curves(group);
    for (const std::size_t unit : group.units) local_[unit] = none;
  }
  return groups;
}

void InformationPass::number_units(const SessionLog& log, std::span<const std::uint32_t> sessions,
                                   std::span<const std::uint32_t> group_of,
                                   std::vector<GroupInformation>& groups) {
  const std::uint32_t first_group = group_of[sessions.front()];
  for (const std::uint32_t number : sessions) {
    GroupInformation& group = groups[group_of[number] - first_group];
    const SessionView session = log[number];
    for (std::size_t k = 0; k < session.rows.size(); ++k) {
      std::uint32_t& local = local_[layout_.unit_of(session.rows[k], session.positions[k])];
      if (local != none) continue;
      local = static_cast<std::uint32_t>(group.units.size());
      group.units.push_back(layout_.unit_of(session.rows[k], session.positions[k]));
    }
  }
  const std::size_t layers = layout_.of_pairs.size();
  for (GroupInformation& group : groups) {
    const std::size_t parameters = group.units.size() * layers;
    group.coupled = !layout_.is_memoryless && parameters <= most_coupled;
    const auto rows = static_cast<Eigen::Index>(parameters);
    group.own.setZero(rows, group.coupled ? rows : static_cast<Eigen::Index>(layers));
    group.cross.setZero(rows, static_cast<Eigen::Index>(layout_.shared_entries));
    group.curves.resize(parameters);
    group.scores.assign(parameters, 0.0);
  }
}

void InformationPass::find_entries() {
  const std::size_t n = shard_.documents();
  unit_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    unit_[i] = layout_.unit_of(shard_.rows()[i], shard_.positions()[i]);
  for (std::size_t s = 0; s < layout_.shared.size(); ++s) {
    write_shared_entries(shard_, layout_.model.layers()[layout_.shared[s]].domain,
                         layout_.model.setting().positions, entry_[s]);
    for (std::uint32_t& entry : entry_[s])
      entry += static_cast<std::uint32_t>(layout_.first_shared[s]);
  }
}

void InformationPass::add_shard(std::span<const std::uint32_t> group_of, std::uint32_t first_group,
                                std::vector<GroupInformation>& groups, Eigen::MatrixXd& shared) {
  const std::size_t longest = shard_.longest();
  if (programs_.size() <= longest) programs_.resize(longest + 1);
  if (!programs_[longest])
    programs_[longest] = std::make_unique<ScoreProgram>(layout_.model, longest);
  ScoreProgram& program = *programs_[longest];
  program.run(shard_);
  find_entries();
  for (std::vector<double>& scores : score_) scores.assign(shard_.documents(), 0.0);
  for (std::size_t pass = 0; pass < program.passes(); ++pass) {
    program.differentiate(pass);
    for (std::size_t d = 0; d < score_.size(); ++d) {
      const std::span<const double> scores = program.scores(layout_.of_pairs[d]);
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (std::isfinite(scores[i])) score_[d][i] += scores[i];
    }
    const std::size_t begin = program.is_memoryless() ? 0 : pass;
    const std::size_t end = program.is_memoryless() ? longest : pass + 1;
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t j = 0; j < shard_.count(k); ++j) {
        const double weight = program.weights()[shard_.begin(k) + j];
        if (weight == 0) continue;
        add_row(program, j, program.is_memoryless() ? k : 0, k,
                weight * std::sqrt(session_weight(j)),
                groups[group_of[shard_.order()[j]] - first_group], shared);
      }
  }
  add_curves(program, group_of, first_group, groups);
}

void InformationPass::add_row(ScoreProgram& program, std::size_t j, std::size_t first,
                              std::size_t last, double weight, GroupInformation& group,
                              Eigen::MatrixXd& shared) {
  const std::size_t layers = layout_.of_pairs.size();
  own_.clear();
  common_.clear();
  for (std::size_t k = first; k <= last; ++k) {
    const std::size_t at = shard_.begin(k) + j;
    for (std::size_t d = 0; d < layers; ++d)
      if (const double slope = weight * program.scores(layout_.of_pairs[d])[at];
          slope != 0 && std::isfinite(slope))
        own_.emplace_back(local_[unit_[at]] * layers + d, slope);
    for (std::size_t s = 0; s < layout_.shared.size(); ++s) {
      const double slope = weight * program.scores(layout_.shared[s])[at];
      if (slope == 0 || !std::isfinite(slope)) continue;
      const std::size_t entry = entry_[s][at];
      const auto known = std::find_if(common_.begin(), common_.end(),
                                      [&](const auto& other) { return other.first == entry; });
      if (known == common_.end())
        common_.emplace_back(entry, slope);
      else
        known->second += slope;
    }
  }
  const auto index = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  for (const auto& [i, x] : own_) {
    for (const auto& [other, y] : own_) {
      if (group.coupled)
        group.own(index(i), index(other)) += x * y;
      else if (i / layers == other / layers)
        group.own(index(i), index(other % layers)) += x * y;
    }
    for (const auto& [entry, y] : common_) group.cross(index(i), index(entry)) += x * y;
  }
  for (const auto& [i, x] : common_)
    for (const auto& [other, y] : common_) shared(index(i), index(other)) += x * y;
}

void InformationPass::add_curves(ScoreProgram& program, std::span<const std::uint32_t> group_of,
                                 std::uint32_t first_group, std::vector<GroupInformation>& groups) {
  const std::size_t layers = layout_.of_pairs.size();
  for (const std::size_t d : layout_.factors) {
    const std::size_t layer = layout_.of_pairs[d];
    const std::span<const double> tosses = program.tosses(layer);
    for (std::size_t k = 0; k < shard_.longest(); ++k)
      for (std::size_t j = 0; j < shard_.count(k); ++j) {
        const std::size_t at = shard_.begin(k) + j;
        GroupInformation& group = groups[group_of[shard_.order()[j]] - first_group];
        const std::size_t parameter = local_[unit_[at]] * layers + d;
        group.scores[parameter] += session_weight(j) * score_[d][at];
        if (tosses.empty()) continue;
        const double logit = layout_.logit(layer, unit_[at]);
        group.curves[parameter].add(score_[d][at], tosses[at], sigmoid(logit), sigmoid(-logit),
                                    session_weight(j));
      }
  }
}

void InformationPass::finish_curves(GroupInformation& group) const {
  const std::size_t layers = layout_.of_pairs.size();
  const bool has_coins =
      programs_.back() != nullptr && !programs_.back()->tosses(layout_.of_pairs.front()).empty();
  for (std::size_t u = 0; u < group.units.size(); ++u)
    for (const std::size_t d : layout_.factors) {
      const std::size_t parameter = u * layers + d;
      if (!has_coins) {
        // As many heads and tails as have this score and this information.
        const double logit = layout_.logit(layout_.of_pairs[d], group.units[u]);
        const double p = sigmoid(logit), q = sigmoid(-logit);
        const auto at = static_cast<Eigen::Index>(parameter);
        const double information = group.own(at, group.coupled ? at : static_cast<Eigen::Index>(d));
        const double all = p * q > 0 ? information / (p * q) : 0;
        group.curves[parameter].add_known(std::max(0.0, all * p + group.scores[parameter]),
                                          std::max(0.0, all * q - group.scores[parameter]));
      }
      group.curves[parameter].finish();
    }
}

}  // namespace ultr
