// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/neighbor_agreement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <mpi.h>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/own_work.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

void require_use(char const* complaint, int misuse) {
  if (complaint != nullptr) {
    throw plan::ClassError(MPI_ERR_ARG, complaint);
  }
  if (misuse == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(misuse, text.data(), &length);
  throw plan::ClassError(misuse, std::string(text.data(), static_cast<std::size_t>(length)));
}

void agree_on_call(
    espalier_neighborhood& self, std::string_view function, char const* complaint, int misuse
) {
  agree(
      [&](std::span<std::int64_t, 3> words) {
        OwnWork const own_work;
        self.neighbors.take_largest(words);
      },
      [&] {
        require_use(complaint, misuse);
        Fingerprint called;
        called.add(std::string(function));
        return called;
      }
  );
}

}  // namespace espalier::capi
