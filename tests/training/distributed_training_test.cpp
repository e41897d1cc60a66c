#include <array>
#include <cmath>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/collected_rows.h"
#include "dsl/divided_model.h"
#include "dsl/programs/start.h"
#include "losses/loss_variants.h"
#include "optim/optim.h"
#include "testing/errors.h"
#include "testing/small_log.h"
#include "testing/thread_communicator.h"
#include "training/evaluation.h"
#include "training/fitters.h"
#include "training/ranking_evaluation.h"
#include "training/training.h"

/// Training by several processes, with threads in their place: the bits of one process.
namespace ultr::distributed_training_test {
namespace {

using testing::ThreadCommunicators;

/// Data of several shards, with judged lists.
Dataset data() {
  Dataset dataset = testing::simulate(
                        "{sessions: 1400, valid_sessions: 300, test_sessions: 700, queries: 9, "
                        "candidates: 7, positions: 5}")
                        .dataset;
  for (SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test})
    *log = with_made_up_signals(*log);
  dataset.labels = {};
  for (std::size_t i = 0; i < 20; ++i) {
    const SessionView list = dataset.test[i];
    std::vector<int> labels;
    for (const std::uint32_t row : list.rows) labels.push_back(static_cast<int>(row % 4));
    dataset.labels.add(list.rows, labels);
  }
  return dataset;
}

/// A model to train and its optimizer.
struct Job {
  std::string name;
  std::function<TrainableModel(const ModelSetting&)> build;
  std::string optimizer = "adamw", optimizer_options = "{lr: 0.05}";
  std::string train = "{epochs: 3, batch_size: 200, early_stopping: 1}";
  int threads = 1;
};

Job job(const std::string& model, const std::string& options = "{}") {
  return {model + " " + options, [=](const ModelSetting& setting) {
            return testing::build_model(model, setting, options);
          }};
}

/// All that comes of it, as far as it is no time.
struct Outcome {
  std::vector<double> numbers;
  std::vector<std::vector<float>> parameters;
};

void add(std::vector<double>& numbers, const ClickEvaluation& evaluation) {
  numbers.push_back(evaluation.loss);
  numbers.push_back(static_cast<double>(evaluation.sessions + evaluation.impossible_clicks));
  for (const auto& some : {evaluation.conditional.sums(), evaluation.unconditional.sums(),
                           evaluation.calibration.sums(), evaluation.examination})
    numbers.insert(numbers.end(), some.begin(), some.end());
}

/// The values of all rows of a parameter; in the first process only, if they are divided.
std::vector<float> values_of(const TrainableModel& model, const Parameter& parameter) {
  const auto divided = divide_tables(model);
  const DividedTable* const parts = divided ? divided->find(parameter) : nullptr;
  if (parts == nullptr) return parameter.values();
  std::vector<float> values;
  collect_rows(
      divided->processes(), *parts, model.setting().rows,
      [&](std::span<const float> some) { values.insert(values.end(), some.begin(), some.end()); });
  return values;
}

Outcome run(const Job& job, const Dataset& dataset, std::int64_t partitions,
            Communicator* processes = nullptr) {
  const TrainableModel model = job.build({.rows = dataset.dictionary.rows(),
                                          .positions = static_cast<std::int64_t>(dataset.positions),
                                          .features = dataset.features,
                                          .train = &dataset.train,
                                          .processes = processes});
  TrainOptions options;
  testing::configure(options, job.train);
  options.partitions = partitions;
  Choice optimizer(testing::registry().optimizers(), job.optimizer);
  testing::configure(*optimizer.options, job.optimizer_options);

  Outcome outcome;
  for (const TrainableModel& stage : model.stages()) {
    if (stage.story().predicts_clicks())
      outcome.numbers.push_back(start_at_click_rate(stage, dataset.train));
    const auto fitter = make_fitter(optimizer.as<FitOptions>(), {.model = stage,
                                                                 .train = dataset.train,
                                                                 .options = options,
                                                                 .seed = 3,
                                                                 .threads = job.threads});
    const TrainingResult result = train_model(stage, *fitter, options, dataset, job.threads, {});
    for (const EpochResult& epoch : result.epochs)
      for (const double number :
           {epoch.learning_rate, epoch.train_loss, epoch.valid->loss(), (*epoch.valid)["ppl"]})
        if (!std::isnan(number)) outcome.numbers.push_back(number);
    outcome.numbers.push_back(static_cast<double>(result.best_epoch));
  }
  std::vector<SessionLikelihood> each(dataset.test.sessions());
  add(outcome.numbers, evaluate_clicks(model, dataset.test, options.mean(), job.threads, each));
  for (const SessionLikelihood& session : each) {
    outcome.numbers.push_back(session.conditional);
    outcome.numbers.push_back(session.unconditional);
  }
  for (const MetricValue& metric :
       evaluate_ranking(model, dataset.labels, {}, job.threads).values())
    if (!std::isnan(metric.value)) outcome.numbers.push_back(metric.value);
  for (const Parameter* parameter : model.parameters())
    outcome.parameters.push_back(values_of(model, *parameter));
  return outcome;
}

void expect_same_bits(const Job& job, const Dataset& dataset, std::int64_t partitions,
                      int process_count) {
  const Outcome alone = run(job, dataset, partitions);
  ASSERT_FALSE(alone.numbers.empty());
  ThreadCommunicators(process_count).run([&](Communicator& processes) {
    const Outcome together = run(job, dataset, partitions, &processes);
    EXPECT_EQ(together.numbers, alone.numbers) << job.name << ", process " << processes.process();
    if (processes.process() == 0) {
      EXPECT_EQ(together.parameters, alone.parameters) << job.name;
    }
  });
}

class DistributedModelsTest : public ::testing::TestWithParam<ModelType> {};

TEST_P(DistributedModelsTest, TrainToTheSameBits) {
  expect_same_bits(job(GetParam().name), data(), 2, 2);
}

INSTANTIATE_TEST_SUITE_P(All, DistributedModelsTest, ::testing::ValuesIn(model_types()),
                         [](const auto& tested) { return tested.param.name; });

TEST(DistributedTrainingTest, EveryOptimizer) {
  const Dataset dataset = data();
  int of_gradients = 0, of_coins = 0;
  for (const OptionType& type : optimizer_types()) {
    const auto options = type.make();
    const bool gradients = dynamic_cast<const OptimizerOptions*>(options.get()) != nullptr;
    ++(gradients ? of_gradients : of_coins);
    Job tried = job(gradients ? "dbn" : "sdbn");  // whose coins can be counted
    tried.name = type.name;
    tried.optimizer = type.name;
    for (const char* more :
         gradients ? std::array{"{lazy: false}", "{clip_norm: 0.001}",
                                "{weight_decay: 0.01, schedule: {type: cosine}}"}
                   : std::array{"{}", "{pseudo_count: 2}", "{pseudo_count: 2, pseudo_mean: 0.2}"}) {
      tried.optimizer_options = more;
      expect_same_bits(tried, dataset, 2, 2);
    }
  }
  EXPECT_GE(of_gradients, 4);
  EXPECT_GE(of_coins, 2);
}

TEST(DistributedTrainingTest, ExpectationMaximisationOfEveryKindOfParameter) {
  const Dataset dataset = data();
  for (const auto& [model, options] : std::vector<std::pair<const char*, const char*>>{
           {"ubm", "{}"},
           {"ubm", "{attraction: {type: embedding, baseline: false}}"},
           {"drctr", "{}"},  // a row per pair and rank
           {"ubm", "{examination: embedding}"},
           {"mixture", "{components: [pbm, dbn], share: [attraction]}"}}) {
    Job tried = job(model, options);
    tried.optimizer = "em";
    tried.optimizer_options = "{pseudo_count: 1}";
    for (const auto& [threads, processes] : {std::pair(1, 2), {3, 3}, {2, 9}}) {
      tried.threads = threads;
      tried.name = fmt::format("{} {}, {} processes", model, options, processes);
      expect_same_bits(tried, dataset, processes, processes);
    }
  }
}

TEST(DistributedTrainingTest, ExpectationMaximisationEndsWhenOneProcessWould) {
  Job tried = job("pbm");
  tried.optimizer = "em";
  tried.optimizer_options = "{tolerance: 0.02}";
  tried.train = "{epochs: 50}";
  expect_same_bits(tried, data(), 3, 3);
}

TEST(DistributedTrainingTest, ImpossibleSessionsAreNamedAsByOneProcess) {
  const Dataset dataset = data();
  Job tried = job("cm");
  tried.optimizer = "em";
  tried.optimizer_options = "{}";
  const std::string alone = testing::config_message([&] { run(tried, dataset, 2); });
  EXPECT_THAT(alone, ::testing::HasSubstr("are impossible under the model"));
  ThreadCommunicators(2).run([&](Communicator& processes) {
    EXPECT_EQ(testing::config_message([&] { run(tried, dataset, 2, &processes); }), alone);
  });
}

TEST(DistributedTrainingTest, AnyNumberOfProcessesPartitionsAndThreads) {
  const Dataset dataset = data();
  for (const int threads : {1, 3}) {
    Job tried = job("ubm");
    tried.threads = threads;
    for (const auto& [partitions, process_count] :
         std::vector<std::pair<std::int64_t, int>>{{3, 2}, {3, 3}, {7, 4}}) {
      tried.name = fmt::format("{} partitions, {} processes", partitions, process_count);
      expect_same_bits(tried, dataset, partitions, process_count);
    }
  }
}

TEST(DistributedTrainingTest, BatchesWhoseGradientsAreSentInTwoParts) {
  // Processes with four and more shards of a batch, and in the last batch with one or none.
  const Dataset dataset = testing::simulate(
                              "{sessions: 5000, valid_sessions: 300, test_sessions: 300, "
                              "queries: 9, candidates: 7, positions: 5}")
                              .dataset;
  for (const int threads : {1, 3})
    for (const auto& [partitions, process_count] :
         std::vector<std::pair<std::int64_t, int>>{{2, 2}, {3, 2}, {3, 3}}) {
      Job tried = job("ubm");
      tried.name = fmt::format("{} threads, {} processes", threads, process_count);
      tried.train = "{epochs: 2, batch_size: 2900}";
      tried.threads = threads;
      expect_same_bits(tried, dataset, partitions, process_count);
      tried.optimizer_options = "{clip_norm: 0.001}";
      expect_same_bits(tried, dataset, partitions, process_count);
    }
}

TEST(DistributedTrainingTest, ProcessesWithOtherNumbersOfThreads) {
  const std::size_t process_count = 2, most_threads = 5;
  // More shards a process than those with few threads would evaluate at a time.
  const Dataset dataset =
      testing::simulate(fmt::format("{{sessions: 600, valid_sessions: 300, test_sessions: {}, "
                                    "queries: 9, candidates: 7, positions: 5}}",
                                    process_count * (4 * most_threads - 1) * shard_sessions))
          .dataset;
  const Outcome alone = run(job("pbm"), dataset, 2);
  ThreadCommunicators(process_count).run([&](Communicator& processes) {
    Job tried = job("pbm");
    tried.threads = processes.process() == 0 ? 1 : most_threads;
    EXPECT_EQ(run(tried, dataset, 2, &processes).numbers, alone.numbers);
  });
}

TEST(DistributedTrainingTest, EmptyPartitionsAreAWarning) {
  const Dataset dataset = data();
  const std::size_t shards = shards_of(dataset.train.sessions());
  const auto warning = [&](std::size_t partitions) {
    ::testing::internal::CaptureStderr();
    run(job("pbm"), dataset, static_cast<std::int64_t>(partitions));
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning(shards), ::testing::Not(::testing::HasSubstr("partitions")));
  EXPECT_THAT(warning(shards + 2), ::testing::HasSubstr("2 of the partitions are empty"));
}

TEST(DistributedTrainingTest, MoreProcessesThanShards) {
  expect_same_bits(job("pbm"), data(), 9, 9);
}

TEST(DistributedTrainingTest, RowsOfSeveralNumbersTablesOfRanksAndMeansOverSessions) {
  const Dataset dataset = data();
  for (const char* options : {"{attraction: {type: embedding, dimension: 3}}",
                              "{attraction: {type: embedding, baseline: false}}",
                              "{examination: {type: embedding, dimension: 2, spread: 0.3}}"}) {
    Job tried = job("pbm", options);
    expect_same_bits(tried, dataset, 2, 2);
    tried.optimizer_options = "{clip_norm: 0.001}";
    tried.train = "{epochs: 2, batch_size: 100, loss_mean: sessions, shuffle: false}";
    expect_same_bits(tried, dataset, 2, 2);
  }
}

TEST(DistributedTrainingTest, AMixtureWithSharedParameters) {
  expect_same_bits(job("mixture", "{components: [pbm, dbn], share: [attraction]}"), data(), 2, 2);
}

TEST(DistributedTrainingTest, TowersBesideTablesWithDropout) {
  Dataset dataset = data();
  std::vector<float> features = {0, 0};  // of the unknown pair
  for (std::int64_t i = 2; i < 2 * dataset.dictionary.rows(); ++i)
    features.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i))));
  dataset.features = FeatureTable(std::move(features), 2);
  expect_same_bits(
      job("dbn", "{attraction: {type: mlp, widths: [8], dropout: [0.3]}, satisfaction: embedding}"),
      dataset, 2, 2);
}

