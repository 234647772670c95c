// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_datatype.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"

namespace espalier::exec {
namespace {

/// Longest run that one entry of a derived type counts; a multiple of every basic alignment.
constexpr std::int64_t longest_run = std::int64_t{1} << 30;

int combiner_of(MPI_Datatype type) {
  int num_integers = 0;
  int num_addresses = 0;
  int num_types = 0;
  int combiner = 0;
  require_success(
      PMPI_Type_get_envelope(type, &num_integers, &num_addresses, &num_types, &combiner),
      "MPI_Type_get_envelope"
  );
  return combiner;
}

/// The type that a `dup` or `contiguous` was made from.
MpiType inner_type(MPI_Datatype type, int num_integers) {
  std::array<int, 1> integers{};
  std::array<MPI_Aint, 1> addresses{};
  std::array<MPI_Datatype, 1> types{MPI_DATATYPE_NULL};
  require_success(
      PMPI_Type_get_contents(
          type, num_integers, 0, 1, integers.data(), addresses.data(), types.data()
      ),
      "MPI_Type_get_contents"
  );
  return MpiType::own(types[0]);
}

bool is_gapless(MPI_Datatype type, TypeShape const& shape) {
  if (shape.size_bytes != shape.extent_bytes || shape.lower_bound_bytes != 0) {
    return false;
  }
  switch (combiner_of(type)) {
  case MPI_COMBINER_NAMED:
  case MPI_COMBINER_F90_COMPLEX:
  case MPI_COMBINER_F90_INTEGER:
  case MPI_COMBINER_F90_REAL:
    return true;
  case MPI_COMBINER_DUP:
    return describe(inner_type(type, 0).get()).is_gapless;
  case MPI_COMBINER_CONTIGUOUS:
    return describe(inner_type(type, 1).get()).is_gapless;
  default:
    return false;
  }
}

/// The same runs, none longer than longest_run.
std::vector<Piece> shortened(std::span<Piece const> pieces, std::int64_t extent_bytes) {
  std::vector<Piece> result;
  result.reserve(pieces.size());
  for (Piece const& piece : pieces) {
    if (piece.num_elements <= longest_run && piece.num_repeats <= longest_run) {
      result.push_back(piece);
      continue;
    }
    for_each_run({&piece, 1}, [&](std::int64_t offset_bytes, std::int64_t num_elements) {
      for (std::int64_t done = 0; done < num_elements; done += longest_run) {
        result.push_back({
            .offset_bytes = offset_bytes + done * extent_bytes,
            .num_elements = std::min(longest_run, num_elements - done),
        });
      }
    });
  }
  return result;
}

/// Arguments of MPI_Type_create_struct, one entry for each piece.
class StructType {
public:
  void add(Piece const& piece, MPI_Datatype element) {
    addresses_.push_back(static_cast<MPI_Aint>(piece.offset_bytes));
    if (piece.num_repeats == 1) {
      counts_.push_back(static_cast<int>(piece.num_elements));
      types_.push_back(element);
      return;
    }
    has_repeats_ = true;
    MPI_Datatype comb = MPI_DATATYPE_NULL;
    require_success(
        PMPI_Type_create_hvector(
            static_cast<int>(piece.num_repeats),
            static_cast<int>(piece.num_elements),
            static_cast<MPI_Aint>(piece.stride_bytes),
            element,
            &comb
        ),
        "MPI_Type_create_hvector"
    );
    combs_.push_back(MpiType::own(comb));
    counts_.push_back(1);
    types_.push_back(comb);
  }

  [[nodiscard]] MPI_Datatype make(MPI_Datatype element) const {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    auto const size = static_cast<int>(counts_.size());
    if (has_repeats_) {
      require_success(
          PMPI_Type_create_struct(size, counts_.data(), addresses_.data(), types_.data(), &type),
          "MPI_Type_create_struct"
      );
    } else {
      require_success(
          PMPI_Type_create_hindexed(size, counts_.data(), addresses_.data(), element, &type),
          "MPI_Type_create_hindexed"
      );
    }
    return type;
  }

private:
  std::vector<int> counts_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
  std::vector<MpiType> combs_;
  bool has_repeats_ = false;
};

}  // namespace

TypeShape describe(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Count lower_bound = 0;
  MPI_Count extent = 0;
  MPI_Count true_lower_bound = 0;
  MPI_Count true_extent = 0;
  require_success(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
  require_success(PMPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x");
  require_success(
      PMPI_Type_get_true_extent_x(type, &true_lower_bound, &true_extent),
      "MPI_Type_get_true_extent_x"
  );
  TypeShape shape{
      .size_bytes = size,
      .lower_bound_bytes = lower_bound,
      .extent_bytes = extent,
      .true_lower_bound_bytes = true_lower_bound,
      .true_extent_bytes = true_extent,
  };
  shape.is_gapless = is_gapless(type, shape);
  return shape;
}

MpiType MpiType::duplicate(MPI_Datatype type) {
  if (combiner_of(type) == MPI_COMBINER_NAMED) {
    return {type, false};
  }
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  require_success(PMPI_Type_dup(type, &copy), "MPI_Type_dup");
  return adopt(copy);
}

MpiType MpiType::adopt(MPI_Datatype type) {
  MpiType owner(type, true);
  require_success(PMPI_Type_commit(&owner.type_), "MPI_Type_commit");
  return owner;
}

MpiType MpiType::own(MPI_Datatype type) {
  int const combiner = combiner_of(type);
  bool const is_predefined =
      combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_COMPLEX ||
      combiner == MPI_COMBINER_F90_INTEGER || combiner == MPI_COMBINER_F90_REAL;
  return {type, !is_predefined};
}

MpiType::MpiType(MpiType&& other) noexcept
    : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)),
      is_owned_(std::exchange(other.is_owned_, false)) {}

MpiType& MpiType::operator=(MpiType&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(is_owned_, other.is_owned_);
  return *this;
}

MpiType::~MpiType() {
  if (is_owned_) {
    PMPI_Type_free(&type_);
  }
}

MpiType make_type(std::span<Piece const> pieces, MPI_Datatype element) {
  StructType maker;
  for (Piece const& piece : shortened(pieces, describe(element).extent_bytes)) {
    maker.add(piece, element);
  }
  return MpiType::adopt(maker.make(element));
}

void require_success(int code, char const* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  throw Error(
      ErrorCode::mpi,
      std::string(call) + " must succeed, got '" +
          std::string(text.data(), static_cast<std::size_t>(length)) + "'"
  );
}

}  // namespace espalier::exec
