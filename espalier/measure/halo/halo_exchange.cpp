// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_exchange.hpp"

#include "espalier/measure/common/job.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// One block is floats as they are, which no library, and no simulator, packs.
exec::MpiType type_of(HaloMessage const& message) {
  if (message.num_blocks == 1) {
    return exec::MpiType::own(MPI_FLOAT);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::require_success(
      PMPI_Type_vector(message.num_blocks, message.block, message.stride, MPI_FLOAT, &type),
      "MPI_Type_vector"
  );
  return exec::MpiType::adopt(type);
}

/// A message has the tag of the side its receiver gets it from.
int tag_of(std::size_t dimension, std::size_t side) noexcept {
  return static_cast<int>(2 * dimension + side);
}

}  // namespace

HaloExchange::HaloExchange(MPI_Comm cart, HaloGeometry const& geometry, HaloMemory& memory)
    : cart_(cart), memory_(&memory), requests_(2 * geometry.messages.size(), MPI_REQUEST_NULL) {
  for (std::size_t d = 0; d < geometry.messages.size(); ++d) {
    std::array<int, 2> neighbors{};
    mpi::require_success(
        PMPI_Cart_shift(cart, static_cast<int>(d), 1, &neighbors[0], &neighbors[1]),
        "MPI_Cart_shift"
    );
    lines_.push_back(
        {.type = type_of(geometry.messages[d]),
         .count = geometry.messages[d].num_blocks == 1 ? geometry.messages[d].block : 1,
         .neighbors = neighbors,
         .offsets = {geometry.offset(d, 0), geometry.offset(d, 1)}}
    );
  }
}

int HaloExchange::run() noexcept {
  int code = receive_all();
  if (code == MPI_SUCCESS) {
    code = send_all();
  }
  first_side_ = 1 - first_side_;
  int const waited =
      PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  return code == MPI_SUCCESS ? waited : code;
}

int HaloExchange::receive_all() noexcept {
  std::size_t next = 0;
  for (std::size_t d = 0; d < lines_.size(); ++d) {
    Line const& line = lines_[d];
    for (std::size_t const side : {first_side_, 1 - first_side_}) {
      float* const into = memory_->received_at(line.offsets[side]);
      int const from = line.neighbors[side];
      int const code = PMPI_Irecv(
          into, line.count, line.type.get(), from, tag_of(d, side), cart_, &requests_[next]
      );
      if (code != MPI_SUCCESS) {
        return code;
      }
      ++next;
    }
  }
  return MPI_SUCCESS;
}

int HaloExchange::send_all() noexcept {
  for (std::size_t d = 0; d < lines_.size(); ++d) {
    Line const& line = lines_[d];
    for (std::size_t const side : {first_side_, 1 - first_side_}) {
      float const* const from = memory_->sent_at(line.offsets[side]);
      int const to = line.neighbors[side];
      int const code = PMPI_Send(from, line.count, line.type.get(), to, tag_of(d, 1 - side), cart_);
      if (code != MPI_SUCCESS) {
        return code;
      }
    }
  }
  return MPI_SUCCESS;
}

}  // namespace espalier::measure
