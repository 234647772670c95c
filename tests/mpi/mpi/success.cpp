// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/success.hpp"

#include <array>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

std::string text_of_library(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  return text.data();
}

int run() {
  Checks checks;
  mpi::require_success(MPI_SUCCESS, "MPI_Send");
  std::string said;
  try {
    mpi::require_success(MPI_ERR_COUNT, "MPI_Send");
  } catch (Error const& error) {
    checks.expect(error.code() == ErrorCode::mpi, "the error is one of MPI");
    said = error.what();
  }
  checks.expect(
      said == "MPI_Send must succeed, got '" + text_of_library(MPI_ERR_COUNT) + "'",
      "the call and the text of the library, got: " + said
  );
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
