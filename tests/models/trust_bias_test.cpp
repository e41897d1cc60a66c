#include "models/trust_bias.h"

#include <cmath>

#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::trust_bias_test {
namespace {

TEST(TrustBiasModelTest, IrrelevantDocumentsAreClickedByTrust) {
  const TrainableModel model = testing::build_model("trust_bias", {.rows = 9, .positions = 6});
  testing::randomise(model, -2, 2, 5);
  const Shard shard = testing::pack_all(testing::all_click_vectors({3, 1, 4}));
  ClickPrograms programs(model, ProgramKind::unconditional, Precision::float64);
  const std::vector<double> log_p = programs.run(shard).log_p();
  for (std::size_t i = 0; i < shard.documents(); ++i) {
    const auto of = [&](const char* name, std::size_t entry) {
      return testing::probability_of(model, name, entry);
    };
    const std::size_t position = shard.positions()[i];
    const double relevant = of("attraction", shard.rows()[i]);
    EXPECT_NEAR(std::exp(log_p[i]),
                of("examination", position) * (relevant + (1 - relevant) * of("trust", position)),
                1e-7);
  }
}

}  // namespace
}  // namespace ultr::trust_bias_test
