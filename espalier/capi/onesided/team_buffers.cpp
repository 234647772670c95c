// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_buffers.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using onesided::UserPlaces;
using plan::ClassError;
using schedule::AddressMode;
using schedule::Collective;

/// How much of a buffer a member has.
enum class Share : std::uint8_t { nothing, own_block, all_blocks };

/// One buffer of a call, and how much of it there is.
struct Buffer {
  char const* name;
  void const* address;
  Share of_root;
  Share of_others;
};

Buffer input_of(TeamCall const& call) {
  switch (call.collective) {
  case Collective::scatter:
    return {"sendbuf", call.sendbuf, Share::all_blocks, Share::nothing};
  case Collective::alltoall:
    return {"sendbuf", call.sendbuf, Share::all_blocks, Share::all_blocks};
  case Collective::bcast:
  case Collective::barrier:
    return {"sendbuf", nullptr, Share::nothing, Share::nothing};
  default:
    return {"sendbuf", call.sendbuf, Share::own_block, Share::own_block};
  }
}

Buffer output_of(TeamCall const& call) {
  switch (call.collective) {
  case Collective::gather:
    return {"recvbuf", call.recvbuf, Share::all_blocks, Share::nothing};
  case Collective::reduce:
    return {"recvbuf", call.recvbuf, Share::own_block, Share::nothing};
  case Collective::allgather:
  case Collective::alltoall:
    return {"recvbuf", call.recvbuf, Share::all_blocks, Share::all_blocks};
  case Collective::bcast:
    return {"buffer", call.recvbuf, Share::own_block, Share::own_block};
  case Collective::barrier:
    return {"recvbuf", nullptr, Share::nothing, Share::nothing};
  default:
    return {"recvbuf", call.recvbuf, Share::own_block, Share::own_block};
  }
}

/// The addresses of one call, seen from one member.
class Addresses {
public:
  Addresses(espalier_team const& team, TeamCall const& call, TeamElements const& elements)
      : team_(&team), call_(&call), elements_(&elements), input_(input_of(call)),
        output_(output_of(call)) {}

  void check_own() const {
    check_own(input_);
    check_own(output_);
    int const rank = team_->team.rank();
    bool const are_both_used = bytes(input_, rank) > 0 && bytes(output_, rank) > 0;
    if (are_both_used && input_.address == output_.address) {
      throw ClassError(
          MPI_ERR_BUFFER, "expected two buffers, got sendbuf and recvbuf at one address"
      );
    }
  }

  /// Places that are the same on all members.
  [[nodiscard]] UserPlaces places() const {
    return {.input = place_of(input_), .output = place_of(output_)};
  }

private:
  /// From the address of the buffer to its end on a member.
  [[nodiscard]] std::uint64_t bytes(Buffer const& buffer, int rank) const {
    Share const share = rank == call_->root ? buffer.of_root : buffer.of_others;
    if (share == Share::nothing) {
      return 0;
    }
    std::int64_t const num_elements =
        call_->blocks ? uneven_elements(&buffer == &input_, share, rank) : even_elements(share);
    return static_cast<std::uint64_t>(num_elements * elements_->extent_bytes);
  }

  [[nodiscard]] std::int64_t even_elements(Share share) const {
    return share == Share::own_block ? elements_->count
                                     : elements_->count * team_->team.num_ranks();
  }

  [[nodiscard]] std::int64_t uneven_elements(bool is_input, Share share, int rank) const {
    UnevenBlocks const& blocks = *call_->blocks;
    if (call_->collective == Collective::alltoall) {
      auto const& members = is_input ? blocks.inputs : blocks.outputs;
      return members[static_cast<std::size_t>(rank)].num_covered();
    }
    BlockRuns const& parts = blocks.parts.front();
    return share == Share::own_block ? parts.count(rank) : parts.num_covered();
  }

  void check_own(Buffer const& buffer) const {
    if (buffer.address == MPI_IN_PLACE) {
      throw ClassError(
          MPI_ERR_BUFFER, formatted("expected an address of {}, got MPI_IN_PLACE", buffer.name)
      );
    }
    std::uint64_t const num_bytes = bytes(buffer, team_->team.rank());
    if (num_bytes > 0 && buffer.address == nullptr) {
      throw ClassError(
          MPI_ERR_BUFFER,
          formatted(
              "expected {} to be an address of {} bytes, got a null pointer", buffer.name, num_bytes
          )
      );
    }
  }

  /// Anything where no member has a byte of the buffer.
  [[nodiscard]] std::uint64_t place_of(Buffer const& buffer) const {
    SegmentPlaces const& places = team_->conduit->places;
    std::uint64_t const offset = reinterpret_cast<std::uintptr_t>(buffer.address) -
                                 reinterpret_cast<std::uintptr_t>(places.begin());
    for (int rank = 0; rank < team_->team.num_ranks(); ++rank) {
      std::uint64_t const num_bytes = bytes(buffer, rank);
      std::uint64_t const size = places.num_bytes(team_->team.conduit_rank(rank));
      if (num_bytes > 0 && (offset > size || num_bytes > size - offset)) {
        throw_outside(buffer, rank, num_bytes);
      }
    }
    return places.on_conduit(offset);
  }

  [[noreturn]] void throw_outside(Buffer const& buffer, int rank, std::uint64_t num_bytes) const {
    SegmentPlaces const& places = team_->conduit->places;
    int const on_conduit = team_->team.conduit_rank(rank);
    auto const offset = reinterpret_cast<std::intptr_t>(buffer.address) -
                        reinterpret_cast<std::intptr_t>(places.begin());
    std::string const where =
        buffer.address == nullptr ? "a null pointer" : formatted("offset {}", offset);
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected {} of {} bytes inside the segment of rank {} of the team, which is rank {} "
            "of the conduit and has {} bytes, got {}: symmetric addresses lie in segments, at the "
            "same offset on all members; take ESPALIER_ADDRESSES_LOCAL for others",
            buffer.name,
            num_bytes,
            rank,
            on_conduit,
            places.num_bytes(on_conduit),
            where
        )
    );
  }

  espalier_team const* team_;
  TeamCall const* call_;
  TeamElements const* elements_;
  Buffer input_;
  Buffer output_;
};

}  // namespace

TeamBuffers buffers_of(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    AddressMode addresses
) {
  Addresses const seen(team, call, elements);
  seen.check_own();
  TeamBuffers result;
  result.own.input = static_cast<std::byte const*>(call.sendbuf);
  result.own.output = static_cast<std::byte*>(call.recvbuf);
  if (addresses == AddressMode::single) {
    result.all.assign(static_cast<std::size_t>(team.team.num_ranks()), seen.places());
  }
  return result;
}

}  // namespace espalier::capi
