// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/mpi_library.hpp"

#include <string>

#include <gtest/gtest.h>

namespace espalier {
namespace {

std::string why(std::string const& version, std::string const& family) {
  return why_native({.file = "/usr/lib/libmpi.so.12", .version = version}, family);
}

TEST(MpiLibrary, VersionsAreShortened) {
  EXPECT_EQ(short_version("Open MPI v5.0.11, package: Open MPI root"), "Open MPI v5.0.11");
  EXPECT_EQ(short_version("MPICH Version:      4.0.2\nMPICH Release date: 2022"), "MPICH 4.0.2");
  EXPECT_EQ(
      short_version("Intel(R) MPI Library 2021.18 for Linux* OS\n"),
      "Intel(R) MPI Library 2021.18 for Linux* OS"
  );
  EXPECT_EQ(short_version("MPICH Version:"), "MPICH ");
  EXPECT_EQ(short_version(""), "");
}

TEST(MpiLibrary, TestedVersionsOfTheFamilyAreServed) {
  EXPECT_EQ(why("Open MPI v4.1.4", "openmpi"), "");
  EXPECT_EQ(why("Open MPI v5.0.11", "openmpi"), "");
  EXPECT_EQ(why("MPICH 4.0.2", "mpich"), "");
  EXPECT_EQ(why("MPICH 5.0.2", "mpich"), "");
  EXPECT_EQ(why("Intel(R) MPI Library 2021.18 for Linux* OS", "mpich"), "");
  EXPECT_EQ(why("SMPI Version 3.32", "smpi"), "");
}

TEST(MpiLibrary, OtherFamiliesAreNamed) {
  std::string const line = why("Open MPI v4.1.4", "mpich");
  EXPECT_NE(line.find("that uses mpich, found 'Open MPI v4.1.4'"), std::string::npos) << line;
  EXPECT_NE(why("Intel(R) MPI Library 2021.18", "openmpi"), "");
  EXPECT_NE(why("Somebody's MPI 1.0", "mpich"), "");
  EXPECT_NE(why("", "openmpi"), "");
}

TEST(MpiLibrary, VersionsNobodyTestedAreNamed) {
  std::string const line = why("MPICH 3.4.3", "mpich");
  EXPECT_NE(line.find("expected MPICH 4 or 5, found 'MPICH 3.4.3'"), std::string::npos) << line;
  EXPECT_NE(why("Open MPI v3.1.6", "openmpi").find("never tested"), std::string::npos);
  EXPECT_NE(why("Open MPI v6.0.0", "openmpi").find("never tested"), std::string::npos);
  EXPECT_NE(why("Open MPI v", "openmpi").find("never tested"), std::string::npos);
}

TEST(MpiLibrary, TheStandardInterfaceIsAFamilyOfItsOwn) {
  MpiLibrary const library{.file = "/opt/lib/libmpi_abi.so.1", .version = "MPICH 5.0.2"};
  std::string const line = why_native(library, "mpich");
  EXPECT_NE(line.find("standard ABI of MPI-5"), std::string::npos) << line;
  EXPECT_NE(line.find("preload libespalier-abi.so"), std::string::npos) << line;
  EXPECT_EQ(why_native(library, "abi"), "");
  MpiLibrary const intel{
      .file = "/opt/lib/libmpi_abi.so.1.0", .version = "Intel(R) MPI Library 2021.18 for Linux* OS"
  };
  EXPECT_EQ(why_native(intel, "abi"), "");
}

TEST(MpiLibrary, TheStandardInterfaceServesNoOther) {
  std::string const line = why("MPICH 5.0.2", "abi");
  EXPECT_NE(line.find("by an interface of its own (/usr/lib/libmpi.so.12)"), std::string::npos)
      << line;
}

TEST(MpiLibrary, UntestedVersionsOfTheStandardInterfaceAreNamed) {
  std::string const file = "/opt/lib/libmpi_abi.so.1";
  std::string const untested = why_native({.file = file, .version = "Open MPI v6.0.0"}, "abi");
  EXPECT_NE(untested.find("never tested"), std::string::npos) << untested;
  std::string const unknown = why_native({.file = file, .version = "Other MPI 1"}, "abi");
  EXPECT_NE(unknown.find("preload the library for that MPI"), std::string::npos) << unknown;
}

TEST(MpiLibrary, TheFamilyFollowsFromTheVersion) {
  EXPECT_EQ(family_of("MPICH 5.0.2"), "mpich");
  EXPECT_EQ(family_of("Intel(R) MPI Library 2021.18 for Linux* OS"), "mpich");
  EXPECT_EQ(family_of("Open MPI v5.0.11"), "openmpi");
  EXPECT_EQ(family_of("SMPI Version 3.32"), "smpi");
  EXPECT_EQ(family_of("Other MPI 1"), "");
}

}  // namespace
}  // namespace espalier
