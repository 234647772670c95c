// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs that bend the standard, and that end under the MPI library alone: each case is the
/// smallest program of its kind. Argument: the name of a case.

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

#ifdef OPEN_MPI
constexpr bool reports_aliases = false;
#else
constexpr bool reports_aliases = true;
#endif

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// A communicator whose errors are counted.
struct Watched {
  static inline int num_errors = 0;
  static inline MPI_Comm comm_of_error = MPI_COMM_NULL;
  static inline int class_of_error = MPI_SUCCESS;

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

  static void on_error(MPI_Comm* comm, int* code, ...) {
    ++num_errors;
    comm_of_error = *comm;
    class_of_error = class_of(*code);
  }

  Watched() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    num_errors = 0;
  }

  Watched(Watched const&) = delete;
  Watched& operator=(Watched const&) = delete;
  Watched(Watched&&) = delete;
  Watched& operator=(Watched&&) = delete;

  ~Watched() {
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
  }

  /// The code has this class, and the handler of the communicator heard of it once.
  void require_class(int code, int expected, std::string const& what) const {
    require(
        class_of(code) == expected,
        what + ": expected class " + std::to_string(expected) + ", got " +
            std::to_string(class_of(code))
    );
    int const num_expected = expected == MPI_SUCCESS ? 0 : 1;
    bool const is_told =
        num_errors == num_expected &&
        (num_expected == 0 || (comm_of_error == comm && class_of_error == expected));
    require(is_told, what + ": the handler of the communicator hears of it once");
    num_errors = 0;
  }
};

/// What the library at hand says of aliases.
int const alias_class = reports_aliases ? MPI_ERR_BUFFER : MPI_SUCCESS;

int const* first(std::vector<int> const& list) {
  return list.data();
}

void expect_ranks(std::vector<int> const& found, std::string const& what) {
  for (std::size_t r = 0; r < found.size(); ++r) {
    require(found[r] == 100 + static_cast<int>(r), what + ": block " + std::to_string(r));
  }
}

/// Everybody sends the own block from its place in the result.
void own_block_in_place() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> all(static_cast<std::size_t>(p), -1);
  std::vector<int> const counts(all.size(), 1);
  std::vector<int> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  all[static_cast<std::size_t>(rank)] = 100 + rank;
  int* const own = &all[static_cast<std::size_t>(rank)];
  int code = MPI_Allgather(own, 1, MPI_INT, all.data(), 1, MPI_INT, watched.comm);
  watched.require_class(code, alias_class, "allgather");
  expect_ranks(all, "allgather");
  std::fill(all.begin(), all.end(), -1);
  *own = 100 + rank;
  code = MPI_Allgatherv(
      own, 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, watched.comm
  );
  watched.require_class(code, alias_class, "allgatherv");
  expect_ranks(all, "allgatherv");
}

/// The send buffer is the start of the result, or lies across blocks of it.
void overlapping_blocks() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> all(static_cast<std::size_t>(2 * p));
  for (int shift = 1; shift < 2 * p - 1; shift += 2) {
    std::fill(all.begin(), all.end(), -1);
    int* const sent = &all[static_cast<std::size_t>(shift)];
    sent[0] = 100 + 2 * rank;
    sent[1] = 101 + 2 * rank;
    int const code = MPI_Allgather(sent, 2, MPI_INT, all.data(), 2, MPI_INT, watched.comm);
    watched.require_class(code, MPI_SUCCESS, "allgather across blocks");
    expect_ranks(all, "allgather across blocks");
  }
  std::vector<int> vector(6, 0);
  std::iota(vector.begin() + 1, vector.end(), rank);
  int const code = MPI_Allreduce(&vector[1], &vector[0], 5, MPI_INT, MPI_SUM, watched.comm);
  watched.require_class(code, MPI_SUCCESS, "allreduce of a shifted vector");
  for (int i = 0; i < 5; ++i) {
    require(vector[static_cast<std::size_t>(i)] == p * (p - 1) / 2 + i * p, "shifted allreduce");
  }
}

