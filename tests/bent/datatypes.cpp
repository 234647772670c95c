// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/datatypes.hpp"

namespace bent {
namespace {

/// Two integers at these places, with this lower bound and extent.
MPI_Datatype two_integers(MPI_Aint first, MPI_Aint second, MPI_Aint lower, MPI_Aint extent) {
  int const lengths[2] = {1, 1};
  MPI_Aint const places[2] = {first, second};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &inner);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(inner, lower, extent, &type);
  MPI_Type_free(&inner);
  return type;
}

}  // namespace

Form Datatypes::form(Shape shape, bool is_committed) {
  Form form{.type = MPI_DATATYPE_NULL, .items = 1, .stride = 16};
  switch (shape) {
  case Shape::ints:
    return {.type = MPI_INT, .items = 2, .stride = 8};
  case Shape::long_number:
    return {.type = MPI_LONG, .items = 1, .stride = 8};
  case Shape::bytes:
    return {.type = MPI_BYTE, .items = 8, .stride = 8};
  case Shape::pair:
    MPI_Type_contiguous(2, MPI_INT, &form.type);
    form.stride = 8;
    break;
  case Shape::spread:
    MPI_Type_vector(2, 1, 3, MPI_INT, &form.type);
    break;
  case Shape::padded:
    form.type = two_integers(0, 4, 0, 16);
    break;
  case Shape::negative:
    form.type = two_integers(-8, 4, -8, 16);
    break;
  case Shape::turned:
    form.type = two_integers(4, 0, 0, 8);
    form.stride = 8;
    break;
  }
  keep(form.type);
  if (is_committed) {
    MPI_Type_commit(&form.type);
  }
  return form;
}

Form Datatypes::any_form(Random& random) {
  return form(static_cast<Shape>(random.below(static_cast<int>(Shape::bytes) + 1)));
}

MPI_Datatype Datatypes::empty(Random& random) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &type);
  if (random.chance(50)) {
    MPI_Datatype const inner = type;
    MPI_Type_create_resized(inner, -4, 12, &type);
    keep(inner);
  }
  MPI_Type_commit(&type);
  return keep(type);
}

MPI_Datatype Datatypes::keep(MPI_Datatype type) {
  types_.push_back(type);
  return type;
}

void Datatypes::free() {
  for (MPI_Datatype& type : types_) {
    MPI_Type_free(&type);
  }
  types_.clear();
}

}  // namespace bent
