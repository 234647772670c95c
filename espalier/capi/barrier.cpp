// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/barrier.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string_view>

#include "include/espalier.h"

#include "espalier/capi/copied_text.hpp"

namespace espalier::capi {
namespace {

/// Of fixed size, since memory may be what is missing.
thread_local std::array<char, 1024> last_error{};

void remember(std::string_view text) noexcept {
  text = text.substr(0, last_error.size() - 1);
  *std::ranges::copy(text, last_error.begin()).out = '\0';
}

}  // namespace

void remember_exception() noexcept {
  try {
    throw;
  } catch (std::exception const& error) {
    remember(error.what());
  } catch (...) {
    remember("an exception without a text");
  }
}

void remember_code(int code) noexcept {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  bool const is_known = PMPI_Error_string(code, text.data(), &length) == MPI_SUCCESS;
  remember(
      is_known ? std::string_view(text.data(), static_cast<std::size_t>(length))
               : std::string_view("an unknown error code of MPI")
  );
}

void check_intracommunicator(MPI_Comm comm) {
  int is_inter = 0;
  if (comm == MPI_COMM_NULL) {
    throw plan::ClassError(MPI_ERR_COMM, "expected an intracommunicator, got MPI_COMM_NULL");
  }
  if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0) {
    throw plan::ClassError(MPI_ERR_COMM, "expected an intracommunicator, got another one");
  }
}

}  // namespace espalier::capi

extern "C" int espalier_last_error(char text[], int len) {
  return espalier::capi::copied_text(espalier::capi::last_error.data(), text, len);
}
