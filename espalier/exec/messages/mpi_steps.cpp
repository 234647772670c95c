// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using Action = MpiStep::Action;

/// Messages of several runs up to this size are copied together by us: cheaper than a derived
/// datatype as long as the copy stays in the first-level cache.
constexpr std::int64_t largest_staged_bytes = 4096;

constexpr std::int64_t most_bytes_of_a_message = std::numeric_limits<int>::max();

/// Most operands of one call of an operator.
constexpr std::int64_t longest_reduction = std::int64_t{1} << 30;

std::int64_t num_runs(std::span<Piece const> pieces) {
  std::int64_t result = 0;
  for (Piece const& piece : pieces) {
    result += piece.num_repeats;
  }
  return result;
}

}  // namespace

StepMaker::StepMaker(BoundProgram const& program, MpiElements const& elements)
    : bound_(&program), elements_(&elements) {
  program_.scratch_bytes = program.scratch_bytes;
  program_.op = elements.op;
}

MpiStep StepMaker::message(BoundOperation const& operation) const {
  bool const is_near = elements_->context.link(operation.peer) != nullptr;
  Action const send = is_near ? Action::put : Action::send;
  Action const recv = is_near ? Action::take : Action::recv;
  return {
      .action = operation.kind == Kind::send ? send : recv,
      .peer = operation.peer,
      .tag = operation.tag,
      .round = operation.round,
  };
}

MpiRegion StepMaker::message_region(BoundOperation const& operation) {
  if (operation.is_signal) {
    return {.type = MPI_BYTE};
  }
  return region_of(operation.buffer, bound_->pieces(operation));
}

MpiRegion StepMaker::region_of(Buffer buffer, std::span<Piece const> pieces) {
  return make_region(buffer, pieces, elements_of(buffer), program_.types);
}

std::optional<MpiStep> StepMaker::place_near(BoundOperation const& operation, MpiStep& message) {
  if (operation.is_signal) {
    return std::nullopt;
  }
  auto const pieces = bound_->pieces(operation);
  bool const has_bytes = is_bytes(operation.buffer, pieces);
  message.num_bytes = message_bytes(operation);
  if (has_bytes && num_runs(pieces) == 1) {
    message.region = {.buffer = operation.buffer, .offset_bytes = pieces.front().offset_bytes};
    return std::nullopt;
  }
  bool const is_send = operation.kind == Kind::send;
  message.region = {.buffer = Buffer::scratch, .offset_bytes = program_.scratch_bytes};
  MpiRegion const packed = room(message.num_bytes);
  if (has_bytes) {
    auto const action = is_send ? Action::gather : Action::scatter;
    return staging(action, operation.buffer, message.region, pieces);
  }
  MpiRegion const elements = message_region(operation);
  return transfer(is_send ? make_transfer(packed, elements) : make_transfer(elements, packed));
}

std::int64_t StepMaker::message_bytes(BoundOperation const& operation) const {
  auto const elements = elements_of(operation.buffer);
  std::int64_t result = 0;
  for (Piece const& piece : bound_->pieces(operation)) {
    auto const type = elements[static_cast<std::size_t>(piece.type)];
    std::int64_t const element_bytes = type == MPI_BYTE ? 1 : describe(type).size_bytes;
    result += piece.num_repeats * piece.num_elements * element_bytes;
  }
  return result;
}

void StepMaker::add_local(BoundOperation const& operation) {
  if (operation.kind == Kind::reduce) {
    add_reduce(operation);
  } else if (elements_->context.copies_by_messages) {
    MpiTransfer const to_itself{
        .method = MpiTransfer::Method::exchange,
        .destination = message_region(operation),
        .source = region_of(operation.source, bound_->sources(operation)),
    };
    program_.steps.push_back(transfer(to_itself));
  } else if (is_bytes(operation.buffer, bound_->pieces(operation)) &&
             is_bytes(operation.source, bound_->sources(operation))) {
    copy_bytes(operation);
  } else {
    auto const destination = message_region(operation);
    program_.steps.push_back(transfer(make_transfer(destination, source_region(operation))));
  }
}

/// The source of a copy to elements with gaps. Bytes are gathered first, so that they can be
/// unpacked.
MpiRegion StepMaker::source_region(BoundOperation const& operation) {
  auto const pieces = bound_->sources(operation);
  std::int64_t num_bytes = 0;
  for_each_run(pieces, [&](std::int64_t, std::int64_t size) { num_bytes += size; });
  bool const is_scattered = num_runs(pieces) > 1 && is_bytes(operation.source, pieces);
  if (!is_scattered || num_bytes > most_bytes_of_a_message) {
    return region_of(operation.source, pieces);
  }
  MpiRegion const gathered = room(num_bytes);
  program_.steps.push_back(staging(Action::gather, operation.source, gathered, pieces));
  return gathered;
}