TEST(DistributedTrainingTest, RankingLossesInAllTheirStages) {
  const Dataset dataset = data();
  // The last counts sessions by the rows of the dictionary, which are not those of divided tables.
  for (const char* loss :
       {"backdoor", "two_tower", "regression_em", "naive", "logging_policy_weights"}) {
    Job tried{.name = loss, .build = [=](const ModelSetting& setting) {
                std::string layers = "{";
                ModelOptions described(testing::loss_type(loss), testing::registry().models());
                for (const std::string& parameter : described.document_parameters())
                  layers += fmt::format("{}: {{type: embedding}}, ", parameter);
                return testing::build_loss(loss, setting, layers + "}");
              }};
    expect_same_bits(tried, dataset, 2, 2);
  }
}

TEST(DistributedTrainingTest, UnsupportedConfigurationsAreRefusedByName) {
  const Dataset dataset = data();
  for (const char* layer : {"{type: table}", "{type: embedding, compression: hash}"}) {
    const Job tried = job("pbm", fmt::format("{{attraction: {}}}", layer));
    ThreadCommunicators(2).run([&](Communicator& processes) {
      EXPECT_EQ(testing::config_message([&] { run(tried, dataset, 2, &processes); }),
                "model.attraction: its layer cannot be divided over 2 processes; expected an "
                "embedding without compression, a tower, or one process");
    });
  }
}

