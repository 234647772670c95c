// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <numeric>
#include <vector>

#include <mpi.h>

#include "tests/shim/interleaved.hpp"
#include "tests/shim/irregular.hpp"

namespace shim_test {
namespace {

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

/// Rank r sends s + 1 numbers to each rank s.
void interleaved_blocks() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> counts(static_cast<std::size_t>(p));
  std::iota(counts.begin(), counts.end(), 1);
  Interleaved both(counts, std::vector<int>(counts.size(), rank + 1));
  int place = 0;
  for (int s = 0; s < p; ++s) {
    for (int i = 0; i <= s; ++i, ++place) {
      both.sent(place) = 1000 * rank + 10 * s + i;
    }
  }
  watched.require_class(both.alltoallv(watched.comm), MPI_SUCCESS, "interleaved blocks");
  for (place = 0; place < p * (rank + 1); ++place) {
    int const r = place / (rank + 1);
    int const i = place % (rank + 1);
    require(both.received(place) == 1000 * r + 10 * rank + i, "interleaved blocks");
  }
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

}  // namespace

Cases type_cases() {
  return {
      {"interleaved_blocks", interleaved_blocks},
      {"null_types", null_types},
      {"own_sizes", own_sizes},
      {"type_attributes", type_attributes},
      {"uncommitted_types", uncommitted_types},
  };
}

}  // namespace shim_test
