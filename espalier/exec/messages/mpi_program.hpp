// SPDX-License-Identifier: Apache-2.0

/// @file
/// What MpiExecutor runs: a bound program turned into the MPI calls it stands for.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"

namespace espalier::exec {

/// A place in memory as the arguments of an MPI call.
struct MpiRegion {
  schedule::Buffer buffer = schedule::Buffer::output;
  std::int64_t offset_bytes = 0;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// A copy inside the rank between different datatypes.
struct MpiTransfer {
  enum class Method : std::uint8_t {
    pack,      ///< the destination is bytes
    unpack,    ///< the source is bytes
    exchange,  ///< neither, or more than an int counts: a message of the rank to itself
  };

  Method method = Method::exchange;
  MpiRegion destination{};
  MpiRegion source{};
};

/// One step of the hot path; which fields count depends on the action.
struct MpiStep {
  enum class Action : std::uint8_t {
    send,      ///< start; region, peer, tag, request
    recv,      ///< start; region, peer, tag, request
    recv_now,  ///< receive and wait: region, peer, tag; request is its place only
    wait,      ///< for num_requests requests from `request` on
    copy,      ///< num_bytes from source to region
    gather,    ///< pieces of source, one after another, to region
    scatter,   ///< the reverse: from region to the pieces of source
    transfer,  ///< number `request` of the transfers
    reduce,    ///< count elements of region = those of source (op) those of region
    native,    ///< number `peer` of the native calls; request is its place among told waits
    put,       ///< start a send inside the node: num_bytes at region, link `peer`, tag, request
    take,      ///< the same of a receive
  };

  Action action = Action::wait;
  schedule::Buffer source = schedule::Buffer::output;
  int peer = -1;
  int tag = 0;
  int request = 0;
  int num_requests = 0;
  int round = 0;  ///< of the message
  MpiRegion region{};
  std::int64_t source_offset_bytes = 0;
  std::int64_t num_bytes = 0;
  schedule::Range pieces{};  ///< into the piece pool, in bytes

  [[nodiscard]] bool is_message() const noexcept {
    return action == Action::send || action == Action::recv || action == Action::recv_now;
  }

  /// Whether it is a message through the memory of the node.
  [[nodiscard]] bool is_near() const noexcept {
    return action == Action::put || action == Action::take;
  }
};

/// A collective of the MPI library: the arguments of its call.
struct MpiNativeCall {
  schedule::Collective collective = schedule::Collective::allgather;
  std::vector<int> members;
  MPI_Comm comm = MPI_COMM_NULL;
  int root = 0;
  bool is_root = true;  ///< where the collective has one
  bool is_in_place = false;
  MpiRegion source{};
  MpiRegion result{};
  MPI_Datatype type = MPI_BYTE;
  int count = 0;  ///< of a part
  /// Of all parts where they differ, otherwise empty.
  std::vector<int> counts;
  std::vector<int> displacements;
};

/// Who waits for whom in a dataflow program, by number of operation.
struct MpiDataflow {
  std::vector<int> step_begin;  ///< steps of operation i: step_begin[i] .. step_begin[i + 1] - 1
  std::vector<int> num_waits;   ///< operations that operation i waits for
  std::vector<int> successor_begin;  ///< into successors
  std::vector<int> successors;
  std::vector<int> initially_ready;
};

/// Plain data and the datatypes it refers to.
struct MpiProgram {
  std::vector<MpiStep> steps;
  std::vector<MpiTransfer> transfers;
  std::vector<MpiNativeCall> native_calls;
  std::vector<Piece> piece_pool;
  std::vector<MpiType> types;
  std::vector<node::Link*> links;  ///< of messages inside the node
  std::optional<MpiDataflow> dataflow;
  /// Where the rank waits, as words of watch::Wait: by request, behind them for each recv_now; of
  /// a dataflow program by operation.
  std::vector<std::uint64_t> told_waits;
  int num_rounds = 0;
  MPI_Op op = MPI_OP_NULL;
  std::int64_t scratch_bytes = 0;
  int num_requests = 0;
  int own_tag = 0;  ///< of messages of the rank to itself

  /// As the members of MpiExecutor.
  void shift_tags(int least, int shift) noexcept;
  [[nodiscard]] bool has_tag_below(int limit) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;
};

/// Element types of the buffers. MPI_BYTE means memory without gaps.
struct MpiElements {
  std::vector<MPI_Datatype> output{MPI_BYTE};  ///< by Piece::type
  std::vector<MPI_Datatype> input{MPI_BYTE};
  MPI_Datatype scratch = MPI_BYTE;
  /// By Piece::type: bytes of an output element that must be received packed, otherwise 0. MPICH
  /// 4.0 cannot receive a long message of bytes as elements of mixed types.
  std::vector<std::int64_t> packed_bytes{0};
  /// For reductions: the operator and the type it is called with, as the user gave them, and how
  /// many elements of the memory are one operand.
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype operand = MPI_DATATYPE_NULL;
  std::int64_t elements_per_operand = 1;
  /// Says which messages stay inside the node.
  MpiContext context{};
};

/// @throws Error argument for a program that reduces, without an operator; mpi.
[[nodiscard]] MpiProgram compile(BoundProgram const& program, MpiElements const& elements);

/// Pieces of elements as arguments of a call; a datatype it needs is added to `types`.
/// @throws Error mpi.
[[nodiscard]] MpiRegion make_region(
    schedule::Buffer buffer,
    std::span<Piece const> pieces,
    std::span<MPI_Datatype const> elements,
    std::vector<MpiType>& types
);

/// How to copy between two regions of equally many bytes.
[[nodiscard]] MpiTransfer make_transfer(MpiRegion const& destination, MpiRegion const& source);

}  // namespace espalier::exec
