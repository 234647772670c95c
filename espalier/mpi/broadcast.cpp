// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/broadcast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "espalier/mpi/success.hpp"

namespace espalier::mpi {
namespace {

/// How many values there are, and the first of them: often all, so that one broadcast suffices.
struct Beginning {
  std::int64_t num_values = 0;
  std::array<std::byte, 1016> bytes{};
};

template <typename Values>
Values broadcast_as(MPI_Comm comm, Values values, int root, MPI_Datatype type) {
  constexpr std::size_t most = sizeof(Beginning::bytes) / sizeof(typename Values::value_type);
  Beginning beginning{.num_values = static_cast<std::int64_t>(values.size())};
  std::span const sent(values);
  std::ranges::copy(
      std::as_bytes(sent.first(std::min(sent.size(), most))), beginning.bytes.begin()
  );
  require_success(PMPI_Bcast(&beginning, sizeof beginning, MPI_BYTE, root, comm), "MPI_Bcast");
  values.resize(static_cast<std::size_t>(beginning.num_values));
  std::span const received(values);
  std::span<std::byte> const first =
      std::as_writable_bytes(received.first(std::min(received.size(), most)));
  std::copy_n(beginning.bytes.begin(), first.size(), first.begin());
  if (received.size() > most) {
    std::span const more = received.subspan(most);
    require_success(
        PMPI_Bcast(more.data(), static_cast<int>(more.size()), type, root, comm), "MPI_Bcast"
    );
  }
  return values;
}

}  // namespace

std::string broadcast(MPI_Comm comm, std::string text, int root) {
  return broadcast_as(comm, std::move(text), root, MPI_CHAR);
}

std::vector<int> broadcast(MPI_Comm comm, std::vector<int> values, int root) {
  return broadcast_as(comm, std::move(values), root, MPI_INT);
}

}  // namespace espalier::mpi
