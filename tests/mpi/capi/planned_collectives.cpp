// SPDX-License-Identifier: Apache-2.0

/// @file
/// Planned collectives of communicators against those of the MPI library: all calls, all variants
/// of the catalog, started again with other data, several under way in any order.

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier.h"

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call.hpp"
#include "tests/mpi/capi/planned_jobs.hpp"
#include "tests/mpi/counted_allocations.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using namespace espalier::test;
using espalier::algorithms::Choice;
using espalier::algorithms::OperandOrder;
using espalier::profile::Call;
using espalier::profile::CallForm;
using espalier::profile::Form;

constexpr int gap_extent = 3;
constexpr int prime = 97;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

bool reduces(Call call) {
  return espalier::schedule::reduces(espalier::profile::collective_of(call));
}

/// x -> a x + b, one after the other: their order matters.
void chain(void* in, void* inout, int* count, MPI_Datatype*) {
  auto const* const first = static_cast<int const*>(in);
  auto* const then = static_cast<int*>(inout);
  for (int i = 0; i < 2 * *count; i += 2) {
    then[i + 1] = (then[i] * first[i + 1] + then[i + 1]) % prime;
    then[i] = then[i] * first[i] % prime;
  }
}

/// Types and operators of the program.
struct Makings {
  MPI_Datatype gapped = MPI_DATATYPE_NULL;
  MPI_Datatype map = MPI_DATATYPE_NULL;
  MPI_Op chained = MPI_OP_NULL;

  Makings() {
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous(2, MPI_INT, &map);
    PMPI_Type_commit(&map);
    PMPI_Type_contiguous(2, MPI_INT, &pair);
    PMPI_Type_create_resized(pair, 0, gap_extent * sizeof(int), &gapped);
    PMPI_Type_commit(&gapped);
    PMPI_Type_free(&pair);
    PMPI_Op_create(chain, 0, &chained);
  }

  Makings(Makings const&) = delete;
  Makings& operator=(Makings const&) = delete;
  Makings(Makings&&) = delete;
  Makings& operator=(Makings&&) = delete;

  ~Makings() {
    PMPI_Op_free(&chained);
    PMPI_Type_free(&gapped);
    PMPI_Type_free(&map);
  }

  /// Elements with gaps where data only move, maps where they are reduced.
  [[nodiscard]] JobShape derived(Call call, MPI_Comm comm, int num_elements) const {
    JobShape shape{.comm = comm, .num_elements = num_elements};
    shape.root = size_of(comm) / 2;
    shape.type = reduces(call) ? map : gapped;
    shape.extent = reduces(call) ? 2 : gap_extent;
    shape.op = reduces(call) ? chained : MPI_SUM;
    return shape;
  }
};

/// MPI has no such form, or the lists of these tests do not fit it.
bool can_be_in_place(Call call) {
  return call != Call::barrier && call != Call::bcast && call != Call::alltoallv &&
         call != Call::alltoallw && call != Call::reduce_scatter &&
         call != Call::reduce_scatter_block;
}

std::string explanation(espalier_request const* request) {
  std::array<char, 2048> text{};
  int const length = espalier_explain(request, text.data(), static_cast<int>(text.size()));
  return static_cast<std::size_t>(length) < text.size() ? text.data() : "";
}

std::string last_error() {
  std::array<char, 1024> text{};
  espalier_last_error(text.data(), static_cast<int>(text.size()));
  return text.data();
}

/// Brings a started request to its end, by asking or by waiting.
void complete(Checks& checks, espalier_request* request, bool by_asking, std::string const& what) {
  int is_complete = by_asking ? 0 : 1;
  int code = MPI_SUCCESS;
  while (is_complete == 0 && code == MPI_SUCCESS) {
    code = espalier_request_test(request, &is_complete);
  }
  checks.expect(code == MPI_SUCCESS, what + ": test");
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
}

/// Three runs with other data each; the last one must not allocate.
void check_runs(Checks& checks, Job& job, espalier_request* request, std::string const& what) {
  for (int round = 0; round < 3; ++round) {
    job.fill(round);
    long const before = num_allocations;
    bool const is_started = espalier_request_start(request) == MPI_SUCCESS;
    if (round == 2) {
      bool const is_over = espalier_request_wait(request) == MPI_SUCCESS;
      bool const is_frugal = num_allocations == before;
      checks.expect(is_over && is_frugal, what + ": waits without an error, allocates nothing");
    } else {
      complete(checks, request, round == 0, what);
    }
    job.make_lists();
    bool const is_native = job.run_natively() == MPI_SUCCESS;
    job.forget_lists();
    checks.expect(is_started && is_native && job.is_right(), what + ", " + std::to_string(round));
  }
}

