#include "metrics/random_order.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace ultr::random_order_test {
namespace {

/// Returns the mean of nDCG over all orders of these labels.
double mean_over_orders(const std::vector<int>& labels, std::size_t k, Gain gain) {
  std::vector<double> scores(labels.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<double>(i);
  double sum = 0, orders = 0;
  do {
    sum += ndcg({scores, labels}, k, gain);
    ++orders;
  } while (std::ranges::next_permutation(scores).found);
  return sum / orders;
}

TEST(RandomNdcgTest, IsTheMeanOverAllOrders) {
  for (const std::vector<int>& labels :
       {std::vector{3, 0, 1, 1, 0}, {0, 0, 2}, {unjudged, 4, 0, unjudged, 1}, {2}})
    for (const std::size_t k : {1u, 3u, 10u})
      for (const Gain gain : {Gain::exponential, Gain::linear})
        EXPECT_NEAR(random_ndcg({std::vector<double>(labels.size()), labels}, k, gain),
                    mean_over_orders(labels, k, gain), 1e-12)
            << labels.size() << " documents, cut-off " << k;
}

TEST(RandomNdcgTest, ListsWithoutRelevantDocumentsHave0) {
  EXPECT_EQ(random_ndcg({std::vector<double>(2), std::vector<int>(2)}, 10), 0);
  EXPECT_EQ(random_ndcg({{}, {}}, 10), 0);
}

}  // namespace
}  // namespace ultr::random_order_test
