// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/launcher.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

using Numbers = std::vector<int>;

/// As mpirun of Open MPI 4.1 sets them for rank 5 of 8 on the second of two nodes.
Environment open_mpi_4() {
  return {
      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
      {"OMPI_COMM_WORLD_NODE_RANK", "1"},
      {"OMPI_COMM_WORLD_RANK", "5"},
      {"OMPI_COMM_WORLD_SIZE", "8"},
      {"OMPI_MCA_orte_ess_num_procs", "8"},
      {"OMPI_MCA_orte_num_nodes", "2"},
      {"PMIX_HOSTNAME", "n2"},
      {"PMIX_NAMESPACE", "71565313"},
      {"PMIX_RANK", "5"},
  };
}

/// As mpiexec.hydra of MPICH 4.0 sets them.
Environment hydra() {
  return {
      {"MPI_LOCALNRANKS", "2"},
      {"MPI_LOCALRANKID", "1"},
      {"PMI_FD", "8"},
      {"PMI_RANK", "3"},
      {"PMI_SIZE", "4"},
  };
}

/// As srun sets them.
Environment slurm() {
  return {
      {"SLURM_JOB_ID", "17"},
      {"SLURM_LOCALID", "2"},
      {"SLURM_NODEID", "1"},
      {"SLURM_NTASKS", "99"},
      {"SLURM_PROCID", "6"},
      {"SLURM_STEP_ID", "0"},
      {"SLURM_STEP_NUM_TASKS", "7"},
      {"SLURM_STEP_TASKS_PER_NODE", "4,3"},
  };
}

Environment both(Environment outer, Environment const& inner) {
  outer.insert(inner.begin(), inner.end());
  return outer;
}

TEST(Launcher, ReadsOpenMpi4) {
  Launcher const expected{
      .name = "openmpi", .rank = 5, .num_ranks = 8, .local_rank = 1, .num_local = 4
  };
  EXPECT_EQ(launcher_of(open_mpi_4()), expected);
}

TEST(Launcher, ReadsOpenMpi5) {
  Environment environment = open_mpi_4();
  environment.erase("OMPI_MCA_orte_ess_num_procs");
  environment.erase("OMPI_MCA_orte_num_nodes");
  EXPECT_EQ(launcher_of(environment).name, "prrte");
  EXPECT_EQ(launcher_of(environment).num_local, 4);
}

TEST(Launcher, ReadsBarePmix) {
  Launcher const expected{.name = "prrte", .rank = 3};
  EXPECT_EQ(launcher_of({{"PMIX_NAMESPACE", "prterun-n1-55@1"}, {"PMIX_RANK", "3"}}), expected);
}

TEST(Launcher, ReadsHydra) {
  Launcher expected{.name = "hydra", .rank = 3, .num_ranks = 4, .local_rank = 1, .num_local = 2};
  EXPECT_EQ(launcher_of(hydra()), expected);
  Environment environment = hydra();
  environment["PMI_process_mapping"] = "(vector,(0,2,2))";
  expected.node = 1;
  expected.node_of_rank = {0, 0, 1, 1};
  EXPECT_EQ(launcher_of(environment), expected);
}

TEST(Launcher, ReadsSlurm) {
  Launcher const expected{
      .name = "slurm", .rank = 6, .num_ranks = 7, .local_rank = 2, .num_local = 3, .node = 1
  };
  EXPECT_EQ(launcher_of(slurm()), expected);
}

TEST(Launcher, TakesTheNearest) {
  EXPECT_EQ(launcher_of(both(open_mpi_4(), slurm())).name, "openmpi");
  EXPECT_EQ(launcher_of(both(hydra(), slurm())).name, "hydra");
  EXPECT_EQ(launcher_of(both(slurm(), {{"PMI_RANK", "6"}, {"PMI_SIZE", "7"}})).name, "slurm");
  EXPECT_EQ(
      launcher_of(both(slurm(), {{"PMIX_RANK", "6"}, {"PMIX_NAMESPACE", "slurm.pmix.17.0"}})).name,
      "slurm"
  );
}

TEST(Launcher, IsNobodyWithoutVariables) {
  EXPECT_EQ(launcher_of({}), Launcher{});
  // A batch script, which is no task.
  EXPECT_EQ(launcher_of({{"SLURM_JOB_ID", "17"}, {"SLURM_PROCID", "0"}}), Launcher{});
}

TEST(Launcher, SaysWhichVariableIsWrong) {
  Environment environment = open_mpi_4();
  environment["OMPI_COMM_WORLD_SIZE"] = "-8";
  try {
    static_cast<void>(launcher_of(environment));
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(
        std::string(error.what()), "OMPI_COMM_WORLD_SIZE: expected a number from 0, got '-8'"
    );
  }
}

TEST(ProcessMapping, Expands) {
  EXPECT_EQ(expand_process_mapping("(vector,(0,2,4))", 8), (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(expand_process_mapping("(vector,(0,2,1),(2,1,2))", 4), (Numbers{0, 1, 2, 2}));
  EXPECT_EQ(expand_process_mapping("(vector,(0,2,1))", 5), (Numbers{0, 1, 0, 1, 0}));
}

TEST(ProcessMapping, RefusesOthers) {
  for (char const* const mapping :
       {"",
        "(vector)",
        "(vector,(0,2))",
        "(vector,(0,0,1))",
        "(vector,(0,1,0))",
        "(vector,(0,1,1)",
        "(list,(0,1,1))",
        "(vector,(0,1,1)x)",
        "(vector,(a,1,1))"}) {
    EXPECT_THROW(static_cast<void>(expand_process_mapping(mapping, 2)), Error) << mapping;
  }
}

TEST(Environment, IsReadFromEntries) {
  char const* const entries[] = {"A=1", "B=x=y", "nothing", "C=", nullptr};
  Environment const expected{{"A", "1"}, {"B", "x=y"}, {"C", ""}};
  EXPECT_EQ(environment_of(entries), expected);
}

}  // namespace
}  // namespace espalier::machine
