// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_exchange.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"

namespace espalier::onesided {
namespace {

/// How a contact travels: these two numbers, address, key.
struct Head {
  std::uint64_t base = 0;
  std::uint64_t address_bytes = 0;
};

std::vector<std::byte> packed(UcxContact const& contact) {
  Head const head{.base = contact.base, .address_bytes = contact.address.size()};
  auto const bytes = std::as_bytes(std::span(&head, 1));
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  all.insert(all.end(), contact.address.begin(), contact.address.end());
  all.insert(all.end(), contact.key.begin(), contact.key.end());
  return all;
}

UcxContact unpacked(std::span<std::byte const> all) {
  Head head;
  std::memcpy(&head, all.data(), sizeof head);
  auto const address = all.subspan(sizeof head, head.address_bytes);
  auto const key = all.subspan(sizeof head + head.address_bytes);
  return {
      .base = head.base,
      .address = {address.begin(), address.end()},
      .key = {key.begin(), key.end()},
  };
}

}  // namespace

std::vector<UcxContact> exchange_contacts(MPI_Comm comm, UcxContact const& own) {
  std::vector<std::byte> const mine = packed(own);
  std::vector<std::uint64_t> const sizes = gather_all(comm, mine.size());
  std::uint64_t const sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (sum > std::uint64_t{std::numeric_limits<int>::max()}) {
    throw Error(
        ErrorCode::unsupported,
        formatted("expected addresses of UCX that an int counts, got {} bytes", sum)
    );
  }
  std::vector<int> const counts(sizes.begin(), sizes.end());
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<std::byte> all(sum);
  mpi::require_success(
      PMPI_Allgatherv(
          mine.data(),
          static_cast<int>(mine.size()),
          MPI_BYTE,
          all.data(),
          counts.data(),
          begins.data(),
          MPI_BYTE,
          comm
      ),
      "MPI_Allgatherv"
  );
  std::vector<UcxContact> contacts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    contacts.push_back(
        unpacked(std::span(all).subspan(static_cast<std::size_t>(begins[i]), sizes[i]))
    );
  }
  return contacts;
}

/// Nodes are named by the rank that comes first on them.
std::vector<bool> find_neighbors(MPI_Comm comm) {
  int rank = 0;
  mpi::require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::vector<int> const first = ranks_of_node(comm).from_root(std::vector<int>{rank});
  auto const node = static_cast<std::uint64_t>(first.front());
  std::vector<bool> result;
  for (std::uint64_t const other : gather_all(comm, node)) {
    result.push_back(other == node);
  }
  return result;
}

}  // namespace espalier::onesided
