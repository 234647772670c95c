// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_binding.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/exec/unwrap.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::RankProgram;

/// Size from which two messages of one piece each are better than one of two pieces.
constexpr std::int64_t smallest_cut_bytes = 16'384;

/// The largest tag of a communicator; the attribute is the same for all of one MPI_COMM_WORLD.
std::int64_t tag_limit(MPI_Comm comm) {
  int const* value = nullptr;
  int is_found = 0;
  require_success(
      PMPI_Comm_get_attr(comm, MPI_TAG_UB, reinterpret_cast<void*>(&value), &is_found),
      "MPI_Comm_get_attr"
  );
  return is_found != 0 ? *value : std::numeric_limits<std::int16_t>::max();
}

void require_tags(RankProgram const& program, MPI_Comm comm) {
  int largest = 0;
  for (schedule::Operation const& operation : program.operations) {
    largest = std::max(largest, operation.tag);
  }
  if (largest > 0 && largest > tag_limit(comm)) {
    throw Error(
        ErrorCode::unsupported,
        "the program needs tags up to " + std::to_string(largest) + ", this MPI has " +
            std::to_string(tag_limit(comm)) + ": use fewer segments"
    );
  }
}

/// The layout as messages see it: bytes where elements have no gaps, nothing where they hold no
/// data.
Layout travelling(Layout const& layout, TypeShape const& shape) {
  if (shape.is_gapless) {
    return layout.in_bytes();
  }
  return shape.size_bytes == 0 ? layout.without_elements() : layout;
}

void require_contribution(RankProgram const& program, MpiSpec const& spec) {
  Extent const own = spec.output.block(program.frame.like(Buffer::input, 0));
  std::int64_t const expected = own.num_elements * describe(spec.output_type).size_bytes;
  std::int64_t const found = spec.input.count * describe(spec.input.type).size_bytes;
  if (expected != found) {
    throw Error(
        ErrorCode::argument,
        "the contribution of rank " + std::to_string(program.rank) + " must have " +
            std::to_string(expected) + " bytes as its block of the result has, got " +
            std::to_string(found)
    );
  }
}

/// The type in which elements travel; an own handle of a type of the user is added to `types`.
MPI_Datatype travelling(MPI_Datatype type, TypeShape const& shape, std::vector<MpiType>& types) {
  if (shape.is_gapless) {
    return MPI_BYTE;
  }
  types.push_back(MpiType::duplicate(type));
  return types.back().get();
}

}  // namespace

MpiProgram bind_mpi(RankProgram const& program, MpiSpec const& spec) {
  require_tags(program, spec.comm);
  std::vector<MpiType> types;
  TypeShape const output = describe(spec.output_type);
  MpiElements elements{.output = travelling(spec.output_type, output, types)};
  BindOptions options{.is_in_place = spec.input.type == MPI_DATATYPE_NULL};
  if (!output.is_gapless) {
    options.footprint = {output.true_lower_bound_bytes, output.true_extent_bytes};
  }
  std::optional<Layout> input_layout;
  if (!options.is_in_place && program.frame.num_blocks(Buffer::input) > 0) {
    require_contribution(program, spec);
    TypeShape const input = describe(spec.input.type);
    elements.input = travelling(spec.input.type, input, types);
    input_layout = travelling(Layout::uniform(1, spec.input.count, input.extent_bytes), input);
    options.input = &*input_layout;
  }
  RankProgram const cut = unwrap(program, spec.output, output.size_bytes, smallest_cut_bytes);
  MpiProgram result = compile(bind(cut, travelling(spec.output, output), options), elements);
  std::ranges::move(types, std::back_inserter(result.types));
  return result;
}

std::optional<MpiTransfer> make_packing(MpiSpec const& spec, MpiProgram& program) {
  std::int64_t const num_bytes = spec.output.num_elements();
  if (spec.packed.message.type == MPI_DATATYPE_NULL || num_bytes == 0) {
    return std::nullopt;
  }
  program.types.push_back(MpiType::duplicate(spec.packed.message.type));
  MPI_Datatype const element = program.types.back().get();
  Piece const elements{.num_elements = spec.packed.message.count};
  Piece const bytes{.num_elements = num_bytes};
  auto const user = make_region(Buffer::output, {&elements, 1}, element, program.types);
  auto const packed = make_region(Buffer::scratch, {&bytes, 1}, MPI_BYTE, program.types);
  return spec.packed.contributes ? make_transfer(packed, user, num_bytes)
                                 : make_transfer(user, packed, num_bytes);
}

}  // namespace espalier::exec
