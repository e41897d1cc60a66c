#include "losses/position_based.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"
#include "testing/temporary_folder.h"

namespace ultr::position_based_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const ModelSetting setting{.rows = 4, .positions = 3};

SessionLog two_documents() {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2}, std::vector<std::uint16_t>{0, 1},
           std::vector<std::uint8_t>{0, 1}});
  return log;
}

TEST(PositionBasedLossTest, ExaminationMayBeFixed) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("bias.csv", "position,examination\n1,1\n2,0.25\n");
  const TrainableModel model =
      testing::build_loss("pbm", setting, "{propensities: " + file.string() + "}");
  for (Parameter* parameter : model.parameters()) {
    EXPECT_TRUE(parameter->name().starts_with("relevance")) << parameter->name();
    parameter->fill(0);
  }
  testing::parameter_called(model, "relevance").value(1) = 1.5f;
  testing::parameter_called(model, "relevance").value(2) = -0.5f;
  const Shard shard = testing::pack_all(two_documents());
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  ClickPrograms loss(model, ProgramKind::loss, Precision::float64),
      click(model, ProgramKind::conditional, Precision::float64),
      examined(model, ProgramKind::examination, Precision::float64);
  EXPECT_NEAR(loss.run(shard).loss(), -std::log(1 - sigmoid(1.5)) - std::log(0.25 * sigmoid(-0.5)),
              1e-12);
  EXPECT_NEAR(std::exp(click.run(shard).log_p()[1]), 0.25 * sigmoid(-0.5), 1e-12);
  EXPECT_NEAR(std::exp(examined.run(shard).log_p()[0]), 1, 1e-12);
  EXPECT_NEAR(std::exp(examined.run(shard).log_p()[1]), 0.25, 1e-12);
}

TEST(PositionBasedLossTest, RefusesFixedExaminationThatIsNoProbability) {
  const testing::TemporaryFolder folder;
  for (const std::string second : {"1.25", "0", ""}) {
    const auto file = folder.write("bias.csv", "position,examination\n1,1\n2," + second + "\n");
    const TrainableModel model =
        testing::build_loss("pbm", setting, "{propensities: " + file.string() + "}");
    EXPECT_THAT([&] { model.story().check(two_documents()); },
                ThrowsMessage<DataError>(HasSubstr(
                    "no usable propensity for position 2, which the data show; expected one above "
                    "0 and at most 1")));
  }
}

}  // namespace
}  // namespace ultr::position_based_test