/// Only the root sees an alias.
void aliases_at_root() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  bool const is_root = rank == 0;
  int const expected = is_root ? alias_class : MPI_SUCCESS;
  std::vector<int> all(static_cast<std::size_t>(p), -1);
  std::vector<int> const counts(all.size(), 1);
  std::vector<int> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  int own = 100 + rank;
  auto const reset = [&] {
    std::fill(all.begin(), all.end(), -1);
    all[0] = 100;
    own = 100 + rank;
  };
  reset();
  int* const part = is_root ? all.data() : &own;
  int code = MPI_Gather(part, 1, MPI_INT, all.data(), 1, MPI_INT, 0, watched.comm);
  watched.require_class(code, expected, "gather");
  if (is_root) {
    expect_ranks(all, "gather");
  }
  reset();
  code = MPI_Gatherv(
      part, 1, MPI_INT, all.data(), first(counts), first(places), MPI_INT, 0, watched.comm
  );
  watched.require_class(code, expected, "gatherv");
  if (is_root) {
    expect_ranks(all, "gatherv");
    std::iota(all.begin(), all.end(), 100);
  }
  own = -1;
  code = MPI_Scatter(all.data(), 1, MPI_INT, part, 1, MPI_INT, 0, watched.comm);
  watched.require_class(code, expected, "scatter");
  require(*part == 100 + rank, "scatter");
  own = -1;
  code = MPI_Scatterv(
      all.data(), first(counts), first(places), MPI_INT, part, 1, MPI_INT, 0, watched.comm
  );
  watched.require_class(code, expected, "scatterv");
  require(*part == 100 + rank, "scatterv");
  int sum = rank;
  int const contribution = rank;
  code = MPI_Reduce(is_root ? &sum : &contribution, &sum, 1, MPI_INT, MPI_SUM, 0, watched.comm);
  // The one alias that Open MPI reports.
  int const of_reduce = reports_aliases ? MPI_ERR_BUFFER : MPI_ERR_ARG;
  watched.require_class(code, is_root ? of_reduce : MPI_SUCCESS, "reduce");
  require(!is_root || sum == p * (p - 1) / 2, "reduce");
}

/// One rank alone has one buffer for both.
void alias_on_one_rank() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  for (int odd = 0; odd < p; ++odd) {
    int const expected = rank == odd ? alias_class : MPI_SUCCESS;
    int result = rank;
    int const own = rank;
    int const* const sent = rank == odd ? &result : &own;
    int code = MPI_Allreduce(sent, &result, 1, MPI_INT, MPI_SUM, watched.comm);
    watched.require_class(code, expected, "allreduce");
    require(result == p * (p - 1) / 2, "allreduce");
    result = rank;
    code = MPI_Scan(sent, &result, 1, MPI_INT, MPI_SUM, watched.comm);
    watched.require_class(code, expected, "scan");
    require(result == rank * (rank + 1) / 2, "scan");
    std::vector<int> vector(static_cast<std::size_t>(p), rank);
    code = MPI_Reduce_scatter_block(
        vector.data(), rank == odd ? vector.data() : &result, 1, MPI_INT, MPI_SUM, watched.comm
    );
    watched.require_class(code, expected, "reduce_scatter_block");
    require((rank == odd ? vector[0] : result) == p * (p - 1) / 2, "reduce_scatter_block");
  }
}

/// Alltoall in all its forms, from the memory it receives into.
void aliased_alltoall() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> all(static_cast<std::size_t>(p));
  std::vector<int> const counts(all.size(), 1);
  std::vector<int> const others = counts;
  std::vector<int> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<int> in_bytes = places;
  for (int& place : in_bytes) {
    place *= static_cast<int>(sizeof(int));
  }
  std::vector<MPI_Datatype> const types(all.size(), MPI_INT);
  auto const run = [&](std::string const& what, int expected, std::function<int(int*)> const& call
                   ) {
    for (int r = 0; r < p; ++r) {
      all[static_cast<std::size_t>(r)] = 100 + p * rank + r;
    }
    watched.require_class(call(all.data()), expected, what);
    for (int r = 0; r < p; ++r) {
      require(all[static_cast<std::size_t>(r)] == 100 + p * r + rank, what);
    }
  };
  MPI_Comm const comm = watched.comm;
  run("alltoall", alias_class, [&](int* a) {
    return MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, comm);
  });
  run("alltoallv", alias_class, [&](int* a) {
    int const* const c = counts.data();
    return MPI_Alltoallv(a, c, places.data(), MPI_INT, a, c, places.data(), MPI_INT, comm);
  });
  // MPICH looks whether the lists are the same ones.
  run("alltoallv with two lists", MPI_SUCCESS, [&](int* a) {
    return MPI_Alltoallv(
        a, first(counts), first(places), MPI_INT, a, first(others), first(places), MPI_INT, comm
    );
  });
  run("alltoallw", alias_class, [&](int* a) {
    int const* const c = counts.data();
    int const* const d = in_bytes.data();
    return MPI_Alltoallw(a, c, d, types.data(), a, c, d, types.data(), comm);
  });
}

