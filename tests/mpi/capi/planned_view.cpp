// SPDX-License-Identifier: Apache-2.0

/// @file
/// The C++ view, espalier_planned.hpp: what it hands on, what it throws, and who frees what.

#include <string>
#include <utility>
#include <vector>

#include "include/espalier_onesided.hpp"
#include "include/espalier_planned.hpp"

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call.hpp"
#include "tests/mpi/capi/planned_jobs.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using namespace espalier::test;
using espalier::CallError;
using espalier::PlannedOptions;
using espalier::Request;
using espalier::algorithms::Choice;
using espalier::profile::Call;

/// The functions of the view as objects, so that tests can choose among them.
struct ViewedFunctions {
  static constexpr auto allgather = [](auto... each) { return espalier::allgather_init(each...); };
  static constexpr auto allgatherv = [](auto... each) {
    return espalier::allgatherv_init(each...);
  };
  static constexpr auto allreduce = [](auto... each) { return espalier::allreduce_init(each...); };
  static constexpr auto alltoall = [](auto... each) { return espalier::alltoall_init(each...); };
  static constexpr auto alltoallv = [](auto... each) { return espalier::alltoallv_init(each...); };
  static constexpr auto alltoallw = [](auto... each) { return espalier::alltoallw_init(each...); };
  static constexpr auto barrier = [](auto... each) { return espalier::barrier_init(each...); };
  static constexpr auto bcast = [](auto... each) { return espalier::bcast_init(each...); };
  static constexpr auto exscan = [](auto... each) { return espalier::exscan_init(each...); };
  static constexpr auto gather = [](auto... each) { return espalier::gather_init(each...); };
  static constexpr auto gatherv = [](auto... each) { return espalier::gatherv_init(each...); };
  static constexpr auto reduce = [](auto... each) { return espalier::reduce_init(each...); };
  static constexpr auto reduce_scatter = [](auto... each) {
    return espalier::reduce_scatter_init(each...);
  };
  static constexpr auto reduce_scatter_block = [](auto... each) {
    return espalier::reduce_scatter_block_init(each...);
  };
  static constexpr auto scan = [](auto... each) { return espalier::scan_init(each...); };
  static constexpr auto scatter = [](auto... each) { return espalier::scatter_init(each...); };
  static constexpr auto scatterv = [](auto... each) { return espalier::scatterv_init(each...); };
};

struct World {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int num_ranks = 1;
};

Request planned(Job& job, PlannedOptions const& options) {
  Request request;
  job.plan_by<ViewedFunctions>([&](auto init, auto... arguments) {
    request = init(arguments..., options);
    return MPI_SUCCESS;
  });
  return request;
}

/// Two runs with other data each, the first one brought to its end by asking.
void check_runs(Checks& checks, Job& job, Request& request, std::string const& what) {
  for (int round = 0; round < 2; ++round) {
    job.fill(round);
    request.start();
    while (round == 0 && !request.test()) {
    }
    request.wait();
    bool const is_native = job.run_natively() == MPI_SUCCESS;
    checks.expect(is_native && job.is_right(), what + ", " + std::to_string(round));
  }
}

/// A call without a name, with the name of the native call, and with an algorithm that can.
void check_call(Checks& checks, World const& world, Call call) {
  std::vector<std::string> names{"", "native"};
  for (Choice const& choice :
       espalier::algorithms::variants(espalier::profile::collective_of(call), world.num_ranks)) {
    espalier::profile::CallForm const form{
        .call = call, .form = espalier::profile::Form::persistent
    };
    if (espalier::profile::refuses(form, choice, world.num_ranks, 0).empty()) {
      names.push_back(choice.text());
      break;
    }
  }
  for (std::string const& name : names) {
    Job job(call, {.comm = world.comm, .num_elements = 5});
    Request request = planned(job, name.empty() ? PlannedOptions() : PlannedOptions(name.c_str()));
    std::string const found = request.algorithm();
    std::string const what = std::string(to_string(call)) + " by '" + name + "'";
    checks.expect(found.find(name) != std::string::npos, what + ": is " + found);
    checks.expect(request.explain().find(found) != std::string::npos, what + ": explained");
    check_runs(checks, job, request, what);
  }
}

void check_errors(Checks& checks, World const& world) {
  int value = 1;
  try {
    Request const none = espalier::bcast_init(&value, 1, MPI_INT, 0, world.comm, "telepathy");
    checks.expect(false, "an unknown algorithm is refused");
  } catch (CallError const& error) {
    std::string const text = error.what();
    checks.expect(error.error_class() == MPI_ERR_ARG, "the class of an error");
    checks.expect(text.find("can be planned: native, ") != std::string::npos, text);
  }
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.flags = 1;
  try {
    Request const none = espalier::barrier_init(world.comm, options);
    checks.expect(false, "the options of C are handed on");
  } catch (espalier::OnesidedError const& error) {
    checks.expect(error.code() != MPI_SUCCESS, "one kind of error for all requests");
  }
}

void check_ownership(Checks& checks, World const& world) {
  int value = 1;
  int sum = 0;
  Request first =
      espalier::allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, world.comm, "in_order");
  Request second = std::move(first);
  checks.expect(first.get() == nullptr && second.get() != nullptr, "a request moves");
  second.start();
  try {
    second.reset();
    checks.expect(false, "a request under way is not freed");
  } catch (CallError const& error) {
    checks.expect(error.error_class() == MPI_ERR_REQUEST, error.what());
  }
  second.wait();
  checks.expect(sum == world.num_ranks, "the sum after what went wrong");
  try {
    second.tune();
    checks.expect(false, "only requests of teams are tuned");
  } catch (CallError const& error) {
    checks.expect(error.error_class() == MPI_ERR_REQUEST, error.what());
  }
  second.reset();
  checks.expect(second.get() == nullptr && second.explain().empty(), "a request that was freed");
}

/// Requests of neighborhoods are of the same kind.
void check_neighborhood(Checks& checks, World const& world) {
  MPI_Comm ring = MPI_COMM_NULL;
  int const periodic = 1;
  PMPI_Cart_create(world.comm, 1, &world.num_ranks, &periodic, 0, &ring);
  espalier_neighborhood* neighborhood = nullptr;
  int const offset = 1;
  int const code = espalier_neighborhood_create(ring, 1, &offset, nullptr, &neighborhood);
  checks.expect(code == MPI_SUCCESS, "a neighborhood");
  int received = -1;
  {
    Request shift = Request::planned(
        espalier_neighbor_alltoall_init,
        &world.rank,
        1,
        MPI_INT,
        &received,
        1,
        MPI_INT,
        neighborhood
    );
    shift.start();
    shift.wait();
  }
  int const left = (world.rank + world.num_ranks - 1) % world.num_ranks;
  checks.expect(received == left, "a shift, received " + std::to_string(received));
  espalier_neighborhood_free(&neighborhood);
  PMPI_Comm_free(&ring);
}

int run() {
  Checks checks;
  World world;
  PMPI_Comm_dup(MPI_COMM_WORLD, &world.comm);
  for (MPI_Comm const comm : {world.comm, MPI_COMM_WORLD, MPI_COMM_SELF}) {
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  PMPI_Comm_rank(world.comm, &world.rank);
  PMPI_Comm_size(world.comm, &world.num_ranks);
  for (Call const call : espalier::profile::all_calls) {
    check_call(checks, world, call);
  }
  check_errors(checks, world);
  check_ownership(checks, world);
  check_neighborhood(checks, world);
  PMPI_Comm_free(&world.comm);
  return checks.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_under_mpi(argc, argv, run);
}