/// One call with one algorithm; "" names none.
void check_served(Checks& checks, Job& job, std::string const& algorithm, std::string const& what) {
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = algorithm.empty() ? nullptr : algorithm.c_str();
  espalier_request* request = nullptr;
  int const code = job.plan(&options, &request);
  checks.expect(code == MPI_SUCCESS && request != nullptr, what + ": init: " + last_error());
  if (request == nullptr) {
    return;
  }
  job.forget_lists();
  std::string const name = espalier_request_algorithm(request);
  bool const is_named = algorithm.empty() || name.find(algorithm) != std::string::npos;
  checks.expect(is_named && explanation(request).find(name) != std::string::npos, what + name);
  check_runs(checks, job, request, what);
  checks.expect(espalier_request_free(&request) == MPI_SUCCESS, what + ": free");
}

void check_refused(
    Checks& checks, Job& job, std::string const& algorithm, std::string const& what
) {
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = algorithm.c_str();
  espalier_request* request = nullptr;
  int const code = job.plan(&options, &request);
  checks.expect(code != MPI_SUCCESS && request == nullptr, what + ": must be refused");
  bool const is_listed = last_error().find("can be planned: native") != std::string::npos;
  checks.expect(is_listed, what + ": must list what can serve, says " + last_error());
}

/// Whether a choice can serve a job, said without the code under test.
bool is_able(Choice const& choice, Job const& job) {
  JobShape const& shape = job.shape();
  CallForm const form{.call = job.call(), .form = Form::persistent};
  int const num_ranks = size_of(shape.comm);
  if (!espalier::profile::refuses(form, choice, num_ranks, shape.root).empty()) {
    return false;
  }
  bool const is_ordered = shape.type != MPI_INT && reduces(job.call());
  return !is_ordered || choice.order(num_ranks, shape.root) != OperandOrder::any;
}

void check_catalog(Checks& checks, Makings const& makings, MPI_Comm comm, Call call) {
  constexpr std::array sizes{1, 5, 300};
  std::size_t turn = 0;
  auto const collective = espalier::profile::collective_of(call);
  for (Choice const& choice : espalier::algorithms::variants(collective, size_of(comm))) {
    int const num_elements = sizes[turn % sizes.size()];
    JobShape shape{.comm = comm, .num_elements = num_elements};
    if (turn % 2 == 1) {
      shape = makings.derived(call, comm, num_elements);
    }
    shape.is_in_place = can_be_in_place(call) && turn % 5 < 2;
    shape.has_large_counts = turn % 3 == 1;
    ++turn;
    Job job(call, shape);
    std::string const name = choice.text();
    std::string const what = std::string(to_string(call)) + " " + name + " x" +
                             std::to_string(num_elements) + (shape.is_in_place ? " in place" : "");
    is_able(choice, job) ? check_served(checks, job, name, what)
                         : check_refused(checks, job, name, what);
  }
}

/// Without a name, and by the name of the native call.
void check_native(Checks& checks, Makings const& makings, MPI_Comm comm, Call call) {
  for (char const* const name : {"", "native"}) {
    for (int const num_elements : {0, 7}) {
      std::string const what = std::string(to_string(call)) + " '" + name + "'";
      Job plain(call, {.comm = comm, .num_elements = num_elements});
      JobShape large = plain.shape();
      large.has_large_counts = true;
      Job wide(call, large);
      check_served(checks, wide, name, what + " with large counts");
      check_served(checks, plain, name, what);
      Job derived(call, makings.derived(call, comm, num_elements));
      check_served(checks, derived, name, what + " derived");
    }
  }
}

/// Requests under way at the same time, begun and completed in different orders on different ranks.
void check_overlap(Checks& checks, MPI_Comm comm) {
  std::vector<Job> jobs;
  std::vector<espalier_request*> requests;
  int const num_ranks = size_of(comm);
  for (Call const call : espalier::profile::all_calls) {
    auto const collective = espalier::profile::collective_of(call);
    std::vector<Choice> const variants = espalier::algorithms::variants(collective, num_ranks);
    for (int i = 0; i < 2; ++i) {
      Job& job = jobs.emplace_back(call, JobShape{.comm = comm, .num_elements = 3});
      std::string const name = variants[jobs.size() % variants.size()].text();
      espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
      Choice const& choice = variants[jobs.size() % variants.size()];
      options.algorithm = i == 0 && is_able(choice, job) ? name.c_str() : nullptr;
      requests.push_back(nullptr);
      checks.expect(job.plan(&options, &requests.back()) == MPI_SUCCESS, name + ": init");
    }
  }
  auto const rank = static_cast<std::size_t>(rank_in(comm));
  std::size_t const n = requests.size();
  for (Job& job : jobs) {
    job.fill(1);
  }
  for (std::size_t i = 0; i < n; ++i) {
    checks.expect(espalier_request_start(requests[(i + rank) % n]) == MPI_SUCCESS, "start");
  }
  for (std::size_t i = 0; i < n; ++i) {
    espalier_request* const request = requests[(3 * i + rank) % n];
    complete(checks, request, rank % 2 == 0, explanation(request));
  }
  for (std::size_t i = 0; i < n; ++i) {
    checks.expect(espalier_request_wait(requests[i]) == MPI_SUCCESS, "wait");
    checks.expect(jobs[i].run_natively() == MPI_SUCCESS && jobs[i].is_right(), "overlapped");
    espalier_request_free(&requests[i]);
  }
}

