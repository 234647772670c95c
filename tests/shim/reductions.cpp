// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reductions with operators of MPI and of the user, commutative and not, on named and derived
/// types, against the fold in rank order.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/types.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

constexpr int untouched = -77;
constexpr int margin = 32;
constexpr int modulus = 101;

using Offsets = std::array<int, 4>;
using Element = std::array<int, 4>;

/// Elements of `width` integers, at the offsets of each extent.
struct Operation {
  std::string name;
  MPI_Op op;
  MPI_Datatype type;
  int width;
  Offsets offsets;
  int extent;
  /// right = left op right.
  void (*combine)(Element const& left, Element& right);
};

void add(Element const& left, Element& right) {
  right[0] += left[0];
}

void largest(Element const& left, Element& right) {
  right[0] = std::max(left[0], right[0]);
}

/// Value and place: the smallest value, the first place of it.
void smallest_place(Element const& left, Element& right) {
  if (left[0] < right[0] || (left[0] == right[0] && left[1] < right[1])) {
    right = left;
  }
}

/// Maps x -> a x + b, as one integer a * modulus + b: associative, not commutative.
void compose(Element const& left, Element& right) {
  int const a = left[0] / modulus * (right[0] / modulus) % modulus;
  int const b = (left[0] / modulus * (right[0] % modulus) + left[0] % modulus) % modulus;
  right[0] = a * modulus + b;
}

/// Products of 2 x 2 matrices.
void multiply(Element const& left, Element& right) {
  Element const r = right;
  right = {
      (left[0] * r[0] + left[1] * r[2]) % modulus,
      (left[0] * r[1] + left[1] * r[3]) % modulus,
      (left[2] * r[0] + left[3] * r[2]) % modulus,
      (left[2] * r[1] + left[3] * r[3]) % modulus,
  };
}

constexpr Offsets dense{0, 1, 2, 3};
constexpr Offsets gapped{0, 1, 3, 4};

/// What MPI calls: elements with this layout, one by one.
template <auto combine, int width, Offsets offsets, int extent>
void apply(void* left, void* right, int* count, MPI_Datatype*) {
  auto const* from = static_cast<int const*>(left);
  auto* to = static_cast<int*>(right);
  for (int e = 0; e < *count; ++e, from += extent, to += extent) {
    Element a{};
    Element b{};
    for (std::size_t i = 0; i < width; ++i) {
      a[i] = from[offsets[i]];
      b[i] = to[offsets[i]];
    }
    combine(a, b);
    for (std::size_t i = 0; i < width; ++i) {
      to[offsets[i]] = b[i];
    }
  }
}

MPI_Op made(MPI_User_function* function, bool is_commutative) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(function, is_commutative ? 1 : 0, &op);
  return op;
}

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

std::vector<Operation> make_operations() {
  MPI_Datatype matrix = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 2, 3, MPI_INT, &rows);
  MPI_Datatype matrix_with_gaps = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(rows, 0, 6 * sizeof(int), &matrix_with_gaps);
  MPI_Type_free(&rows);
  return {
      {"sum", MPI_SUM, MPI_INT, 1, dense, 1, add},
      {"max", MPI_MAX, MPI_INT, 1, dense, 1, largest},
      {"minloc", MPI_MINLOC, MPI_2INT, 2, dense, 2, smallest_place},
      {"own sum", made(apply<add, 1, dense, 1>, true), MPI_INT, 1, dense, 1, add},
      {"composition", made(apply<compose, 1, dense, 1>, false), MPI_INT, 1, dense, 1, compose},
      {
          "matrix product",
          made(apply<multiply, 4, dense, 4>, false),
          committed(matrix),
          4,
          dense,
          4,
          multiply,
      },
      {
          "product of matrices with gaps",
          made(apply<multiply, 4, gapped, 6>, false),
          committed(matrix_with_gaps),
          4,
          gapped,
          6,
          multiply,
      },
  };
}

void free_operations(std::vector<Operation>& operations) {
  for (Operation& operation : operations) {
    if (operation.name == "own sum" || operation.combine == compose ||
        operation.combine == multiply) {
      MPI_Op_free(&operation.op);
    }
    if (operation.combine == multiply) {
      MPI_Type_free(&operation.type);
    }
  }
}

Element value_of(Operation const& operation, int rank, int index) {
  Element element{};
  for (int i = 0; i < operation.width; ++i) {
    int const word = (rank + 1) * 7919 + index * 104729 + i * 31;
    element[static_cast<std::size_t>(i)] = word % (operation.width == 1 ? 10007 : modulus);
  }
  return element;
}

