// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "tests/bent/known.hpp"
#include "tests/bent/program.hpp"

namespace bent {
namespace {

/// Elements each rank sends each other.
class Blocks {
public:
  Blocks(Step const& step, Function function, int max_elements, bool is_even, std::uint64_t origin)
      : function_(function), size_(step.size()), max_elements_(max_elements), is_even_(is_even),
        origin_(origin) {}

  [[nodiscard]] int count(int src, int dst) const {
    switch (function_) {
    case Function::allgatherv:
    case Function::gatherv:
      return random(src, 0);
    case Function::scatterv:
    case Function::reduce_scatter:
      return random(0, dst);
    case Function::alltoallv:
    case Function::alltoallw:
      return random(src, dst);
    default:
      return max_elements_;
    }
  }

  [[nodiscard]] int size() const { return size_; }

private:
  [[nodiscard]] int random(int src, int dst) const {
    auto const a = static_cast<std::uint64_t>(src);
    auto const b = static_cast<std::uint64_t>(dst);
    int const least = is_even_ && max_elements_ > 0 ? 1 : 0;
    return least + Random{origin_, a, b}.below(max_elements_ + 1 - least);
  }

  Function function_;
  int size_;
  int max_elements_;
  bool is_even_;
  std::uint64_t origin_;
};

void use_form(Side& side, Form const& form, int num_elements) {
  side.type = form.type;
  side.count = num_elements * form.items;
  side.item_bytes = form.stride / form.items;
}

/// Lists of blocks one after the other with some gaps between them; the elements they span.
int set_lists(Side& side, Form const& form, std::vector<int> const& elements, Step& step, bool w) {
  int place = 0;
  for (int const num_elements : elements) {
    side.counts.push_back(num_elements * form.items);
    long const displacement = w ? place * form.stride : place * long{form.items};
    side.displacements.push_back(static_cast<int>(displacement));
    side.types.push_back(form.type);
    place += num_elements + step.own.below(3);
  }
  use_form(side, form, 0);
  return place;
}

Form any_form(Datatypes& datatypes, Step& step, Shapes shapes) {
  // Drawn whether it is used or not: what follows must not depend on it.
  int const number =
      step.own.below(static_cast<int>(shapes == Shapes::wild ? Shape::bytes : Shape::turned) + 1);
  return datatypes.form(shapes == Shapes::ints ? Shape::ints : static_cast<Shape>(number));
}

bool lists_on(Call const& call, bool is_send) {
  Function const function = call.function;
  if (function == Function::alltoallv || function == Function::alltoallw) {
    return true;
  }
  bool const has_send_lists = function == Function::scatterv;
  bool const has_recv_lists = function == Function::gatherv || function == Function::allgatherv;
  return is_send ? has_send_lists : has_recv_lists;
}

/// One block for a side without lists: what a rank sends or receives of one other.
int single_block(Call const& call, Blocks const& blocks, int rank, bool is_send) {
  return is_send ? blocks.count(rank, call.root) : blocks.count(call.root, rank);
}

/// Elements spanned by the side of a rank.
int set_side(Material& material, Step& step, Blocks const& blocks, Shapes shapes, bool is_send) {
  Call& call = material.call;
  Side& side = is_send ? call.send : call.recv;
  Form const form = any_form(material.datatypes, step, shapes);
  int const rank = step.rank();
  if (lists_on(call, is_send)) {
    std::vector<int> elements;
    for (int peer = 0; peer < blocks.size(); ++peer) {
      elements.push_back(is_send ? blocks.count(rank, peer) : blocks.count(peer, rank));
    }
    int const span = set_lists(side, form, elements, step, call.function == Function::alltoallw);
    side.without_lists = !(is_send ? call.sends(rank) : call.receives(rank)) && step.own.chance(50);
    return span;
  }
  use_form(side, form, single_block(call, blocks, rank, is_send));
  return single_block(call, blocks, rank, is_send) * blocks.size();
}

void make_move(Material& material, Step& step, Blocks const& blocks, Shapes shapes) {
  int const sent = set_side(material, step, blocks, shapes, true);
  int const received = set_side(material, step, blocks, shapes, false);
  // Both are large enough for either, so that they can be exchanged.
  auto const room = static_cast<std::size_t>(std::max(sent, received)) + 64;
  material.send = Buffer(room);
  material.recv = Buffer(room);
  material.send.fill(step.own);
}

/// A named type and an operator it is made for.
void make_reduction(Material& material, Step& step, Blocks const& blocks) {
  Call& call = material.call;
  static std::vector<MPI_Datatype> const types = {MPI_INT, MPI_LONG, MPI_DOUBLE};
  int const number = step.common.below(3);
  call.send.type = types[static_cast<std::size_t>(number)];
  call.send.item_bytes = number == 0 ? 4 : 8;
  call.op = step.common.pick<MPI_Op>({MPI_SUM, MPI_MAX, MPI_MIN, number == 2 ? MPI_SUM : MPI_BXOR});
  call.recv.type = call.send.type;
  call.recv.item_bytes = call.send.item_bytes;
  int total = 0;
  for (int rank = 0; rank < step.size(); ++rank) {
    int const count = blocks.count(0, rank);
    if (call.function == Function::reduce_scatter) {
      call.recv.counts.push_back(count);
      call.recv.displacements.push_back(total);
    }
    total += count;
  }
  bool const is_scattered =
      call.function == Function::reduce_scatter || call.function == Function::reduce_scatter_block;
  call.recv.count = blocks.count(0, step.rank());
  call.send.count = is_scattered ? total : blocks.count(0, 0);
  material.send = Buffer(static_cast<std::size_t>(total) + 64);
  material.recv = Buffer(static_cast<std::size_t>(total) + 64);
  for (Buffer* const buffer : {&material.send, &material.recv}) {
    if (number == 0) {
      buffer->fill_numbers<int>(step.own);
    } else if (number == 1) {
      buffer->fill_numbers<long>(step.own);
    } else {
      buffer->fill_numbers<double>(step.own);
    }
    step.own.next();
  }
}

}  // namespace

int any_size(Random& random, int max_elements) {
  static std::vector<int> const limits = {0, 1, 1, 9, 9, 9, 400, 400, 3000};
  int const limit = random.pick(limits);
  int const number = limit <= 1 ? limit : 2 + random.below(limit - 1);
  return std::min(number, max_elements);
}

std::vector<Function> all_functions() {
  std::vector<Function> functions;
  for (int i = 0; i < num_functions; ++i) {
    functions.push_back(static_cast<Function>(i));
  }
  return functions;
}

void make_right(
    Material& material, Step& step, Function function, Shapes shapes, int max_elements
) {
  Call& call = material.call;
  call = {.function = function, .comm = step.comm.handle};
  int const root = step.common.below(step.size());
  call.root = material.has_root_0 ? 0 : root;
  int const num_elements = any_size(step.common, max_elements);
  bool const is_even = material.has_even_blocks;
  Blocks const blocks(step, function, num_elements, is_even, step.common.next());
  if (is_reduction(function)) {
    make_reduction(material, step, blocks);
  } else {
    bool const is_tolerated = tolerates_other_types(function);
    make_move(material, step, blocks, is_tolerated ? shapes : Shapes::ints);
  }
  call.send.address = material.send.origin();
  call.recv.address = material.recv.origin();
}

void change_form(Call const& call, Side& side, Form const& form) {
  bool const is_w = call.function == Function::alltoallw;
  int const divisor = is_reduction(call.function) ? 1 : 2;
  side.type = form.type;
  side.count = side.count / divisor * form.items;
  side.item_bytes = form.stride / form.items;
  for (std::size_t i = 0; i < side.counts.size(); ++i) {
    side.counts[i] = side.counts[i] / divisor * form.items;
    int& place = side.displacements[i];
    long const element = is_w ? place / 8 : place / divisor;
    place = static_cast<int>(is_w ? element * form.stride : element * form.items);
  }
  for (MPI_Datatype& type : side.types) {
    type = form.type;
  }
}

Function Step::any_function(std::vector<Function> const& functions) {
  std::vector<Function> known;
  for (Function const function : functions) {
    if (plain_ends({kind, function, size()})) {
      known.push_back(function);
    }
  }
  Function const function = common.pick(known);
  may_go_on = plain_goes_on({kind, function, size()});
  if (!may_go_on) {
    comm = duplicate(*this);
  }
  return function;
}

}  // namespace bent
