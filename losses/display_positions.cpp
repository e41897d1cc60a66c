#include "losses/display_positions.h"

#include <algorithm>

#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "base/error.h"
#include "options/config_tree.h"

namespace ultr {

std::vector<float> display_positions(const std::vector<const SessionLog*>& logs, std::size_t rows,
                                     std::size_t positions) {
  std::vector<float> shares(rows * positions, 0.0f);
  std::vector<double> counts(rows * positions), displays(rows);
  for (const SessionLog* log : logs) {
    std::fill(counts.begin(), counts.end(), 0.0);
    std::fill(displays.begin(), displays.end(), 0.0);
    for (std::size_t i = 0; i < log->sessions(); ++i) {
      const SessionView session = (*log)[i];
      for (std::size_t k = 0; k < session.rows.size(); ++k) {
        counts[session.rows[k] * positions + session.positions[k]] += session.weight;
        displays[session.rows[k]] += session.weight;
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t begin = row * positions;
      const auto known = [](float share) { return share > 0; };
      if (displays[row] == 0 ||
          std::any_of(shares.begin() + static_cast<std::ptrdiff_t>(begin),
                      shares.begin() + static_cast<std::ptrdiff_t>(begin + positions), known))
        continue;
      for (std::size_t k = begin; k < begin + positions; ++k)
        shares[k] = static_cast<float>(counts[k] / displays[row]);
    }
  }
  return shares;
}

DisplayPositions::DisplayPositions(const ModelSetting& setting)
    : positions_(static_cast<std::size_t>(setting.positions)) {
  if (setting.processes != nullptr)
    throw ConfigError(
        "loss.policy_aware is true, but several processes train the model; expected one process");
  std::vector<const SessionLog*> logs;
  if (setting.train != nullptr) logs.push_back(setting.train);
  logs.insert(logs.end(), setting.held_out.begin(), setting.held_out.end());
  shares_ = display_positions(logs, static_cast<std::size_t>(setting.rows), positions_);
  view_ = {.values = shares_.data(),
           .rows = setting.rows,
           .columns = setting.positions,
           .stride = setting.positions};
}

Tensor DisplayPositions::mean(const Lists& lists, Tensor by_position) const {
  const Tensor shares = gather_fixed(lists.tape(), view_, lists.session().index(Domain::document));
  return lists.in_list_order(matvec(shares, by_position));
}

double DisplayPositions::mean(std::size_t row, const std::vector<double>& by_position) const {
  double sum = 0;
  for (std::size_t k = 0; k < positions_; ++k) {
    const float share = shares_[row * positions_ + k];
    if (share > 0) sum += static_cast<double>(share) * by_position[k];  // unknown elsewhere
  }
  return sum;
}

}  // namespace ultr