/// Blocks that are received lie between those that are sent, as the halos of an array do. They are
/// not one vector, and do not overlap. Addresses differ, as MPI_Ialltoallv of Open MPI 4.1 takes
/// equal ones for MPI_IN_PLACE.
void check_interleaved(Checks& checks, MPI_Comm comm) {
  int const p = size_of(comm);
  int const rank = rank_in(comm);
  std::vector<int> values(2 * static_cast<std::size_t>(p), -1);
  std::vector<int> const ones(static_cast<std::size_t>(p), 1);
  std::vector<int> places;
  for (int i = 0; i < p; ++i) {
    places.push_back(2 * i);
    values[2 * static_cast<std::size_t>(i)] = 100 * rank + i;
  }
  for (char const* const algorithm : {"linear", "native"}) {
    espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
    options.algorithm = algorithm;
    espalier_request* request = nullptr;
    int const code = espalier_alltoallv_init(
        values.data(),
        ones.data(),
        places.data(),
        MPI_INT,
        values.data() + 1,
        ones.data(),
        places.data(),
        MPI_INT,
        comm,
        &options,
        &request
    );
    checks.expect(code == MPI_SUCCESS, "blocks between blocks, " + std::string(algorithm));
    if (code == MPI_SUCCESS) {
      espalier_request_start(request);
      espalier_request_wait(request);
      espalier_request_free(&request);
      for (int i = 0; i < p; ++i) {
        int const found = std::exchange(values[2 * static_cast<std::size_t>(i) + 1], -1);
        checks.expect(found == 100 * i + rank, "a block between others");
      }
    }
  }
}

/// Ranks wait for a message that rank 0 sends only when its collective is over, which needs them:
/// they test another request meanwhile, which moves on all, though it was not started itself.
void check_progress(Checks& checks, MPI_Comm comm, char const* other_algorithm) {
  constexpr int tag = 7;
  int sum = 1;
  int token = -1;
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = "ring";
  espalier_request* total = nullptr;
  espalier_request* other = nullptr;
  checks.expect(
      espalier_allreduce_init(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm, &options, &total) ==
          MPI_SUCCESS,
      "progress: init: " + last_error()
  );
  options.algorithm = other_algorithm;
  checks.expect(espalier_barrier_init(comm, &options, &other) == MPI_SUCCESS, "progress: barrier");
  espalier_request_start(total);
  if (rank_in(comm) == 0) {
    espalier_request_wait(total);
    for (int rank = 1; rank < size_of(comm); ++rank) {
      PMPI_Send(&sum, 1, MPI_INT, rank, tag, comm);
    }
  } else {
    MPI_Request receive = MPI_REQUEST_NULL;
    PMPI_Irecv(&token, 1, MPI_INT, 0, tag, comm, &receive);
    int has_arrived = 0;
    int is_complete = 0;
    while (has_arrived == 0) {
      PMPI_Test(&receive, &has_arrived, MPI_STATUS_IGNORE);
      espalier_request_test(other, &is_complete);
    }
    checks.expect(token == size_of(comm), "progress: what rank 0 sent");
  }
  espalier_request_wait(total);
  checks.expect(sum == size_of(comm), "progress: sum");
  espalier_request_free(&total);
  espalier_request_free(&other);
}

/// More requests than a lane has slots, and a communicator that is freed before them.
void check_many(Checks& checks) {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  constexpr int num_requests = 150;
  std::vector<int> sums(num_requests, 1);
  std::vector<espalier_request*> requests(num_requests, nullptr);
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = "reduce_bcast";
  for (std::size_t i = 0; i < requests.size(); ++i) {
    int const code = espalier_allreduce_init(
        MPI_IN_PLACE, &sums[i], 1, MPI_INT, MPI_SUM, comm, &options, &requests[i]
    );
    checks.expect(code == MPI_SUCCESS, "many: init: " + last_error());
  }
  PMPI_Comm_free(&comm);
  for (espalier_request* const request : requests) {
    checks.expect(espalier_request_start(request) == MPI_SUCCESS, "many: start");
  }
  for (std::size_t i = requests.size(); i-- > 0;) {
    checks.expect(espalier_request_wait(requests[i]) == MPI_SUCCESS, "many: wait");
    checks.expect(sums[i] == size_of(MPI_COMM_WORLD), "many: sum");
    espalier_request_free(&requests[i]);
  }
}

int run() {
  Checks checks;
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  {
    Makings const makings;
    for (Call const call : espalier::profile::all_calls) {
      check_native(checks, makings, comm, call);
      check_catalog(checks, makings, comm, call);
    }
    check_overlap(checks, comm);
    check_interleaved(checks, comm);
    check_progress(checks, comm, "native");
    check_progress(checks, comm, "dissemination");
  }
  check_many(checks);
  PMPI_Comm_free(&comm);
  return checks.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_under_mpi(argc, argv, run);
}
