// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "tests/bent/bends.hpp"
#include "tests/bent/known.hpp"

namespace bent {
namespace {

unsigned char* byte_of(void* address) {
  return static_cast<unsigned char*>(address);
}

/// Data in the receive buffer, too, as it will be sent from.
void use_one_buffer(Material& material) {
  material.recv.bytes() = material.send.bytes();
}

/// Messages to a root that has left the call must not wait for it.
int largest(Step const& step) {
  return step.may_go_on ? 3000 : 60;
}

/// When blocks come in decides what others get of an exchange in one buffer.
Data data_of(Function function) {
  bool const is_exchange = function == Function::alltoall || function == Function::alltoallv ||
                           function == Function::alltoallw;
  return is_exchange ? Data::undefined : Data::clean;
}

/// Bytes from the address of a side to the end of its last block.
long span_bytes(Step const& step, Call const& call, Side const& side) {
  long span = side.count * side.item_bytes * step.size();
  for (std::size_t i = 0; i < side.counts.size(); ++i) {
    long const end =
        block_offset(call, side, static_cast<int>(i)) + side.counts[i] * side.item_bytes;
    span = std::max(span, end);
  }
  return span;
}

/// Which ranks alias: all, the root, or one of them.
bool is_chosen(Step& step, Call const& call) {
  int const who = step.common.below(3);
  int const one = step.common.below(step.size());
  return who == 0 || step.rank() == (who == 1 ? call.root : one);
}

/// MPI_IN_PLACE where it is allowed, with data in the receive buffer.
void use_in_place(Step const& step, Material& material) {
  Call& call = material.call;
  Function const function = call.function;
  bool const is_scatter = function == Function::scatter || function == Function::scatterv;
  // All ranks must have equal tables of blocks: not so here.
  bool const is_irregular = function == Function::alltoallv || function == Function::alltoallw;
  if (is_irregular || function == Function::bcast || function == Function::barrier) {
    return;
  }
  if (is_scatter && call.is_root(step.rank())) {
    call.recv.address = MPI_IN_PLACE;
  } else if (!is_scatter && call.receives(step.rank())) {
    use_one_buffer(material);
    call.send.address = MPI_IN_PLACE;
  }
}

}  // namespace

void right(Step& step) {
  Material material;
  Shapes const shapes = step.common.chance(50) ? Shapes::ints : Shapes::legal;
  make_right(material, step, step.common.pick(all_functions()), shapes, 3000);
  if (step.common.chance(30)) {
    use_in_place(step, material);
  }
  perform(step, material, false);
}

/// MPI_Allgather(&all[rank], 1, type, all, 1, type, comm) and its relatives.
void own_block(Step& step) {
  Function const function = step.any_function(
      {Function::allgather,
       Function::allgatherv,
       Function::gather,
       Function::gatherv,
       Function::scatter,
       Function::scatterv}
  );
  Material material;
  material.has_even_blocks = true;
  make_right(material, step, function, Shapes::ints, largest(step));
  Call& call = material.call;
  use_one_buffer(material);
  bool const is_scatter = function == Function::scatter || function == Function::scatterv;
  if (is_scatter && call.is_root(step.rank())) {
    long const offset = block_offset(call, call.send, step.rank());
    call.recv.address = byte_of(call.send.address) + offset;
  } else if (!is_scatter && call.receives(step.rank())) {
    long const offset = block_offset(call, call.recv, step.rank());
    call.send.address = byte_of(call.recv.address) + offset;
  }
  perform(step, material, true);
  go_on(step, step.common.below(3));
}

void same_buffer(Step& step) {
  std::vector<Function> functions = all_functions();
  std::erase(functions, Function::barrier);
  std::erase(functions, Function::bcast);
  Material material;
  material.has_even_blocks = true;
  Function const function = step.any_function(functions);
  make_right(material, step, function, Shapes::ints, largest(step));
  Call& call = material.call;
  use_one_buffer(material);
  if (is_chosen(step, call) || must_alias_everywhere(call.function)) {
    call.send.address = call.recv.address;
  }
  perform(step, material, true, data_of(call.function));
  go_on(step, step.common.below(3));
}

/// The send buffer begins somewhere in the receive buffer, or a bit before it.
void overlap(Step& step) {
  std::vector<Function> functions = all_functions();
  std::erase(functions, Function::barrier);
  std::erase(functions, Function::bcast);
  Material material;
  make_right(material, step, step.any_function(functions), Shapes::ints, 3000);
  Call& call = material.call;
  use_one_buffer(material);
  long const unit = call.send.item_bytes;
  long const sent = span_bytes(step, call, call.send);
  // What is sent stays inside of both guards.
  int const num_places = static_cast<int>((material.recv.room() + 256 - sent) / unit);
  int const limit = static_cast<int>(span_bytes(step, call, call.recv) / unit);
  long const shift = unit * (step.own.below(std::min(num_places, limit + 1) + 16) - 16);
  if (is_chosen(step, call)) {
    // Equal buffers are another kind.
    call.send.address = byte_of(call.recv.address) + (shift == 0 ? unit : shift);
  }
  perform(step, material, true, data_of(call.function));
  go_on(step, step.common.below(3));
}

}  // namespace bent