/// No type where nothing is sent, on some ranks only.
void null_types() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  auto const n = static_cast<std::size_t>(p);
  // A ring: everybody sends to the next rank only.
  std::vector<int> sendcounts(n, 0);
  std::vector<int> recvcounts(n, 0);
  std::vector<int> const places(n, 0);
  auto const next = static_cast<std::size_t>((rank + 1) % p);
  auto const previous = static_cast<std::size_t>((rank + p - 1) % p);
  sendcounts[next] = 1;
  recvcounts[previous] = 1;
  bool const is_odd = rank % 2 == 1;
  std::vector<MPI_Datatype> sendtypes(n, is_odd ? MPI_DATATYPE_NULL : MPI_INT);
  std::vector<MPI_Datatype> recvtypes(n, is_odd ? MPI_DATATYPE_NULL : MPI_INT);
  sendtypes[next] = MPI_INT;
  recvtypes[previous] = MPI_INT;
  int const sent = 100 + rank;
  int received = -1;
  int const code = MPI_Alltoallw(
      &sent,
      first(sendcounts),
      first(places),
      sendtypes.data(),
      &received,
      first(recvcounts),
      first(places),
      recvtypes.data(),
      watched.comm
  );
  bool const is_reported = !reports_aliases && is_odd && p > 1;
  watched.require_class(code, is_reported ? MPI_ERR_TYPE : MPI_SUCCESS, "alltoallw");
  require(received == 100 + static_cast<int>(previous), "alltoallw without types");
}

/// Own parts that are smaller than their places, or larger.
void own_sizes() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  auto const n = static_cast<std::size_t>(p);
  std::vector<int> sendcounts(n, 2);
  std::vector<int> recvcounts(n, 2);
  std::vector<int> places(n);
  for (int r = 0; r < p; ++r) {
    places[static_cast<std::size_t>(r)] = 2 * r;
  }
  auto const own = static_cast<std::size_t>(rank);
  for (bool const is_longer : {false, true}) {
    sendcounts[own] = is_longer ? 2 : 1;
    recvcounts[own] = is_longer ? 1 : 2;
    std::vector<int> const sent(2 * n, 100 + rank);
    std::vector<int> received(2 * n, -1);
    int const code = MPI_Alltoallv(
        sent.data(),
        first(sendcounts),
        first(places),
        MPI_INT,
        received.data(),
        first(recvcounts),
        first(places),
        MPI_INT,
        watched.comm
    );
    watched.require_class(code, is_longer ? MPI_ERR_TRUNCATE : MPI_SUCCESS, "alltoallv");
    for (int r = 0; r < p; ++r) {
      auto const at = static_cast<std::size_t>(2 * r);
      require(received[at] == 100 + r, "the first element from each rank");
      require(received[at + 1] == (r == rank ? -1 : 100 + r), "the second element");
    }
  }
}

/// Types that were not committed are reported where the library reports them.
void uncommitted_types() {
  Watched const watched;
  int const p = size_of(watched.comm);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  std::vector<int> all(static_cast<std::size_t>(2 * p));
  std::array<int, 2> pair{1, 2};
  MPI_Comm const comm = watched.comm;
  watched.require_class(MPI_Bcast(pair.data(), 1, type, 0, comm), MPI_ERR_TYPE, "bcast");
  watched.require_class(
      MPI_Allgather(pair.data(), 1, type, all.data(), 2, MPI_INT, comm), MPI_ERR_TYPE, "allgather"
  );
  watched.require_class(
      MPI_Alltoall(all.data(), 1, type, all.data(), 1, type, comm), MPI_ERR_TYPE, "alltoall"
  );
  MPI_Type_commit(&type);
  watched.require_class(
      MPI_Bcast(pair.data(), 1, type, 0, comm), MPI_SUCCESS, "bcast after commit"
  );
  MPI_Type_free(&type);
}

int num_copies = 0;

int refuse_to_copy(MPI_Datatype, int, void*, void*, void*, int* flag) {
  ++num_copies;
  *flag = 0;
  return MPI_ERR_OTHER;
}

/// Attributes of types are nobody's business in a collective.
void type_attributes() {
  Watched const watched;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(refuse_to_copy, MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_set_attr(type, keyval, nullptr);
  std::vector<int> values(
      static_cast<std::size_t>(6 * size_of(watched.comm)), rank_of(watched.comm)
  );
  for (int i = 0; i < 2; ++i) {
    watched.require_class(MPI_Bcast(values.data(), 1, type, 0, watched.comm), MPI_SUCCESS, "bcast");
    require(values[0] == 0 && values[4] == 0, "bcast");
  }
  require(num_copies == 0, "the copy function of an attribute was called");
  MPI_Type_free(&type);
  MPI_Type_free_keyval(&keyval);
}

/// After an error the communicator is as good as before.
void going_on() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> values(5000, rank);
  for (int const count : {1, 2000}) {
    // The root sends more than the others expect.
    bool const is_root = rank == 0;
    int code = MPI_Bcast(values.data(), is_root ? 2 * count : count, MPI_INT, 0, watched.comm);
    // In a binomial tree others get it from ranks that expect as little as they do.
    bool const is_child_of_root = !is_root && (rank & (rank - 1)) == 0;
    watched.require_class(
        code, is_child_of_root ? MPI_ERR_TRUNCATE : MPI_SUCCESS, "a message too long"
    );
    std::fill(values.begin(), values.end(), rank);
    code = MPI_Bcast(values.data(), 2 * count, MPI_INT, p - 1, watched.comm);
    watched.require_class(code, MPI_SUCCESS, "the next bcast");
    require(
        values.front() == p - 1 && values[static_cast<std::size_t>(2 * count) - 1] == p - 1, "data"
    );
    // An argument that is wrong everywhere.
    code = MPI_Bcast(values.data(), -1, MPI_INT, 0, watched.comm);
    watched.require_class(code, MPI_ERR_COUNT, "a negative count");
    int sum = 0;
    code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, watched.comm);
    watched.require_class(code, MPI_SUCCESS, "allreduce afterwards");
    require(sum == p * (p - 1) / 2, "allreduce afterwards");
    std::fill(values.begin(), values.end(), rank);
  }
}

