// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_members.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/mpi/world_ranks.hpp"

namespace espalier::capi {
namespace {

/// A wait in the MPI library would hold up collectives for which other ranks may wait.
void finish_request(espalier_conduit& conduit, MPI_Request& request) {
  conduit.wait([&] {
    int is_over = 0;
    mpi::require_success(PMPI_Test(&request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
    return is_over != 0;
  });
}

mpi::OwnCommunicator duplicate(espalier_conduit& conduit, MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(PMPI_Comm_idup(comm, &made, &request), "MPI_Comm_idup");
  finish_request(conduit, request);
  PMPI_Comm_set_name(made, mpi::own_name);
  return mpi::OwnCommunicator(made);
}

/// What each member says, joined bit by bit. Of a number and its complement no bit is set in both
/// if all members say the same number.
struct Joined {
  enum Word : std::size_t { has_problem, num_bytes, complement, first_taken };

  std::vector<std::uint64_t> words;

  [[nodiscard]] ScratchParts::Taken taken() const {
    return {words.begin() + first_taken, words.end()};
  }
};

Joined join(espalier_conduit& conduit, MPI_Comm comm, Joined mine) {
  mpi::OwnCommunicator const own = duplicate(conduit, comm);
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(
      PMPI_Iallreduce(
          MPI_IN_PLACE,
          mine.words.data(),
          static_cast<int>(mine.words.size()),
          MPI_UINT64_T,
          MPI_BOR,
          own.get(),
          &request
      ),
      "MPI_Iallreduce"
  );
  finish_request(conduit, request);
  return mine;
}

}  // namespace

std::vector<int> members_of(espalier_conduit const& conduit, MPI_Comm comm) {
  std::vector<int> members = mpi::world_ranks(comm, conduit.handler.comm());
  auto const stranger = std::ranges::find(members, MPI_UNDEFINED);
  if (stranger != members.end()) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected a communicator whose processes are all on the conduit, but that of rank {} "
            "is not",
            stranger - members.begin()
        )
    );
  }
  return members;
}

onesided::Region take_scratch(
    espalier_conduit& conduit, MPI_Comm comm, std::uint64_t num_bytes, std::string const& problem
) {
  Joined mine{{problem.empty() ? 0U : 1U, num_bytes, ~num_bytes}};
  ScratchParts::Taken const& taken = conduit.parts.taken();
  mine.words.insert(mine.words.end(), taken.begin(), taken.end());
  Joined const all = join(conduit, comm, std::move(mine));
  if (all.words[Joined::has_problem] != 0) {
    throw Error(
        ErrorCode::argument, problem.empty() ? "the arguments of another member are wrong" : problem
    );
  }
  if ((all.words[Joined::num_bytes] & all.words[Joined::complement]) != 0) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected equal scratch_bytes on all members, got {} here and others elsewhere",
            num_bytes
        )
    );
  }
  return conduit.parts.take(all.taken(), num_bytes);
}

}  // namespace espalier::capi
