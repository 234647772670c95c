// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/operators.hpp"

#include <cstring>

namespace bent {
namespace {

struct Layout {
  MPI_Datatype type = MPI_INT;
  long first = 0;
  long second = 4;
  long stride = 8;
  long strange = 0;
};

Layout layout;

struct Pair {
  unsigned a;
  unsigned b;
};

Pair load(unsigned char const* element) {
  Pair pair{};
  std::memcpy(&pair.a, element + layout.first, sizeof pair.a);
  std::memcpy(&pair.b, element + layout.second, sizeof pair.b);
  return pair;
}

void store(unsigned char* element, Pair pair) {
  std::memcpy(element + layout.first, &pair.a, sizeof pair.a);
  std::memcpy(element + layout.second, &pair.b, sizeof pair.b);
}

template <typename Combine>
void for_each_element(void* left, void* right, int count, MPI_Datatype type, Combine combine) {
  layout.strange += type == layout.type ? 0 : 1;
  auto* const lefts = static_cast<unsigned char*>(left);
  auto* const rights = static_cast<unsigned char*>(right);
  for (long i = 0; i < count; ++i) {
    long const place = i * layout.stride;
    store(rights + place, combine(load(lefts + place), load(rights + place)));
  }
}

void sum(void* left, void* right, int* count, MPI_Datatype* type) {
  for_each_element(left, right, *count, *type, [](Pair x, Pair y) {
    return Pair{.a = x.a + y.a, .b = x.b + y.b};
  });
}

void affine(void* left, void* right, int* count, MPI_Datatype* type) {
  for_each_element(left, right, *count, *type, [](Pair x, Pair y) {
    return Pair{.a = x.a * y.a, .b = (x.b * y.a) + y.b};
  });
}

void leftmost(void* left, void* right, int* count, MPI_Datatype* type) {
  for_each_element(left, right, *count, *type, [](Pair x, Pair /*y*/) { return x; });
}

}  // namespace

void expect_elements(Shape shape, Form const& form) {
  layout = {.type = form.type, .stride = form.stride};
  if (shape == Shape::spread) {
    layout.second = 12;
  } else if (shape == Shape::negative) {
    layout.first = -8;
  } else if (shape == Shape::turned) {
    layout.first = 4;
    layout.second = 0;
  }
}

long num_strange_types() {
  return layout.strange;
}

MPI_Op make_operator(Operation operation) {
  MPI_Op op = MPI_OP_NULL;
  switch (operation) {
  case Operation::sum:
    MPI_Op_create(sum, 1, &op);
    break;
  case Operation::affine:
    MPI_Op_create(affine, 0, &op);
    break;
  case Operation::left:
    MPI_Op_create(leftmost, 0, &op);
    break;
  }
  return op;
}

}  // namespace bent
