#include "optim/optim.h"

namespace ultr {
const std::vector<OptionType>& optimizer_types() {
  static const std::vector<OptionType> types = {
      option_type<AdamWOptions>("adamw", "Adam with decoupled weight decay."),
      option_type<AdamOptions>("adam", "Adam; weight decay is an L2 penalty."),
      option_type<AdagradOptions>("adagrad", "Adagrad."),
      option_type<SgdOptions>("sgd", "Stochastic gradient descent with momentum."),
      option_type<EmOptions>(
          "em", "Expectation maximisation over all sessions; for models made of coins."),
      option_type<CountingOptions>(
          "counting", "Counts clicks as if sessions ended with the last one; for sdbn and dcm."),
  };
  return types;
}

}  // namespace ultr
