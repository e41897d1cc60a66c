#include "metrics/metrics.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace ultr::metrics_test {
namespace {

/// "ndcg@10" -> "ndcg@K"
std::string pattern_of(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits == name.size() ? name : name.substr(0, digits) + "K";
}

TEST(MetricTableTest, DescribesExactlyTheMetricsThatAreReported) {
  ClickMetrics clicks;
  clicks.add(0, true, -1, -1);
  const RankingMetrics ranking;
  std::set<std::string> reported, described;
  for (const MetricValue& metric : click_metric_values(clicks, clicks))
    reported.insert(pattern_of(metric.name));
  for (const std::string& name : ranking.names()) reported.insert(pattern_of(name));
  for (const MetricDescription& metric : metric_table) {
    EXPECT_TRUE(described.insert(std::string(metric.name)).second) << metric.name << " twice";
    EXPECT_FALSE(metric.help.empty()) << metric.name;
    EXPECT_EQ(metric.help.find('\n'), std::string_view::npos) << metric.name;
  }
  EXPECT_EQ(described, reported);
}

}  // namespace
}  // namespace ultr::metrics_test
