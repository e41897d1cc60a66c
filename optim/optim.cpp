#include "optim/optim.h"

namespace ultr {
const std::vector<OptionType>& optimizer_types() {
  static const std::vector<OptionType> types = {
      option_type<AdamWOptions>("adamw", "Adam with decoupled weight decay."),
      option_type<AdamOptions>("adam", "Adam; weight decay is an L2 penalty."),
      option_type<AdagradOptions>("adagrad", "Adagrad."),
      option_type<SgdOptions>("sgd", "Stochastic gradient descent, with momentum."),
  };
  return types;
}

}  // namespace ultr