/// More communicators than there are context identifiers for two each (MPICH: 2,046).
void many_communicators() {
  constexpr int num_communicators = 1300;
  std::vector<MPI_Comm> comms(num_communicators);
  int const rank = rank_of(MPI_COMM_WORLD);
  int const p = size_of(MPI_COMM_WORLD);
  for (int i = 0; i < num_communicators; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[static_cast<std::size_t>(i)]);
  }
  for (MPI_Comm const comm : comms) {
    int sum = 0;
    require(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS, "allreduce");
    require(sum == p * (p - 1) / 2, "allreduce on one of many communicators");
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
}

/// First collectives on many communicators while other threads make more.
void threads_that_make_groups() {
  constexpr int num_threads = 4;
  constexpr int num_rounds = 20;
  int const p = size_of(MPI_COMM_WORLD);
  std::array<std::array<MPI_Comm, num_rounds>, num_threads> comms{};
  for (auto& of_thread : comms) {
    for (MPI_Comm& comm : of_thread) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
  }
  auto const use = [&](MPI_Comm comm) {
    int const rank = rank_of(comm);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    require(sum == p * (p - 1) / 2, "allreduce among threads");
  };
  auto const work = [&](int thread) {
    for (int i = 0; i < num_rounds; ++i) {
      MPI_Comm const comm = comms[static_cast<std::size_t>(thread)][static_cast<std::size_t>(i)];
      if (thread % 2 == 0) {
        use(comm);
        continue;
      }
      MPI_Group group = MPI_GROUP_NULL;
      MPI_Comm_group(comm, &group);
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Comm_create_group(comm, group, num_rounds * thread + i, &made);
      MPI_Group_free(&group);
      use(made);
      MPI_Comm_free(&made);
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < num_threads; ++thread) {
    threads.emplace_back(work, thread);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (auto& of_thread : comms) {
    for (MPI_Comm& comm : of_thread) {
      MPI_Comm_free(&comm);
    }
  }
}

/// Small messages are sent before anybody receives, so first calls in any order end.
void first_calls_in_any_order() {
  int const rank = rank_of(MPI_COMM_WORLD);
  std::array<MPI_Comm, 2> comms{};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  std::array<int, 2> values{rank == 0 ? 100 : -1, rank == 0 ? 101 : -1};
  for (std::size_t i = 0; i < comms.size(); ++i) {
    std::size_t const now = rank == 0 ? i : 1 - i;
    MPI_Bcast(&values[now], 1, MPI_INT, 0, comms[now]);
  }
  require(values[0] == 100 && values[1] == 101, "each bcast has its own data");
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::function<void()>> const cases{
      {"aliased_alltoall", aliased_alltoall},
      {"alias_on_one_rank", alias_on_one_rank},
      {"aliases_at_root", aliases_at_root},
      {"first_calls_in_any_order", first_calls_in_any_order},
      {"going_on", going_on},
      {"many_communicators", many_communicators},
      {"null_types", null_types},
      {"overlapping_blocks", overlapping_blocks},
      {"own_block_in_place", own_block_in_place},
      {"own_sizes", own_sizes},
      {"threads_that_make_groups", threads_that_make_groups},
      {"type_attributes", type_attributes},
      {"uncommitted_types", uncommitted_types},
  };
  std::string const name = argc > 1 ? argv[1] : "";
  int provided = MPI_THREAD_SINGLE;
  bool const has_threads = name == "threads_that_make_groups";
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  shim_test::require_preloaded();
  // MPICH raises errors of messages there, whatever their communicator.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  require(cases.contains(name), "expected the name of a case, got '" + name + "'");
  cases.at(name)();
  MPI_Finalize();
  return 0;
}
