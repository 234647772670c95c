// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/kept_sizes.hpp"

#include <algorithm>
#include <string>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::plan {
namespace {

/// `the block from rank 3`.
std::string
name_of_size(KeptSizes::Kept const& kept, CommunicatorFacts const& facts, std::size_t index) {
  auto const i = static_cast<int>(index);
  if (profile::collective_of(kept.call) == algorithms::Collective::alltoall) {
    bool const is_sent = i < facts.num_ranks;
    return is_sent ? "the block to rank " + std::to_string(i)
                   : "the block from rank " + std::to_string(i - facts.num_ranks);
  }
  return "the part of rank " + std::to_string(facts.rank == kept.root ? i : facts.rank);
}

}  // namespace

KeptSizes::Kept const* KeptSizes::find(profile::Call call, int root) const noexcept {
  auto const found = std::ranges::find_if(kept_, [&](Kept const& one) {
    return one.call == call && one.root == root;
  });
  return found == kept_.end() ? nullptr : &*found;
}

std::size_t KeptSizes::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this) + kept_.capacity() * sizeof(Kept);
  for (Kept const& one : kept_) {
    total += one.agreed.program.memory_bytes() +
             (one.agreed.bytes.capacity() + one.own_bytes.capacity()) * sizeof(std::int64_t);
  }
  return total;
}

void throw_broken_promise(
    KeptSizes::Kept const& kept,
    CommunicatorFacts const& facts,
    std::size_t index,
    std::int64_t bytes
) {
  throw ClassError(
      MPI_ERR_COUNT,
      std::string(profile::function_name(kept.call)) + ": the program promised " +
          "espalier_fixed_sizes, but " + name_of_size(kept, facts, index) + " has " +
          std::to_string(bytes) + " bytes in place of " + std::to_string(kept.own_bytes[index])
  );
}

}  // namespace espalier::plan
