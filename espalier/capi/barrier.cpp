// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/barrier.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>

#include "include/espalier.h"

namespace espalier::capi {
namespace {

/// Of fixed size, since memory may be what is missing.
thread_local std::array<char, 1024> last_error{};

}  // namespace

void remember_exception() noexcept {
  std::string_view text = "an exception without a text";
  try {
    throw;
  } catch (std::exception const& error) {
    text = error.what();
    text = text.substr(0, last_error.size() - 1);
    *std::ranges::copy(text, last_error.begin()).out = '\0';
  } catch (...) {
    *std::ranges::copy(text, last_error.begin()).out = '\0';
  }
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
  std::string_view const kept(espalier::capi::last_error.data());
  if (text != nullptr && len > 0) {
    auto const size = std::min(kept.size(), static_cast<std::size_t>(len) - 1);
    *std::copy_n(kept.begin(), size, text) = '\0';
  }
  return static_cast<int>(kept.size());
}
