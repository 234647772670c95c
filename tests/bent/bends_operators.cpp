// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/bends.hpp"
#include "tests/bent/operators.hpp"

namespace bent {
namespace {

std::vector<Function> reductions() {
  std::vector<Function> functions;
  for (Function const function : all_functions()) {
    if (is_reduction(function)) {
      functions.push_back(function);
    }
  }
  return functions;
}

Operation any_operation(Random& random) {
  return static_cast<Operation>(random.below(static_cast<int>(Operation::left) + 1));
}

/// MPI_2INT or a derived type; both are frequent in programs.
Form any_form(Datatypes& datatypes, Shape shape) {
  if (shape == Shape::ints) {
    return {.type = MPI_2INT, .items = 1, .stride = 8};
  }
  return datatypes.form(shape);
}

Shape any_shape(Random& random) {
  return random.pick<Shape>(
      {Shape::ints, Shape::pair, Shape::spread, Shape::padded, Shape::negative, Shape::turned}
  );
}

void reduce_once(Step& step, Function function) {
  Material material;
  Shape const shape = any_shape(step.common);
  // Open MPI's ring and some of MPICH's algorithms crash for long vectors with negative bounds.
  make_right(material, step, function, Shapes::ints, shape == Shape::negative ? 60 : 3000);
  Form const form = any_form(material.datatypes, shape);
  expect_elements(shape, form);
  change_form(material.call, material.call.send, form);
  material.call.op = make_operator(any_operation(step.common));
  bool const is_in_place = step.common.chance(20) && function == Function::allreduce;
  if (is_in_place) {
    material.call.send.address = MPI_IN_PLACE;
  }
  perform(step, material, false);
  MPI_Op_free(&material.call.op);
}

}  // namespace

/// Operators of the user on types with and without gaps; they must get the type of the call.
void operators(Step& step) {
  reduce_once(step, step.any_function(reductions()));
  report_number(step, "strange_types", num_strange_types());
}

/// Handles that were freed come again and mean something else.
void handles(Step& step) {
  Function const function = step.any_function(reductions());
  for (int i = 0; i < 3; ++i) {
    reduce_once(step, function);
  }
  Random const again = step.common;
  for (int i = 0; i < 3; ++i) {
    step.common = again;
    Material material;
    make_right(material, step, Function::allgather, Shapes::ints, 9);
    Shape const shape = static_cast<Shape>(1 + (i + static_cast<int>(function)) % 5);
    change_form(material.call, material.call.recv, material.datatypes.form(shape));
    perform(step, material, true);
  }
}

}  // namespace bent