TEST(DistributedTrainingTest, NeedsAPartitionForEachProcessAndASessionForEachPartition) {
  const Dataset dataset = data();
  ThreadCommunicators(3).run([&](Communicator& processes) {
    EXPECT_EQ(testing::config_message([&] { run(job("pbm"), dataset, 2, &processes); }),
              "train.partitions is 2; expected at least 3, the number of processes");
  });
  EXPECT_EQ(testing::config_message([&] { run(job("pbm"), dataset, 201); }),
            "train.batch_size is 200; expected at least 201, one session for each of "
            "train.partitions");
}

TEST(DistributedTrainingTest, EachProcessHasItsPartOfTheRows) {
  const Dataset dataset = data();
  const std::int64_t rows = dataset.dictionary.rows();
  const TrainableModel whole = testing::build_model("drctr", {.rows = rows, .positions = 5});
  ThreadCommunicators(3).run([&](Communicator& processes) {
    const TrainableModel part =
        testing::build_model("drctr", {.rows = rows, .positions = 5, .processes = &processes});
    const auto divided = divide_tables(part);
    for (std::size_t p = 0; p < part.parameters().size(); ++p) {
      const Parameter &own = *part.parameters()[p], &all = *whole.parameters()[p];
      if (divided->find(own) == nullptr) continue;
      ASSERT_EQ(own.rows(), (rows + 2) / 3 * 5);
      for (std::int64_t row = 0; row < own.rows(); ++row) {
        const std::int64_t pair = row / 5 * 3 + processes.process();
        if (pair >= rows) continue;
        EXPECT_EQ(own.value(row), all.value(pair * 5 + row % 5)) << row;
      }
    }
  });
}

}  // namespace
}  // namespace ultr::distributed_training_test
