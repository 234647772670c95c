// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/agreed_sizes.hpp"

#include <array>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {

std::optional<std::int64_t>
agreed_bytes(profile::Call call, MPI_Comm comm, bool takes_part, std::int64_t own_bytes) {
  std::array<std::int64_t, 3> sums{takes_part ? 0 : 1, own_bytes, 1};
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, sums.data(), sums.size(), MPI_INT64_T, MPI_SUM, comm),
      "MPI_Allreduce"
  );
  auto const [num_absent, total_bytes, num_ranks] = sums;
  if (num_absent > 0) {
    return std::nullopt;
  }
  bool const is_exchange = profile::collective_of(call) == algorithms::Collective::alltoall;
  return is_exchange ? ceil_div(total_bytes, num_ranks) : total_bytes;
}

std::vector<std::int64_t> part_sizes_of_root(
    std::vector<std::int64_t> bytes, int root, int rank, exec::MpiContext const& context
) {
  static auto const choice = algorithms::Choice::parse("bcast/binomial");
  auto const num_ranks = static_cast<int>(bytes.size());
  exec::TypedCount const message{.type = MPI_INT64_T, .count = num_ranks};
  exec::MpiExecutor executor =
      exec::bcast_executor(choice.generate(num_ranks, root, rank), context, message, root);
  mpi::require_success(executor.run(nullptr, bytes.data()), "an exchange of sizes");
  return bytes;
}

}  // namespace espalier::plan
