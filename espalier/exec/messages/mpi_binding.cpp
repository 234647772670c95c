// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_binding.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/exec/memory/unwrap.hpp"
#include "espalier/mpi/unused_tag.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::RankProgram;

/// Size from which two messages of one piece each are better than one of two pieces.
constexpr std::int64_t smallest_cut_bytes = 16'384;

/// The largest tag of a program in the context.
std::int64_t tag_limit(MpiContext const& context) {
  return context.num_tags > 0 ? context.num_tags - 1 : largest_tag();
}

void require_tags(RankProgram const& program, MpiContext const& context) {
  int largest = 0;
  for (schedule::Operation const& operation : program.operations) {
    largest = std::max(largest, operation.tag);
  }
  if (largest > 0 && largest > tag_limit(context)) {
    throw Error(
        ErrorCode::unsupported,
        "the program needs tags up to " + std::to_string(largest) + ", a collective has " +
            std::to_string(tag_limit(context)) + " here: use fewer segments"
    );
  }
}

/// Ranks and tags of the messages as the communicator of the context has them.
void translate(MpiProgram& program, MpiContext const& context) {
  for (MpiStep& step : program.steps) {
    if (step.is_near()) {
      program.links.push_back(context.link(step.peer));
      step.peer = static_cast<int>(program.links.size()) - 1;
      step.tag = context.tag_in_comm(step.tag);
    } else if (step.is_message()) {
      step.peer = context.rank_in_comm(step.peer);
      step.tag = context.tag_in_comm(step.tag);
    }
  }
  program.own_tag = context.tag_in_comm(0);
  for (MpiNativeCall& call : program.native_calls) {
    auto const group = std::ranges::find(context.groups, call.members, &NativeGroup::members);
    if (group == context.groups.end()) {
      throw Error(
          ErrorCode::unsupported,
          "the program has a native phase among " + std::to_string(call.members.size()) +
              " ranks, for which no communicator was made"
      );
    }
    call.comm = group->comm;
  }
}

/// Blocks as messages see them: bytes where elements have no gaps, nothing where they hold no data.
struct Travelling {
  Layout places = Layout::uniform(0, 0, 1);
  Layout bytes = Layout::uniform(0, 0, 1);  ///< sizes of the data
  std::vector<MPI_Datatype> elements;       ///< by Extent::type
  std::vector<std::int64_t> packed_bytes;   ///< of MpiElements
};

/// The type in which elements travel; an own handle of a type of the user is added to `types`.
MPI_Datatype travelling(MPI_Datatype type, TypeShape const& shape, std::vector<MpiType>& types) {
  if (shape.is_gapless) {
    return MPI_BYTE;
  }
  types.push_back(MpiType::duplicate(type));
  return types.back().get();
}

/// Blocks of different types: kind 0 is bytes, and each block with gaps has a kind of its own.
Travelling travelling_mixed(MpiBlocks const& blocks, std::vector<MpiType>& types) {
  std::vector<Extent> places;
  std::vector<Extent> bytes;
  std::vector<MPI_Datatype> elements{MPI_BYTE};
  std::vector<std::int64_t> packed_bytes{0};
  for (int i = 0; i < blocks.layout.num_blocks(); ++i) {
    Extent place = blocks.layout.block(i);
    MPI_Datatype const type = blocks.types[static_cast<std::size_t>(i)];
    TypeShape const shape = place.num_elements == 0 ? TypeShape{} : describe(type);
    std::int64_t const num_bytes = place.num_elements * shape.size_bytes;
    bytes.push_back({.offset_bytes = 0, .num_elements = num_bytes});
    if (num_bytes > 0 && !shape.is_gapless) {
      place.type = static_cast<int>(elements.size());
      elements.push_back(travelling(type, shape, types));
      packed_bytes.push_back(shape.is_mixed ? shape.size_bytes : 0);
    } else {
      place.num_elements = num_bytes;
    }
    places.push_back(place);
  }
  return {
      Layout::of(std::move(places), 1),
      Layout::of(std::move(bytes), 1),
      std::move(elements),
      std::move(packed_bytes),
  };
}

Travelling travelling(MpiBlocks const& blocks, std::vector<MpiType>& types) {
  if (!blocks.types.empty()) {
    return travelling_mixed(blocks, types);
  }
  TypeShape const shape = describe(blocks.type);
  Layout const bytes = blocks.layout.sizes(shape.size_bytes);
  MPI_Datatype const element = travelling(blocks.type, shape, types);
  Travelling result{.bytes = bytes, .elements = {element}, .packed_bytes = {0}};
  if (shape.is_gapless) {
    result.places = blocks.layout.in_bytes();
  } else {
    result.places = shape.size_bytes == 0 ? blocks.layout.without_elements() : blocks.layout;
    result.packed_bytes = {shape.is_mixed ? shape.size_bytes : 0};
  }
  return result;
}

