#include "dsl/programs/event_probabilities.h"

#include "dsl/programs/number_packs.h"

namespace ultr {

void EventProbabilities::resize(std::size_t documents) {
  p.resize(output.p ? documents : 0);
  complement.resize(output.complement ? documents : 0);
  likelihood.resize(output.likelihood ? documents : 0);
}

void EventProbabilities::write_likelihoods(std::span<const std::uint8_t> happened,
                                           std::vector<double>& to) const {
  to.resize(happened.size());
  for_each_pack<double>(happened.size(), [&](std::size_t i, auto... count) {
    const auto yes = load_mask<double>(happened.data() + i, count...);
    const auto if_yes = Pack<double>::load(p.data() + i, count...),
               if_no = Pack<double>::load(complement.data() + i, count...);
    exact_p(where(yes, if_yes, if_no), where(yes, if_no, if_yes)).store(to.data() + i, count...);
  });
}

}  // namespace ultr
