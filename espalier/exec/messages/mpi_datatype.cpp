// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_datatype.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "espalier/mpi/large_counts.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::exec {
namespace {

/// Longest run that one entry of a derived type counts; a multiple of every basic alignment.
constexpr std::int64_t longest_run = std::int64_t{1} << 30;

/// How a type was made, and what it was made from.
struct Envelope {
  MPI_Count num_integers = 0;
  MPI_Count num_addresses = 0;
  MPI_Count num_large_counts = 0;
  MPI_Count num_types = 0;
  int combiner = 0;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope result;
#if MPI_VERSION >= 4
  // Of types that were made with large counts, the other function says nothing.
  if (mpi::has_large_counts()) {
    mpi::require_success(
        PMPI_Type_get_envelope_c(
            type,
            &result.num_integers,
            &result.num_addresses,
            &result.num_large_counts,
            &result.num_types,
            &result.combiner
        ),
        "MPI_Type_get_envelope_c"
    );
    return result;
  }
#endif
  int num_integers = 0;
  int num_addresses = 0;
  int num_types = 0;
  mpi::require_success(
      PMPI_Type_get_envelope(type, &num_integers, &num_addresses, &num_types, &result.combiner),
      "MPI_Type_get_envelope"
  );
  result.num_integers = num_integers;
  result.num_addresses = num_addresses;
  result.num_types = num_types;
  return result;
}

int combiner_of(MPI_Datatype type) {
  return envelope_of(type).combiner;
}

/// Room for so many; an address also of none.
template <typename Value> std::vector<Value> room_for(MPI_Count number) {
  return std::vector<Value>(static_cast<std::size_t>(number) + 1);
}

std::vector<MPI_Datatype> contents_of(MPI_Datatype type, Envelope const& envelope) {
  auto integers = room_for<int>(envelope.num_integers);
  auto addresses = room_for<MPI_Aint>(envelope.num_addresses);
  auto types = room_for<MPI_Datatype>(envelope.num_types);
  types.pop_back();
#if MPI_VERSION >= 4
  if (envelope.num_large_counts > 0) {
    auto large_counts = room_for<MPI_Count>(envelope.num_large_counts);
    mpi::require_success(
        PMPI_Type_get_contents_c(
            type,
            envelope.num_integers,
            envelope.num_addresses,
            envelope.num_large_counts,
            envelope.num_types,
            integers.data(),
            addresses.data(),
            large_counts.data(),
            types.data()
        ),
        "MPI_Type_get_contents_c"
    );
    return types;
  }
#endif
  mpi::require_success(
      PMPI_Type_get_contents(
          type,
          static_cast<int>(envelope.num_integers),
          static_cast<int>(envelope.num_addresses),
          static_cast<int>(envelope.num_types),
          integers.data(),
          addresses.data(),
          types.data()
      ),
      "MPI_Type_get_contents"
  );
  return types;
}

/// The types that a derived type was made from.
std::vector<MpiType> inner_types(MPI_Datatype type) {
  std::vector<MpiType> result;
  for (MPI_Datatype const inner : contents_of(type, envelope_of(type))) {
    result.push_back(MpiType::own(inner));
  }
  return result;
}

bool is_predefined(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER || combiner == MPI_COMBINER_F90_REAL;
}

/// The type of all basic elements; none if there are several or it has padding.
MPI_Datatype basic_type(MPI_Datatype type) {
  if (is_predefined(combiner_of(type))) {
    MPI_Count size = 0;
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    mpi::require_success(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
    mpi::require_success(
        PMPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x"
    );
    return size == extent ? type : MPI_DATATYPE_NULL;
  }
  MPI_Datatype result = MPI_DATATYPE_NULL;
  for (MpiType const& inner : inner_types(type)) {
    MPI_Datatype const basic = basic_type(inner.get());
    bool const is_other = result != MPI_DATATYPE_NULL && basic != result;
    if (basic == MPI_DATATYPE_NULL || is_other) {
      return MPI_DATATYPE_NULL;
    }
    result = basic;
  }
  return result;
}

bool is_gapless(MPI_Datatype type, TypeShape const& shape) {
  if (shape.size_bytes != shape.extent_bytes || shape.lower_bound_bytes != 0) {
    return false;
  }
  int const combiner = combiner_of(type);
  if (combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS) {
    return describe(inner_types(type).front().get()).is_gapless;
  }
  return is_predefined(combiner);
}

/// The same runs, none longer than longest_run.
std::vector<Piece>
shortened(std::span<Piece const> pieces, std::span<MPI_Datatype const> elements) {
  std::vector<Piece> result;
  result.reserve(pieces.size());
  for (Piece const& piece : pieces) {
    if (piece.num_elements <= longest_run && piece.num_repeats <= longest_run) {
      result.push_back(piece);
      continue;
    }
    std::int64_t const extent_bytes =
        describe(elements[static_cast<std::size_t>(piece.type)]).extent_bytes;
    for_each_run({&piece, 1}, [&](std::int64_t offset_bytes, std::int64_t num_elements) {
      for (std::int64_t done = 0; done < num_elements; done += longest_run) {
        result.push_back({
            .offset_bytes = offset_bytes + done * extent_bytes,
            .num_elements = std::min(longest_run, num_elements - done),
            .type = piece.type,
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
    is_mixed_ = is_mixed_ || piece.num_repeats > 1 || piece.type != 0;
    if (piece.num_repeats == 1) {
      counts_.push_back(static_cast<int>(piece.num_elements));
      types_.push_back(element);
      return;
    }
    MPI_Datatype comb = MPI_DATATYPE_NULL;
    mpi::require_success(
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
    if (is_mixed_) {
      mpi::require_success(
          PMPI_Type_create_struct(size, counts_.data(), addresses_.data(), types_.data(), &type),
          "MPI_Type_create_struct"
      );
    } else {
      mpi::require_success(
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
  bool is_mixed_ = false;  ///< not all entries are elements of kind 0
};

}  // namespace

TypeShape describe(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Count lower_bound = 0;
  MPI_Count extent = 0;
  MPI_Count true_lower_bound = 0;
  MPI_Count true_extent = 0;
  mpi::require_success(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
  mpi::require_success(
      PMPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x"
  );
  mpi::require_success(
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
  shape.is_mixed = !shape.is_gapless && basic_type(type) == MPI_DATATYPE_NULL;
  return shape;
}

bool is_named(MPI_Datatype type) {
  return combiner_of(type) == MPI_COMBINER_NAMED;
}

MpiType MpiType::duplicate(MPI_Datatype type) {
  if (is_named(type)) {
    return {type, false};
  }
  // Not MPI_Type_dup, which calls the copy functions of the user's attributes.
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  mpi::require_success(PMPI_Type_contiguous(1, type, &copy), "MPI_Type_contiguous");
  return adopt(copy);
}

MpiType MpiType::adopt(MPI_Datatype type) {
  MpiType owner(type, true);
  mpi::require_success(PMPI_Type_commit(&owner.type_), "MPI_Type_commit");
  return owner;
}

MpiType MpiType::own(MPI_Datatype type) {
  return {type, !is_predefined(combiner_of(type))};
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

MpiType make_type(std::span<Piece const> pieces, std::span<MPI_Datatype const> elements) {
  StructType maker;
  for (Piece const& piece : shortened(pieces, elements)) {
    maker.add(piece, elements[static_cast<std::size_t>(piece.type)]);
  }
  return MpiType::adopt(maker.make(elements.front()));
}

}  // namespace espalier::exec
