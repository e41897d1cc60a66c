#include <numeric>

#include <gtest/gtest.h>

#include "dsl/programs/sampler.h"
#include "models/models.h"
#include "optim/adam.h"
#include "testing/allocations.h"
#include "testing/small_log.h"
#include "training/evaluation.h"
#include "training/training_step.h"

// The memory of every model is linear in the length of the lists, beside the model's own tables.

namespace ultr::memory_budget_test {
namespace {

/// Returns fifty sessions of the same length.
SessionLog log_of(std::size_t length) {
  std::vector<std::uint32_t> rows(length);
  std::vector<std::uint16_t> positions(length);
  std::vector<std::uint8_t> clicks(length);
  SessionLog log;
  for (std::uint32_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < length; ++k) {
      rows[k] = 1 + (i + static_cast<std::uint32_t>(k)) % 20;
      positions[k] = static_cast<std::uint16_t>(k);
      clicks[k] = (i + k) % 13 == 0 ? 1 : 0;
    }
    log.add({rows, positions, clicks});
  }
  return with_made_up_signals(log);
}

/// Returns the most memory that a function holds in addition to what was held before.
template <class Function>
std::size_t peak_of(Function function) {
  const std::size_t before = testing::allocated_memory();
  testing::forget_peak_memory();
  function();
  return testing::peak_memory() - before;
}

/// Expects the peaks to be at most a constant, and a number of bytes for each document of a full
/// shard and for each number of the model's tables.
void expect_within_budget(const ModelType& type, std::size_t length) {
  const TrainableModel model =
      testing::build_model(type, {.rows = 21, .positions = static_cast<std::int64_t>(length)});
  std::size_t numbers = 0;
  for (const Parameter* parameter : model.parameters())
    numbers += static_cast<std::size_t>(parameter->rows() * parameter->columns());
  const std::size_t documents = length * shard_sessions;
  const auto budget = [&](std::size_t bytes_per_document) {
    return (std::size_t{2} << 20) + bytes_per_document * documents + 100 * numbers;
  };
  const SessionLog log = log_of(length);
  Shard shard;
  std::vector<std::uint32_t> sessions(log.sessions());
  std::iota(sessions.begin(), sessions.end(), 0u);
  shard.pack(log, sessions);

  EXPECT_LE(peak_of([&] { evaluate_clicks(model, log, LossMean::documents, 1); }), budget(1000));
  const std::vector<std::uint64_t> seeds(log.sessions(), 1);
  EXPECT_LE(peak_of([&] { ClickSampler(model).sample(shard, 1, seeds); }), budget(1000));
  const auto rule = AdamOptions().build();
  rule->attach(model.parameters());
  EXPECT_LE(peak_of([&] {
              TrainingStep step(model, *rule, {});
              step({&shard, 1}, 0.01);
            }),
            budget(1000));
}

class MemoryBudgetTest : public ::testing::TestWithParam<ModelType> {};
class MemoryBudgetSlowTest : public ::testing::TestWithParam<ModelType> {};

TEST_P(MemoryBudgetTest, ListsOfUpToFourHundredDocuments) {
  for (const std::size_t length : {10u, 100u, 400u}) {
    SCOPED_TRACE(length);
    expect_within_budget(GetParam(), length);
  }
}

TEST_P(MemoryBudgetSlowTest, ListsOfAThousandDocuments) { expect_within_budget(GetParam(), 1000); }

const auto name_of = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Models, MemoryBudgetTest, ::testing::ValuesIn(model_types()), name_of);
INSTANTIATE_TEST_SUITE_P(Models, MemoryBudgetSlowTest, ::testing::ValuesIn(model_types()), name_of);

}  // namespace
}  // namespace ultr::memory_budget_test
