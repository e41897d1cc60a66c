#include "sources/user_parameters.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "data/simulation/simulated_user.h"
#include "options/config_tree.h"

namespace ultr {

double finite_logit(double p) {
  p = std::clamp(p, 1e-30, 1 - 1e-6);
  return std::log(p) - std::log1p(-p);
}

void set_user_parameters(const TrainableModel& model, const ModelSetting& size,
                         const UserParameters& user, const std::string& section) {
  std::uint32_t number = 0;
  for (const TrainableModel::Layer& layer : model.layers()) {
    ++number;
    if (layer.start_given) continue;
    // The last parameter of a layer has one entry per entry of the domain.
    const std::vector<Parameter*> parameters = layer.layer->parameters();
    if (parameters.empty() || parameters.back()->rows() != size.entries(layer.domain))
      throw ConfigError(fmt::format(
          "{}.{}: the layer does not have one logit per {}; expected embedding or table", section,
          layer.name, to_string(layer.domain)));
    for (Parameter* parameter : parameters) parameter->fill(0);
    Parameter& values = *parameters.back();
    const auto logit = [&](std::int64_t entry) {
      switch (layer.domain) {
        case Domain::alternative:
          break;  // equally likely
        case Domain::global:
          return finite_logit(user.global);
        case Domain::rank:
          return finite_logit(position_bias(static_cast<std::size_t>(entry), user.eta));
        case Domain::rank_pair: {
          const std::int64_t below = entry / (size.positions + 1) - entry % (size.positions + 1);
          const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(below, 0));
          return finite_logit(position_bias(skipped, user.eta));
        }
        case Domain::document:
        case Domain::document_rank:
          return user.document(number, layer.domain, entry);
      }
      return 0.;
    };
    for (std::int64_t i = 0; i < values.rows(); ++i) values.value(i) = static_cast<float>(logit(i));
  }
}

}  // namespace ultr