void require_contribution(int rank, std::int64_t expected, std::int64_t found) {
  if (expected != found) {
    throw Error(
        ErrorCode::argument,
        "the contribution of rank " + std::to_string(rank) + " must have " +
            std::to_string(expected) + " bytes as its block of the result has, got " +
            std::to_string(found)
    );
  }
}

/// What a rank contributes must be as large as the blocks of the result it stands for; in an
/// alltoall a rank knows that of its own block only.
void require_contribution(RankProgram const& program, Layout const& input, Layout const& output) {
  std::vector<int> const& like = program.frame.input_like;
  if (static_cast<int>(like.size()) != input.num_blocks()) {
    return;  // bind says so
  }
  if (!program.frame.output_like.empty()) {
    int const own = program.rank;
    require_contribution(own, output.block(own).num_elements, input.block(own).num_elements);
    return;
  }
  for (std::size_t i = 0; i < like.size(); ++i) {
    if (output.has_place(like[i])) {
      std::int64_t const expected = output.block(like[i]).num_elements;
      require_contribution(program.rank, expected, input.block(static_cast<int>(i)).num_elements);
    }
  }
}

/// Puts the program of a call together.
class MpiBinder {
public:
  explicit MpiBinder(MpiSpec const& spec) : spec_(spec), output_(travelling(spec.output, types_)) {
    elements_.context = spec.context;
    elements_.output = output_.elements;
    if (spec.input) {
      input_ = travelling(*spec.input, types_);
      elements_.input = input_.elements;
      options_.input = &input_.places;
    }
    std::vector<MpiType> not_used;
    sizes_ = spec.sizes ? travelling(*spec.sizes, not_used) : output_;
    spec.reduction ? use_operands(*spec.reduction) : use_bytes();
  }

  MpiProgram run(RankProgram const& program) {
    if (spec_.scratch_bytes) {
      options_.scratch_sizes = *spec_.scratch_bytes;
      return finish(program);
    }
    if (spec_.input) {
      require_contribution(program, input_.bytes, sizes_.bytes);
    }
    return finish(unwrap(program, sizes_.bytes, 1, smallest_cut_bytes));
  }

private:
  MpiProgram finish(RankProgram const& program) {
    MpiProgram result = compile(bind(program, output_.places, options_), elements_);
    translate(result, spec_.context);
    std::ranges::move(types_, std::back_inserter(result.types));
    return result;
  }

  /// Data that only move are packed in scratch memory.
  void use_bytes() {
    options_.output_sizes = &sizes_.bytes;
    options_.input_sizes = spec_.input ? &input_.bytes : nullptr;
    options_.scratch.extent_bytes = 1;
    elements_.packed_bytes = output_.packed_bytes;
  }

  /// The operator needs the elements of the user everywhere.
  void use_operands(MpiReduction const& reduction) {
    TypeShape const shape = describe(reduction.type);
    options_.output_sizes = &sizes_.places;
    elements_.op = reduction.op;
    elements_.operand = reduction.type;
    elements_.scratch = output_.elements.front();
    if (shape.is_gapless) {
      elements_.elements_per_operand = shape.size_bytes;
    } else {
      options_.scratch.footprint = {shape.true_lower_bound_bytes, shape.true_extent_bytes};
    }
  }

  MpiSpec const& spec_;
  std::vector<MpiType> types_;
  Travelling output_;
  Travelling input_;
  Travelling sizes_;
  MpiElements elements_;
  BindOptions options_;
};

}  // namespace

int largest_tag() noexcept {
  return mpi::unused_tag() - 1;
}

MpiProgram bind_mpi(RankProgram const& program, MpiSpec const& spec) {
  require_tags(program, spec.context);
  return MpiBinder(spec).run(program);
}

std::optional<MpiTransfer> make_packing(MpiSpec const& spec, MpiProgram& program) {
  std::int64_t const num_bytes = spec.output.layout.num_elements();
  if (spec.packed.message.type == MPI_DATATYPE_NULL || num_bytes == 0) {
    return std::nullopt;
  }
  program.types.push_back(MpiType::duplicate(spec.packed.message.type));
  MPI_Datatype const element = program.types.back().get();
  MPI_Datatype const byte = MPI_BYTE;
  Piece const elements{.num_elements = spec.packed.message.count};
  Piece const bytes{.num_elements = num_bytes};
  auto const user = make_region(Buffer::output, {&elements, 1}, {&element, 1}, program.types);
  auto const packed = make_region(Buffer::scratch, {&bytes, 1}, {&byte, 1}, program.types);
  return spec.packed.contributes ? make_transfer(packed, user) : make_transfer(user, packed);
}

}  // namespace espalier::exec