void StepMaker::add_reduce(BoundOperation const& operation) {
  if (elements_->op == MPI_OP_NULL) {
    throw Error(
        ErrorCode::argument, "an operator must be given for a program that reduces, got MPI_OP_NULL"
    );
  }
  std::int64_t const unit = elements_->elements_per_operand;
  Runs const runs{
      .extent_bytes = bound_->element_extent_bytes, .longest = longest_reduction * unit
  };
  for_each_common_run(operation, runs, [&](MpiStep step) {
    step.action = Action::reduce;
    step.region.count = static_cast<int>(step.num_bytes / unit);
    step.region.type = elements_->operand;
    program_.steps.push_back(step);
  });
}

MpiStep StepMaker::transfer(MpiTransfer const& transfer) {
  auto const index = static_cast<int>(program_.transfers.size());
  program_.transfers.push_back(transfer);
  return {.action = Action::transfer, .request = index};
}

std::int64_t StepMaker::bytes_to_unpack(BoundOperation const& operation) const {
  std::int64_t result = 0;
  for (Piece const& piece : bound_->pieces(operation)) {
    auto const type = static_cast<std::size_t>(piece.type);
    bool const is_packed = operation.buffer == Buffer::output && elements_->packed_bytes[type] > 0;
    if (!is_packed) {
      return 0;
    }
    result += piece.num_repeats * piece.num_elements * elements_->packed_bytes[type];
  }
  return result;
}

void StepMaker::copy_bytes(BoundOperation const& operation) {
  for_each_common_run(operation, {}, [&](MpiStep step) {
    step.action = Action::copy;
    program_.steps.push_back(step);
  });
}

/// Calls visit(step) for each run of elements that is adjacent on both sides; num_bytes of the
/// step is the number of these elements.
template <typename Visitor>
void StepMaker::for_each_common_run(
    BoundOperation const& operation, Runs const& runs, Visitor&& visit
) {
  std::vector<Extent> sources;
  for_each_run(bound_->sources(operation), [&](std::int64_t offset, std::int64_t size) {
    sources.push_back({.offset_bytes = offset, .num_elements = size});
  });
  auto source = sources.begin();
  for_each_run(bound_->pieces(operation), [&](std::int64_t offset, std::int64_t size) {
    while (size > 0) {
      std::int64_t const now = std::min({size, source->num_elements, runs.longest});
      visit(MpiStep{
          .source = operation.source,
          .region = {.buffer = operation.buffer, .offset_bytes = offset},
          .source_offset_bytes = source->offset_bytes,
          .num_bytes = now,
      });
      offset += now * runs.extent_bytes;
      size -= now;
      source->offset_bytes += now * runs.extent_bytes;
      source->num_elements -= now;
      source += source->num_elements == 0 ? 1 : 0;
    }
  });
}

std::span<MPI_Datatype const> StepMaker::elements_of(Buffer buffer) const {
  switch (buffer) {
  case Buffer::input:
    return elements_->input;
  case Buffer::output:
    return elements_->output;
  case Buffer::scratch:
    break;
  }
  return {&elements_->scratch, 1};
}

bool StepMaker::is_bytes(Buffer buffer, std::span<Piece const> pieces) const {
  auto const elements = elements_of(buffer);
  return std::ranges::all_of(pieces, [&](Piece const& piece) {
    return elements[static_cast<std::size_t>(piece.type)] == MPI_BYTE;
  });
}

bool StepMaker::is_staged(BoundOperation const& operation) const {
  auto const pieces = bound_->pieces(operation);
  return !elements_->context.copies_by_messages && operation.num_elements <= largest_staged_bytes &&
         num_runs(pieces) > 1 && is_bytes(operation.buffer, pieces);
}

MpiRegion StepMaker::room(std::int64_t num_bytes) {
  Piece const piece{.offset_bytes = program_.scratch_bytes, .num_elements = num_bytes};
  program_.scratch_bytes += 64 * ceil_div(num_bytes, std::int64_t{64});
  MPI_Datatype const byte = MPI_BYTE;
  return make_region(Buffer::scratch, {&piece, 1}, {&byte, 1}, program_.types);
}

MpiStep StepMaker::staging(
    MpiStep::Action action, Buffer buffer, MpiRegion const& room, std::span<Piece const> pieces
) {
  auto const begin = static_cast<int>(program_.piece_pool.size());
  program_.piece_pool.insert(program_.piece_pool.end(), pieces.begin(), pieces.end());
  auto const end = static_cast<int>(program_.piece_pool.size());
  return {
      .action = action,
      .source = buffer,
      .region = room,
      .pieces = {.begin = begin, .end = end},
  };
}

}  // namespace espalier::exec
