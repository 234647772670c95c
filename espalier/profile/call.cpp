// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call.hpp"

#include <string>

#include "espalier/base/error.hpp"

namespace espalier::profile {
namespace {

using algorithms::Collective;

struct Names {
  std::string_view text;
  std::string_view function;
  Collective collective;
};

constexpr std::array<Names, num_calls> names{{
    {"allgather", "MPI_Allgather", Collective::allgather},
    {"allgatherv", "MPI_Allgatherv", Collective::allgather},
    {"allreduce", "MPI_Allreduce", Collective::allreduce},
    {"alltoall", "MPI_Alltoall", Collective::alltoall},
    {"alltoallv", "MPI_Alltoallv", Collective::alltoall},
    {"alltoallw", "MPI_Alltoallw", Collective::alltoall},
    {"barrier", "MPI_Barrier", Collective::barrier},
    {"bcast", "MPI_Bcast", Collective::bcast},
    {"exscan", "MPI_Exscan", Collective::exscan},
    {"gather", "MPI_Gather", Collective::gather},
    {"gatherv", "MPI_Gatherv", Collective::gather},
    {"reduce", "MPI_Reduce", Collective::reduce},
    {"reduce_scatter", "MPI_Reduce_scatter", Collective::reduce_scatter},
    {"reduce_scatter_block", "MPI_Reduce_scatter_block", Collective::reduce_scatter},
    {"scan", "MPI_Scan", Collective::scan},
    {"scatter", "MPI_Scatter", Collective::scatter},
    {"scatterv", "MPI_Scatterv", Collective::scatter},
}};

/// True if blocks may differ in size.
constexpr bool has_uneven_blocks(Call call) noexcept {
  return call == Call::allgatherv || call == Call::reduce_scatter ||
         (!has_known_size(call) && call != Call::barrier);
}

/// True if a rank knows the sizes of its own blocks only.
constexpr bool has_secret_sizes(Call call) noexcept {
  return !has_known_size(call) && call != Call::barrier;
}

}  // namespace

std::string_view to_string(Call call) noexcept {
  return names[index_of(call)].text;
}

std::string_view function_name(Call call) noexcept {
  return names[index_of(call)].function;
}

algorithms::Collective collective_of(Call call) noexcept {
  return names[index_of(call)].collective;
}

std::string refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root) {
  if (choice.collective() != collective_of(call)) {
    return "expected an algorithm for " + std::string(to_string(collective_of(call))) + ", got '" +
           choice.text() + "'";
  }
  if (std::string reason = choice.refuses(num_ranks, root); !reason.empty()) {
    return reason;
  }
  if (has_uneven_blocks(call) && choice.algorithm().equal_blocks_only) {
    return choice.text() + " needs blocks of one size, " + std::string(function_name(call)) +
           " may have others";
  }
  if (has_secret_sizes(call) && choice.facts(num_ranks, root).scratch > 0) {
    return choice.text() + " keeps blocks of others, whose sizes are not known in " +
           std::string(function_name(call));
  }
  return {};
}

Call parse_call(std::string_view text) {
  std::string known;
  for (Call const call : all_calls) {
    if (to_string(call) == text) {
      return call;
    }
    known += (known.empty() ? "" : ", ") + std::string(to_string(call));
  }
  throw Error(
      ErrorCode::argument, "expected a collective (" + known + "), got '" + std::string(text) + "'"
  );
}

}  // namespace espalier::profile
