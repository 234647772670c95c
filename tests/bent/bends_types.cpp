// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/bends.hpp"
#include "tests/bent/operators.hpp"

namespace bent {
namespace {

std::vector<Function> moving_functions() {
  std::vector<Function> functions;
  for (Function const function : all_functions()) {
    if (!is_reduction(function) && function != Function::barrier) {
      functions.push_back(function);
    }
  }
  return functions;
}

std::vector<Function> functions_with_data() {
  std::vector<Function> functions = all_functions();
  std::erase(functions, Function::barrier);
  return functions;
}

bool has_nothing(Side const& side) {
  for (int const count : side.counts) {
    if (count != 0) {
      return false;
    }
  }
  return side.has_lists() || side.count == 0;
}

/// No type where there are no elements.
void forget_type(Side& side) {
  if (has_nothing(side)) {
    side.type = MPI_DATATYPE_NULL;
  }
  for (std::size_t i = 0; i < side.types.size(); ++i) {
    if (side.counts[i] == 0) {
      side.types[i] = MPI_DATATYPE_NULL;
    }
  }
}

/// What MPI must not look at.
void spoil(Side& side) {
  side.address = nullptr;
  side.count = -1;
  side.type = MPI_DATATYPE_NULL;
  side.without_lists = true;
}

/// One form on all ranks for the sides chosen: 0 both, 1 sent, 2 received. A reduction gets an
/// operator, which the caller frees.
void use_form(Step& step, Call& call, Form const& form, Shape shape, int sides) {
  if (is_reduction(call.function)) {
    expect_elements(shape, form);
    call.op = make_operator(step.common.chance(50) ? Operation::sum : Operation::affine);
    change_form(call, call.send, form);
    return;
  }
  if (sides != 2 || call.function == Function::bcast) {
    change_form(call, call.send, form);
  }
  if (sides != 1) {
    change_form(call, call.recv, form);
  }
}

void free_operator(Call& call) {
  if (is_reduction(call.function) && call.op != MPI_OP_NULL) {
    MPI_Op_free(&call.op);
  }
}

Shape any_derived_shape(Random& random) {
  return random.pick<Shape>(
      {Shape::pair, Shape::spread, Shape::padded, Shape::negative, Shape::turned}
  );
}

/// Sides so chosen that all ranks have an uncommitted type: others would wait.
int bent_sides(Step& step, Function function) {
  int const sides = step.common.below(3);
  if (function == Function::scatter || function == Function::scatterv) {
    return 0;
  }
#ifdef OPEN_MPI
  // Crashes if it is the received type only, which is not looked at.
  return sides == 2 ? 1 : sides;
#else
  bool const is_to_root = function == Function::gather || function == Function::gatherv;
  return is_to_root && sides == 2 ? 1 : sides;
#endif
}

struct Copies {
  long count = 0;
  bool fails = false;
};

int on_copy(MPI_Datatype, int, void* state, void* from, void* to, int* is_copied) {
  auto* const copies = static_cast<Copies*>(state);
  ++copies->count;
  *static_cast<void**>(to) = from;
  *is_copied = 1;
  return copies->fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

}  // namespace

void null_types(Step& step) {
  Material material;
  // Small: many blocks have nothing.
  int const max_elements = step.common.below(4);
  Function const function = step.any_function(moving_functions());
  make_right(material, step, function, Shapes::ints, max_elements);
  Call& call = material.call;
  int const how = step.common.below(3);
  // Both libraries refuse a null type without elements on the ranks that have it; in these calls
  // others would wait for them. Of Alltoallw it is enough that all ranks have one.
  bool const is_lonely = function == Function::allgatherv || function == Function::alltoallv ||
                         function == Function::scatterv;
  if (function == Function::alltoallw) {
    auto const own = static_cast<std::size_t>(step.rank());
    call.send.counts[own] = 0;
    call.recv.counts[own] = 0;
  }
  if (how != 1 && (!is_lonely || max_elements == 0)) {
    forget_type(call.send);
    forget_type(call.recv);
  }
  if (how != 0 && !call.sends(step.rank())) {
    spoil(call.send);
  }
  if (how != 0 && !call.receives(step.rank()) && call.function != Function::bcast) {
    spoil(call.recv);
  }
  perform(step, material, false);
  go_on(step, step.common.below(2));
}

/// Any number of items of a type without data. Where both libraries return early from a call
/// without elements no rank has 0 of them.
void empty_types(Step& step) {
  Material material;
  make_right(material, step, step.any_function(moving_functions()), Shapes::ints, 0);
  Call& call = material.call;
  for (Side* const side : {&call.send, &call.recv}) {
    bool const is_list =
        call.function == Function::alltoallv || call.function == Function::alltoallw;
    bool const has_data_type = step.own.chance(30) && is_list;
    Form const form{.type = material.datatypes.empty(step.own), .items = 1, .stride = 8};
    if (has_data_type) {
      continue;
    }
    change_form(call, *side, form);
    int const least = is_list ? 0 : 1;
    side->count = least + step.own.below(3);
    for (int& count : side->counts) {
      count = least + step.own.below(3);
    }
  }
  perform(step, material, false);
  go_on(step, step.common.below(2));
}

void mixed_types(Step& step) {
  Material material;
  make_right(material, step, step.any_function(functions_with_data()), Shapes::wild, 3000);
  Call& call = material.call;
  if (call.send.type == MPI_LONG && is_reduction(call.function)) {
    call.send.type = step.own.pick<MPI_Datatype>({MPI_LONG, MPI_LONG_LONG, MPI_INT64_T});
  }
  perform(step, material, true);
}

void uncommitted(Step& step) {
  Material material;
  make_right(material, step, step.any_function(functions_with_data()), Shapes::ints, 500);
  Shape const shape = any_derived_shape(step.common);
  Form const form = material.datatypes.form(shape, false);
  Function const function = material.call.function;
  use_form(step, material.call, form, shape, bent_sides(step, function));
  perform(step, material, false);
  free_operator(material.call);
  go_on(step, step.common.below(3));
}

/// Attributes of a datatype are nobody's but the program's.
void attributes(Step& step) {
  Copies copies{.fails = step.common.chance(60)};
  int key = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(on_copy, MPI_TYPE_NULL_DELETE_FN, &key, &copies);
  int value = 0;
  {
    Material material;
    make_right(material, step, step.any_function(functions_with_data()), Shapes::ints, 3000);
    Shape const shape = any_derived_shape(step.common);
    Form const form = material.datatypes.form(shape);
    MPI_Type_set_attr(form.type, key, &value);
    use_form(step, material.call, form, shape, step.common.below(3));
    for (int i = step.common.below(2); i >= 0; --i) {
      perform(step, material, false);
    }
    MPI_Type_delete_attr(form.type, key);
    free_operator(material.call);
  }
  MPI_Type_free_keyval(&key);
  report_number(step, "copies", copies.count);
}

}  // namespace bent
