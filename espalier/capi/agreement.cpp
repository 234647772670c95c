// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/agreement.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <new>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/capi/own_work.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/patient_reduction.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

Finding find(std::function<Fingerprint()> const& check) {
  try {
    return {.mpi_class = MPI_SUCCESS, .text = "", .fingerprint = check().value()};
  } catch (plan::ClassError const& error) {
    return {.mpi_class = error.mpi_class(), .text = error.what()};
  } catch (Error const& error) {
    return {.mpi_class = MPI_ERR_ARG, .text = error.what()};
  } catch (std::bad_alloc const&) {
    return {.mpi_class = MPI_ERR_NO_MEM, .text = "there is no memory left"};
  } catch (std::exception const& error) {
    return {.mpi_class = MPI_ERR_OTHER, .text = error.what()};
  }
}

void agree(mpi::OwnCommunicator const& own, std::function<Fingerprint()> const& check) {
  agree(
      [&](std::span<std::int64_t, 3> words) {
        OwnWork const own_work;
        mpi::require_success(plan::find_largest(words, own.get()), "MPI_Iallreduce");
      },
      check
  );
}

void agree(TakeLargest const& take_largest, std::function<Fingerprint()> const& check) {
  Finding const mine = find(check);
  std::array<std::int64_t, 3> all{mine.mpi_class, mine.fingerprint, -mine.fingerprint};
  take_largest(all);
  if (all[0] != MPI_SUCCESS) {
    throw plan::ClassError(
        static_cast<int>(all[0]),
        mine.text.empty() ? "the arguments of another rank are wrong" : mine.text
    );
  }
  if (all[1] != -all[2]) {
    throw plan::ClassError(
        MPI_ERR_ARG, "expected equal arguments on all ranks, got others on some"
    );
  }
}

}  // namespace espalier::capi
