// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_program.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "espalier/exec/messages/mpi_steps.hpp"
#include "espalier/exec/messages/mpi_waits.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

template <typename Element> std::size_t bytes_of(std::vector<Element> const& elements) {
  return elements.capacity() * sizeof(Element);
}

}  // namespace

void MpiProgram::shift_tags(int least, int shift) noexcept {
  for (MpiStep& step : steps) {
    if (step.is_message() && step.tag >= least) {
      step.tag += shift;
    }
  }
}

bool MpiProgram::has_tag_below(int limit) const noexcept {
  return std::ranges::any_of(steps, [&](MpiStep const& step) {
    return step.is_message() && step.tag < limit;
  });
}

std::size_t MpiProgram::memory_bytes() const noexcept {
  std::size_t result = sizeof(*this) + bytes_of(steps) + bytes_of(transfers) +
                       bytes_of(piece_pool) + bytes_of(types) + bytes_of(links) +
                       bytes_of(told_waits);
  if (dataflow) {
    result += bytes_of(dataflow->step_begin) + bytes_of(dataflow->num_waits) +
              bytes_of(dataflow->successor_begin) + bytes_of(dataflow->successors) +
              bytes_of(dataflow->initially_ready);
  }
  return result;
}

MpiProgram compile(BoundProgram const& program, MpiElements const& elements) {
  StepMaker maker(program, elements);
  program.is_dataflow() ? compile_dataflow(maker) : compile_rounds(maker);
  MpiProgram result = std::move(maker.program());
  add_told_waits(program, result);
  return result;
}

MpiRegion make_region(
    Buffer buffer,
    std::span<Piece const> pieces,
    std::span<MPI_Datatype const> elements,
    std::vector<MpiType>& types
) {
  if (pieces.size() == 1 && pieces[0].num_repeats == 1 && pieces[0].num_elements <= largest_int) {
    return {
        .buffer = buffer,
        .offset_bytes = pieces[0].offset_bytes,
        .count = static_cast<int>(pieces[0].num_elements),
        .type = elements[static_cast<std::size_t>(pieces[0].type)],
    };
  }
  types.push_back(make_type(pieces, elements));
  return {.buffer = buffer, .offset_bytes = 0, .count = 1, .type = types.back().get()};
}

MpiTransfer make_transfer(MpiRegion const& destination, MpiRegion const& source) {
  auto method = MpiTransfer::Method::exchange;
  if (destination.type == MPI_BYTE) {
    method = MpiTransfer::Method::pack;
  } else if (source.type == MPI_BYTE) {
    method = MpiTransfer::Method::unpack;
  }
  return {.method = method, .destination = destination, .source = source};
}

}  // namespace espalier::exec
