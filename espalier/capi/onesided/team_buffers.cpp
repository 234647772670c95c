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

constexpr char const* of_same_offset =
    "symmetric addresses lie in segments, at the same offset on all members; take "
    "ESPALIER_ADDRESSES_SINGLE for other offsets, or ESPALIER_ADDRESSES_LOCAL for other memory";
constexpr char const* of_any_offset =
    "single addresses lie in segments; take ESPALIER_ADDRESSES_LOCAL for others";

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
  [[nodiscard]] std::vector<UserPlaces> symmetric() const {
    BufferOffsets const own = offsets_of(*team_, *call_);
    return places([&](int /*rank*/) { return own; }, false);
  }

  /// @param all  by rank
  [[nodiscard]] std::vector<UserPlaces> told(std::span<BufferOffsets const> all) const {
    return places([&](int rank) { return all[static_cast<std::size_t>(rank)]; }, true);
  }

  /// @param all  by rank
  void check_equal(std::span<BufferOffsets const> all) const {
    check_equal(input_, all, &BufferOffsets::input);
    check_equal(output_, all, &BufferOffsets::output);
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

  template <typename OffsetsOf>
  [[nodiscard]] std::vector<UserPlaces>
  places(OffsetsOf const& offsets_of_rank, bool are_told) const {
    SegmentPlaces const& places = team_->conduit->places;
    int const num_ranks = team_->team.num_ranks();
    std::vector<UserPlaces> result;
    for (int rank = 0; rank < num_ranks; ++rank) {
      BufferOffsets const offsets = offsets_of_rank(rank);
      check_inside(input_, rank, offsets.input, are_told);
      check_inside(output_, rank, offsets.output, are_told);
      result.push_back({
          .input = places.on_conduit(offsets.input),
          .output = places.on_conduit(offsets.output),
      });
    }
    return result;
  }

  /// Nothing is wrong where a member has no byte of the buffer.
  void check_inside(Buffer const& buffer, int rank, std::uint64_t offset, bool are_told) const {
    std::uint64_t const num_bytes = bytes(buffer, rank);
    std::uint64_t const size = team_->conduit->places.num_bytes(team_->team.conduit_rank(rank));
    if (num_bytes > 0 && (offset > size || num_bytes > size - offset)) {
      throw_outside(buffer, rank, offset, are_told);
    }
  }

  void check_equal(
      Buffer const& buffer, std::span<BufferOffsets const> all, std::uint64_t BufferOffsets::*offset
  ) const {
    bool is_used = false;
    for (int rank = 0; rank < team_->team.num_ranks(); ++rank) {
      is_used = is_used || bytes(buffer, rank) > 0;
    }
    for (std::size_t rank = 1; is_used && rank < all.size(); ++rank) {
      if (all[rank].*offset != all[0].*offset) {
        throw Error(
            ErrorCode::argument,
            formatted(
                "expected {} at the same offset on all members, got {} on rank 0 of the team and "
                "{} on rank {}: {}",
                buffer.name,
                static_cast<std::int64_t>(all[0].*offset),
                static_cast<std::int64_t>(all[rank].*offset),
                rank,
                of_same_offset
            )
        );
      }
    }
  }

  [[noreturn]] void
  throw_outside(Buffer const& buffer, int rank, std::uint64_t offset, bool are_told) const {
    SegmentPlaces const& places = team_->conduit->places;
    int const on_conduit = team_->team.conduit_rank(rank);
    bool const is_null = !are_told && buffer.address == nullptr;
    std::string const where =
        is_null ? "a null pointer" : formatted("offset {}", static_cast<std::int64_t>(offset));
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected {} of {} bytes inside the segment of rank {} of the team, which is rank {} "
            "of the conduit and has {} bytes, got {}: {}",
            buffer.name,
            bytes(buffer, rank),
            rank,
            on_conduit,
            places.num_bytes(on_conduit),
            where,
            are_told ? of_any_offset : of_same_offset
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

BufferOffsets offsets_of(espalier_team const& team, TeamCall const& call) {
  auto const begin = reinterpret_cast<std::uintptr_t>(team.conduit->places.begin());
  return {
      .input = reinterpret_cast<std::uintptr_t>(call.sendbuf) - begin,
      .output = reinterpret_cast<std::uintptr_t>(call.recvbuf) - begin,
  };
}

TeamBuffers
own_buffers(espalier_team const& team, TeamCall const& call, TeamElements const& elements) {
  Addresses(team, call, elements).check_own();
  TeamBuffers result;
  result.own.input = static_cast<std::byte const*>(call.sendbuf);
  result.own.output = static_cast<std::byte*>(call.recvbuf);
  return result;
}

TeamBuffers told_buffers(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    std::span<BufferOffsets const> told
) {
  TeamBuffers result = own_buffers(team, call, elements);
  result.all = Addresses(team, call, elements).told(told);
  return result;
}

void check_symmetric(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    std::span<BufferOffsets const> told
) {
  Addresses(team, call, elements).check_equal(told);
}

TeamBuffers buffers_of(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    AddressMode addresses
) {
  TeamBuffers result = own_buffers(team, call, elements);
  if (addresses == AddressMode::single) {
    result.all = Addresses(team, call, elements).symmetric();
  }
  return result;
}

}  // namespace espalier::capi
