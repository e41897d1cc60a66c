#include "metrics/random_order.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ultr {

double random_ndcg(const RankedLabels& list, std::size_t k, Gain gain) {
  const double ideal = ideal_dcg(list, k, gain);
  if (ideal == 0) return 0;
  const std::size_t documents = list.labels().size();
  double gains = 0, discounts = 0;
  for (const int label : list.labels())
    gains += dcg({std::array{0.}, std::array{label}}, 1, gain);  // of a list of this document
  for (std::size_t rank = 1; rank <= std::min(k, documents); ++rank)
    discounts += 1 / std::log2(static_cast<double>(rank + 1));
  return gains / static_cast<double>(documents) * discounts / ideal;
}

}  // namespace ultr
