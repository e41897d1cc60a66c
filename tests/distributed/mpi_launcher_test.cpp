#include "distributed/mpi_launcher.h"

#include <gtest/gtest.h>

#include "testing/environment.h"

namespace ultr::mpi_launcher_test {
namespace {

using testing::Environment;

TEST(MpiLauncherTest, NobodyHasStartedOthers) {
  const Environment none(testing::launcher_variables({}));
  EXPECT_EQ(launched_processes(), 1);
  EXPECT_TRUE(is_first_launched());
}

TEST(MpiLauncherTest, LaunchersSayHowManyTheyHaveStarted) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    for (const int processes : {1, 4}) {
      const Environment launched(
          testing::launcher_variables({{variable, std::to_string(processes)}, {"PMIX_RANK", "0"}}));
      EXPECT_EQ(launched_processes(), processes) << variable;
    }
  const Environment wrong(testing::launcher_variables({{"PMI_SIZE", "four"}}));
  EXPECT_EQ(launched_processes(), 1);
}

TEST(MpiLauncherTest, ARankAloneSaysNotHowMany) {
  const Environment pmix(testing::launcher_variables({{"PMIX_RANK", "0"}}));
  EXPECT_EQ(launched_processes(), std::nullopt);
  const Environment srun(
      testing::launcher_variables({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}}));
  EXPECT_EQ(launched_processes(), 3);
}

TEST(MpiLauncherTest, OneIsTheFirst) {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    for (const int rank : {0, 1}) {
      const Environment launched(testing::launcher_variables({{variable, std::to_string(rank)}}));
      EXPECT_EQ(is_first_launched(), rank == 0) << variable;
    }
}

}  // namespace
}  // namespace ultr::mpi_launcher_test