/// first op ... op last, at one index.
Element fold(Operation const& operation, int first, int last, int index) {
  Element result = value_of(operation, first, index);
  for (int rank = first + 1; rank <= last; ++rank) {
    Element right = value_of(operation, rank, index);
    operation.combine(result, right);
    result = right;
  }
  return result;
}

/// Memory for elements of an operation, with guards around it.
class Vector {
public:
  Vector(Operation const& operation, int num_elements)
      : operation_(&operation),
        memory_(static_cast<std::size_t>(num_elements * operation.extent + 2 * margin), untouched) {
  }

  [[nodiscard]] int* address() { return memory_.data() + margin; }

  void put(int index, Element const& element) {
    for (int i = 0; i < operation_->width; ++i) {
      address()[place(index, i)] = element[static_cast<std::size_t>(i)];
    }
  }

  void fill(int num_elements, int rank) {
    for (int i = 0; i < num_elements; ++i) {
      put(i, value_of(*operation_, rank, i));
    }
  }

  /// Elements 0 .. num_elements - 1 are the fold of ranks 0 .. last, from `first_index` on.
  void expect(int num_elements, int last, int first_index = 0) {
    for (int i = 0; i < num_elements; ++i) {
      put(i, fold(*operation_, 0, last, first_index + i));
    }
  }

  friend bool operator==(Vector const& a, Vector const& b) { return a.memory_ == b.memory_; }

private:
  [[nodiscard]] int place(int index, int i) const {
    return index * operation_->extent + operation_->offsets[static_cast<std::size_t>(i)];
  }

  Operation const* operation_;
  shim_test::Storage memory_;
};

struct Case {
  MPI_Comm comm;
  Operation const& operation;
  int count;
  bool in_place;

  [[nodiscard]] int size() const { return size_of(comm); }

  [[nodiscard]] int rank() const { return rank_of(comm); }

  /// A vector with the contribution of this rank.
  [[nodiscard]] Vector contribution() const {
    Vector own(operation, count);
    own.fill(count, rank());
    return own;
  }

  /// Where the result goes: the contribution is there already, or nothing.
  [[nodiscard]] Vector result() const {
    return in_place ? contribution() : Vector(operation, count);
  }

  void check(bool holds, std::string const& function) const {
    require(
        holds,
        function + (in_place ? " in place, " : ", ") + operation.name + ", " +
            std::to_string(count) + " elements"
    );
  }
};

void check_allreduce(Case const& c) {
  Vector own = c.contribution();
  Vector result = c.result();
  void const* const input = c.in_place ? MPI_IN_PLACE : own.address();
  MPI_Allreduce(input, result.address(), c.count, c.operation.type, c.operation.op, c.comm);
  Vector expected(c.operation, c.count);
  expected.expect(c.count, c.size() - 1);
  c.check(result == expected, "allreduce");
  c.check(own == c.contribution(), "allreduce, send buffer");
}

void check_reduce(Case const& c, int root) {
  bool const is_root = c.rank() == root;
  bool const in_place = c.in_place && is_root;
  Vector own = c.contribution();
  Vector result = in_place ? c.contribution() : Vector(c.operation, c.count);
  MPI_Reduce(
      in_place ? MPI_IN_PLACE : own.address(),
      is_root ? result.address() : nullptr,
      c.count,
      c.operation.type,
      c.operation.op,
      root,
      c.comm
  );
  Vector expected(c.operation, c.count);
  if (is_root) {
    expected.expect(c.count, c.size() - 1);
  }
  c.check(result == expected, "reduce to " + std::to_string(root));
  c.check(own == c.contribution(), "reduce, send buffer");
}

void check_scan(Case const& c) {
  Vector own = c.contribution();
  Vector result = c.result();
  void const* const input = c.in_place ? MPI_IN_PLACE : own.address();
  MPI_Scan(input, result.address(), c.count, c.operation.type, c.operation.op, c.comm);
  Vector expected(c.operation, c.count);
  expected.expect(c.count, c.rank());
  c.check(result == expected, "scan");
  c.check(own == c.contribution(), "scan, send buffer");
}

void check_exscan(Case const& c) {
  Vector own = c.contribution();
  Vector result = c.result();
  void const* const input = c.in_place ? MPI_IN_PLACE : own.address();
  MPI_Exscan(input, result.address(), c.count, c.operation.type, c.operation.op, c.comm);
  if (c.rank() > 0) {
    Vector expected(c.operation, c.count);
    expected.expect(c.count, c.rank() - 1);
    c.check(result == expected, "exscan");
  }
  c.check(own == c.contribution(), "exscan, send buffer");
}

