#include "training/shards/shard_gradients.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::shard_gradients_test {
namespace {

TEST(DealtGradientsTest, EveryWorkerHasTheGradientsOfItsRowsInTheirOrder) {
  for (const std::int64_t columns : {1, 3}) {
    EmbeddingTable table("table", 10'000, columns);
    const auto width = static_cast<std::size_t>(columns);
    DealtGradients dealt;
    for (const std::size_t count :
         {std::size_t{3001}, std::size_t{0}, std::size_t{3}, std::size_t{702}}) {
      RowGradients gradients{.table = &table};
      RandomStream random(1, RandomPurpose::testing, 0, count);
      for (std::size_t i = 0; i < count; ++i) {
        gradients.rows.push_back(static_cast<std::uint32_t>(random.below(10'000)));
        for (std::size_t c = 0; c < width; ++c)
          gradients.values.push_back(static_cast<float>(i * width + c));
      }
      for (const std::uint32_t workers : {1u, 2u, 5u, 256u, 700u}) {
        dealt.deal(gradients, workers);
        EXPECT_EQ(&dealt.table(), &table);
        std::size_t all = 0;
        for (std::uint32_t worker = 0; worker < workers; ++worker) {
          std::size_t next = 0;  // index among the worker's rows
          for (std::size_t i = 0; i < count; ++i) {
            if (!RowOwner{worker, workers}.owns(gradients.rows[i])) continue;
            ASSERT_LT(next, dealt.rows(worker).size());
            EXPECT_EQ(dealt.rows(worker)[next], gradients.rows[i]);
            for (std::size_t c = 0; c < width; ++c)
              EXPECT_EQ(dealt.values(worker)[next * width + c], gradients.values[i * width + c]);
            ++next;
          }
          EXPECT_EQ(next, dealt.rows(worker).size());
          all += next;
        }
        EXPECT_EQ(all, count);
      }
    }
  }
}

}  // namespace
}  // namespace ultr::shard_gradients_test
