// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/kind_of_machine.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace espalier::machine {
namespace {

constexpr char const* openmpi = "Open MPI v4.1.4, package: Debian OpenMPI, repo rev: v4.1.4";
constexpr char const* mpich = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 2022";

Interconnect const ethernet{
    .kind = InterconnectKind::ethernet, .device = "eth0", .bytes_per_second = 1.25e9
};

TEST(KindOfMachine, IsTheNameOfAFile) {
  EXPECT_EQ(
      learned_file_name(openmpi, " AMD EPYC 7B13 (64-Core)", ethernet),
      "open-mpi-v4.1.4-amd-epyc-7b13-64-core-ethernet-10-gbit-s-eth0-.json"
  );
  EXPECT_EQ(
      learned_file_name(mpich, "processor", {}), "mpich-4.0.2-processor-no-interconnect.json"
  );
}

TEST(KindOfMachine, IsTheSameForAllTextsOfOneVersion) {
  EXPECT_EQ(
      learned_file_name(openmpi, "cpu", ethernet),
      learned_file_name("Open MPI v4.1.4", "cpu", ethernet)
  );
  EXPECT_NE(
      learned_file_name("Open MPI v4.1.5", "cpu", ethernet),
      learned_file_name("Open MPI v4.1.4", "cpu", ethernet)
  );
}

TEST(KindOfMachine, NamesOfOtherMachinesAreRecognised) {
  std::string const name = learned_file_name(openmpi, "some processor", {});
  EXPECT_TRUE(is_learned_file_name(name, openmpi));
  EXPECT_FALSE(is_learned_file_name(name, mpich));
  EXPECT_FALSE(is_learned_file_name(name, "Open MPI v4.1"));
  EXPECT_FALSE(is_learned_file_name("profile.json", openmpi));
  EXPECT_FALSE(is_learned_file_name("open-mpi-v4.1.4-.json.part", openmpi));
}

TEST(KindOfMachine, ProcessorsHaveTheNameThatTheKernelGivesThem) {
  std::filesystem::path const file = std::filesystem::path(testing::TempDir()) / "espalier_cpuinfo";
  std::ofstream(file) << "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: Other\n";
  EXPECT_EQ(processor_name(file), " Some CPU @ 2 GHz");
  std::filesystem::remove(file);
  EXPECT_EQ(processor_name(file), "processor");
}

}  // namespace
}  // namespace espalier::machine