/// Parts of different sizes, the first one empty where that leaves something.
void check_reduce_scatter(Case const& c) {
  std::vector<int> counts;
  int total = 0;
  int begin = 0;
  for (int r = 0; r < c.size(); ++r) {
    begin = r == c.rank() ? total : begin;
    counts.push_back(c.size() == 1 ? c.count : c.count * (r % 3) / 2);
    total += counts.back();
  }
  int const mine = counts[static_cast<std::size_t>(c.rank())];
  Vector own(c.operation, total);
  own.fill(total, c.rank());
  Vector result(c.operation, c.in_place ? total : mine);
  if (c.in_place) {
    result.fill(total, c.rank());
  }
  void const* const input = c.in_place ? MPI_IN_PLACE : own.address();
  MPI_Reduce_scatter(
      input, result.address(), counts.data(), c.operation.type, c.operation.op, c.comm
  );
  // In place, what lies behind the result may be anything.
  Vector expected = result;
  expected.expect(mine, c.size() - 1, begin);
  c.check(result == expected, "reduce_scatter");
}

void check_reduce_scatter_block(Case const& c) {
  int const total = c.size() * c.count;
  Vector own(c.operation, total);
  own.fill(total, c.rank());
  Vector result(c.operation, c.in_place ? total : c.count);
  if (c.in_place) {
    result.fill(total, c.rank());
  }
  void const* const input = c.in_place ? MPI_IN_PLACE : own.address();
  MPI_Reduce_scatter_block(
      input, result.address(), c.count, c.operation.type, c.operation.op, c.comm
  );
  Vector expected = result;
  expected.expect(c.count, c.size() - 1, c.rank() * c.count);
  c.check(result == expected, "reduce_scatter_block");
}

void check_all(MPI_Comm comm, std::vector<Operation> const& operations, int count) {
  for (Operation const& operation : operations) {
    for (bool const in_place : {false, true}) {
      Case const c{comm, operation, count, in_place};
      check_allreduce(c);
      for (int root = 0; root < std::min(c.size(), 3); ++root) {
        check_reduce(c, c.size() - 1 - root);
      }
      check_scan(c);
      check_exscan(c);
      check_reduce_scatter(c);
      check_reduce_scatter_block(c);
    }
  }
}

/// A named type whose elements have gaps.
void check_maxloc(MPI_Comm comm) {
  struct Pair {
    double value;
    int place;
  };

  int const rank = rank_of(comm);
  for (int i = 0; i < 3; ++i) {
    Pair const own[2] = {{1.5 * ((rank + i) % size_of(comm)), rank}, {-1.0, rank + 10}};
    Pair found[2] = {};
    MPI_Allreduce(own, found, 2, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    int const best = size_of(comm) - 1;
    require(found[0].value == 1.5 * best, "maxloc of double and int: value");
    require((found[0].place + i) % size_of(comm) == best, "maxloc of double and int: place");
    require(found[1].place == 10, "maxloc of double and int: smallest place of equal values");
  }
}

/// An operator that is freed makes room for another one, which may have the same handle.
void check_freed_operators(MPI_Comm comm) {
  for (int i = 0; i < 6; ++i) {
    bool const is_sum = i % 2 == 0;
    MPI_Op op =
        is_sum ? made(apply<add, 1, dense, 1>, true) : made(apply<compose, 1, dense, 1>, false);
    Operation const operation{
        is_sum ? "new sum" : "new composition", op, MPI_INT, 1, dense, 1, is_sum ? add : compose
    };
    check_allreduce({comm, operation, 9, false});
    check_scan({comm, operation, 9, true});
    MPI_Op_free(&op);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  std::vector<Operation> operations = make_operations();
  // The reduce_scatter_block of MPICH 4.0 mixes up elements with gaps if the operator does not
  // commute, which shows where such calls are handed over.
  if (argc > 1 && std::string(argv[1]) == "no_gaps") {
    MPI_Op_free(&operations.back().op);
    MPI_Type_free(&operations.back().type);
    operations.pop_back();
  }
  for (int const count : {0, 1, 6, 1000}) {
    check_all(MPI_COMM_WORLD, operations, count);
  }
  for (int i = 0; i < 3; ++i) {
    check_all(MPI_COMM_WORLD, operations, 12);
  }
  check_maxloc(MPI_COMM_WORLD);
  check_freed_operators(MPI_COMM_WORLD);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_of(MPI_COMM_WORLD), &reversed);
  check_all(reversed, operations, 5);
  MPI_Comm_free(&reversed);
  check_all(MPI_COMM_SELF, operations, 3);
  free_operations(operations);
  MPI_Finalize();
  return 0;
}
