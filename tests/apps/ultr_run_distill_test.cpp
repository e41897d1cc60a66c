#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

/// Towers and trees that learn the scores of a cross-encoder, through the whole program.
namespace ultr::ultr_run_distill_test {
namespace {

using ::testing::HasSubstr;
using testing::RunningProgram;

class UltrRunDistillTest : public testing::UltrRun {
 protected:
  UltrRunDistillTest() {
    const std::string data =
        "data:\n  format: feature_lists\n"
        "  reader: {type: topics, train_queries: 60, valid_queries: 10, test_queries: 20}\n"
        "  learn_from: {type: simulated_clicks, sessions: 2000}\n";
    const std::string rest = "train: {epochs: 4, batch_size: 8}\nthreads: 1\n";
    folder_.write("teacher.yaml",
                  data +
                      "loss:\n  type: two_tower\n"
                      "  relevance: {type: transformer, layers: 1, width: 8, heads: 2, inner: 8,\n"
                      "              max_tokens: 16}\n" +
                      rest);
    folder_.write("student.yaml",
                  data + "loss: {type: distill, teacher: teacher, relevance: linear}\n" + rest);
    run_well({"teacher.yaml", "output=teacher", "optimizer.lr=0.01"});
  }

  double agreement(const std::string& run_folder) const {
    return results(run_folder)["teacher"]["kendall_tau"].get<double>();
  }
};

TEST_F(UltrRunDistillTest, ThreadsDoNotChangeABit) {
  const std::string printed = run_well({"student.yaml", "output=one", "threads=1"});
  run_well({"student.yaml", "output=two", "threads=2"});
  expect_same_results("one", "two");
  const nlohmann::json teacher = results("one")["teacher"];
  EXPECT_EQ(teacher, results("two")["teacher"]);
  EXPECT_EQ(teacher["run"], path("teacher").string());
  EXPECT_EQ(teacher["model"], "two_tower");
  EXPECT_GT(teacher["lists"], 10);
  EXPECT_THAT(printed, HasSubstr(fmt::format("   teacher: kendall_tau {:.4f} with {} on {} lists\n",
                                             agreement("one"), path("teacher").string(),
                                             teacher["lists"].get<int>())));
}

TEST_F(UltrRunDistillTest, AStoppedRunResumesBitIdentically) {
  run_well({"student.yaml", "output=whole", "train.epochs=30", "train.early_stopping=0"});
  RunningProgram program(
      ULTR_RUN, {"student.yaml", "output=run", "train.epochs=30", "train.early_stopping=0"},
      folder_.path());
  program.read_until("3/30 ");
  program.send(SIGINT);
  EXPECT_EQ(program.finish().exit_code, 128 + SIGINT);
  run_well({"--resume", "run"});
  expect_same_results("run", "whole");
  EXPECT_EQ(results("run")["teacher"], results("whole")["teacher"]);
}

TEST_F(UltrRunDistillTest, AStudentThatCanAgreesWithItsTeacherWhateverTheLoss) {
  const std::string same =
      "loss.relevance={type: transformer, layers: 1, width: 8, heads: 2, "
      "inner: 8, max_tokens: 16, dropout: 0}";
  for (const char* base : {"softmax", "squared", "margins"}) {
    run_well({"student.yaml", std::string("output=") + base, std::string("loss.base=") + base, same,
              "train.epochs=40", "train.early_stopping=0", "optimizer.lr=0.01"});
    run_well({"student.yaml", std::string("output=untrained_") + base,
              std::string("loss.base=") + base, same, "train.epochs=1", "optimizer.lr=0.000001"});
    EXPECT_GT(agreement(base), agreement(std::string("untrained_") + base) + 0.2) << base;
  }
}

TEST_F(UltrRunDistillTest, TreesLearnFromATeacher) {
  for (const char* base : {"softmax", "squared", "margins"}) {
    run_well({"student.yaml", std::string("output=") + base, std::string("loss.base=") + base,
              "loss.relevance={type: boosted_trees, rounds: 4, leaves: 4}"});
    const nlohmann::json found = results(base);
    EXPECT_LT(found["train"]["loss"], 1e3);
    EXPECT_FALSE(found["teacher"]["kendall_tau"].is_null()) << base;
  }
}

TEST_F(UltrRunDistillTest, AMissingTeacherIsAnError) {
  const std::string missing = "loss.teacher is missing; expected the folder of a trained run";
  const std::string student = testing::read_text(path("student.yaml")),
                    given = "teacher: teacher, ";
  folder_.write("alone.yaml", std::string(student).erase(student.find(given), given.size()));
  expect_error({"alone.yaml"}, 2, missing);
  expect_error({"alone.yaml", "--dry-run"}, 2, missing);
  expect_error({"student.yaml", "loss.teacher=none"}, 3, "none: there is no such file");
  expect_error({"student.yaml", "loss.teacher=.", "--dry-run"}, 3,
               "expected the folder of a finished run");
}

TEST_F(UltrRunDistillTest, TheStudentDoesNotNeedItsTeacherToRank) {
  folder_.write("train.svm", "2 qid:1 1:3\n0 qid:1 1:2\n1 qid:2 1:1\n0 qid:2 1:9\n");
  folder_.write("svm.yaml",
                "data: {format: feature_lists, train: train.svm, learn_from: labels}\n"
                "loss: {type: naive, base: softmax, relevance: linear}\ntrain: {epochs: 2}\n");
  run_well({"svm.yaml", "output=first"});
  run_well({"svm.yaml", "output=second", "loss.type=distill", "loss.base=squared",
            "loss.teacher=first"});
  std::filesystem::remove_all(path("first"));
  EXPECT_THAT(run_well({"evaluate", "second", "--data", "train.svm"}), HasSubstr("ndcg@10"));
}

}  // namespace
}  // namespace ultr::ultr_run_distill_test
