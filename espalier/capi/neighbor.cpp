// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_neighbor.h.

#include <cstdint>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/capi/neighbor_request.hpp"
#include "espalier/neighborhood/catalog.hpp"

namespace {

using espalier::Error;
using espalier::ErrorCode;
using espalier::capi::on;
using espalier::neighborhood::Algorithm;
using espalier::plan::NeighborCall;
using espalier::plan::Neighbors;
using espalier::plan::SizesBy;

/// A predicted gain below this is not worth a less direct way.
constexpr double smallest_gain = 0.1;

Algorithm const& direct(NeighborCall call) {
  return espalier::neighborhood::find(espalier::plan::collective_of(call), "direct");
}

Algorithm const& named(espalier_neighborhood& self, NeighborCall call, SizesBy sizes) {
  Algorithm const& algorithm =
      espalier::neighborhood::find(espalier::plan::collective_of(call), self.options.algorithm);
  std::string const reason = self.neighbors.refuses(algorithm, call, sizes);
  if (!reason.empty()) {
    throw Error(ErrorCode::unsupported, reason);
  }
  return algorithm;
}

/// The fastest by prediction for blocks of this size.
Algorithm const& predicted(espalier_neighborhood& self, NeighborCall call, std::int64_t bytes) {
  Neighbors& neighbors = self.neighbors;
  if (!self.options.links || neighbors.neighborhood().isomorphic() == nullptr) {
    return direct(call);
  }
  espalier::neighborhood::Request const request{
      .collective = espalier::plan::collective_of(call),
      .neighborhood = neighbors.neighborhood(),
      .node_of_rank = neighbors.nodes(),
  };
  return espalier::neighborhood::choose(
      request, *self.options.links, static_cast<double>(bytes), smallest_gain
  );
}

/// For blocks whose sizes are announced to those who forward them. Collective.
template <typename Call> Algorithm const& chosen(espalier_neighborhood& self, Call const& call) {
  return self.options.algorithm.empty()
             ? predicted(self, Call::neighbor_call, self.neighbors.typical_bytes(call))
             : named(self, Call::neighbor_call, SizesBy::exchange);
}

/// For a call that plans nothing ahead; the last choice is remembered.
template <typename Call>
Algorithm const& chosen_now(espalier_neighborhood& self, Call const& call) {
  constexpr NeighborCall kind = Call::neighbor_call;
  if constexpr (!espalier::plan::has_equal_blocks(kind)) {
    return direct(kind);
  }
  espalier::capi::LastChoice& last = self.last[espalier::plan::index_of(kind)];
  bool const is_named = !self.options.algorithm.empty();
  std::int64_t const bytes = is_named ? 0 : self.neighbors.typical_bytes(call);
  if (last.algorithm == nullptr || last.bytes != bytes) {
    last = {
        .algorithm =
            is_named ? &named(self, kind, SizesBy::standard) : &predicted(self, kind, bytes),
        .bytes = bytes,
    };
  }
  return *last.algorithm;
}

template <typename Call> int run(espalier_neighborhood* self, Call const& call) noexcept {
  return on(self, [&] {
    if (int const code = misuse(call, self->neighbors.degrees()); code != MPI_SUCCESS) {
      return code;
    }
    return self->neighbors.run(chosen_now(*self, call), call);
  });
}

template <typename Call>
int make(espalier_neighborhood* self, Call const& call, espalier_request** request) noexcept {
  return on(self, [&]() -> int {
    if (request == nullptr) {
      return MPI_ERR_ARG;
    }
    *request = nullptr;
    if (int const code = misuse(call, self->neighbors.degrees()); code != MPI_SUCCESS) {
      return code;
    }
    Algorithm const& algorithm = chosen(*self, call);
    *request = new espalier::capi::NeighborRequest(
        *self,
        self->neighbors.plan(algorithm, call),
        espalier::neighborhood::full_name(algorithm),
        {.input = call.sendbuf, .output = call.recvbuf}
    );
    return MPI_SUCCESS;
  });
}

}  // namespace

extern "C" {

int espalier_neighbor_allgather(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run(
      neighborhood,
      espalier::plan::NeighborAllgatherCall{
          sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
      }
  );
}

int espalier_neighbor_allgatherv(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run(
      neighborhood,
      espalier::plan::NeighborAllgathervCall{
          sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype
      }
  );
}

int espalier_neighbor_alltoall(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run(
      neighborhood,
      espalier::plan::NeighborAlltoallCall{
          sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
      }
  );
}

int espalier_neighbor_alltoallv(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run(
      neighborhood,
      espalier::plan::NeighborAlltoallvCall{
          sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype
      }
  );
}

int espalier_neighbor_alltoallw(
    void const* sendbuf,
    int const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    espalier_neighborhood* neighborhood
) {
  return run(
      neighborhood,
      espalier::plan::NeighborAlltoallwCall{
          sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      }
  );
}

int espalier_neighbor_allgather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAllgatherCall const call{
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
  };
  return make(neighborhood, call, request);
}

int espalier_neighbor_allgatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAllgathervCall const call{
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype
  };
  return make(neighborhood, call, request);
}

int espalier_neighbor_alltoall_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAlltoallCall const call{
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
  };
  return make(neighborhood, call, request);
}

int espalier_neighbor_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAlltoallvCall const call{
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype
  };
  return make(neighborhood, call, request);
}

int espalier_neighbor_alltoallw_init(
    void const* sendbuf,
    int const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAlltoallwCall const call{
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
  };
  return make(neighborhood, call, request);
}

}  // extern "C"
