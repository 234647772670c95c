// SPDX-License-Identifier: Apache-2.0

#include "shim/narrowing.hpp"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "shim/symbol.hpp"

namespace espalier::shim {
namespace {

// The MPI library may be one of another family, so nothing here comes from mpi.h.
using Ask = int(Handle, int*);

int answer(char const* function, Handle comm) noexcept {
  Ask* ask = nullptr;
  find_symbol(function, ask);
  int result = 0;
  ask(comm, &result);
  return result;
}

bool is_inter(Handle comm) noexcept {
  return answer("PMPI_Comm_test_inter", comm) != 0;
}

/// Ranks of the other group of an intercommunicator.
int num_ranks(Handle comm) noexcept {
  return answer(is_inter(comm) ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm);
}

/// MPI_ROOT is -3 or -4; MPI_PROC_NULL, as the root of an intercommunicator, is -1 or -2. Other
/// roots of these are ranks of the other group.
bool is_root(int root, Handle comm) noexcept {
  return root < 0 ? root < -2 : root == answer("PMPI_Comm_rank", comm) && !is_inter(comm);
}

bool is_in_place(void const* buffer) noexcept {
  auto const address = reinterpret_cast<std::intptr_t>(buffer);
  return address == -1 || address == 1;
}

int const* keep_for_ever(std::vector<int> list) {
  static std::mutex mutex;
  static auto* const lists = new std::set<std::vector<int>>();
  std::lock_guard const lock(mutex);
  return lists->insert(std::move(list)).first->data();
}

}  // namespace

int const* Narrowing::keep(std::vector<int> list) {
  return lists_stay_ == Lists::for_ever ? keep_for_ever(std::move(list))
                                        : lists_.emplace_back(std::move(list)).data();
}

int Narrowing::count(std::int64_t number) noexcept {
  auto const result = static_cast<int>(number);
  fits_ = fits_ && result == number;
  return result;
}

int const* Narrowing::list(void const* numbers) noexcept {
  return list_of(numbers, num_ranks(comm_));
}

int const* Narrowing::list_of_group(void const* numbers) noexcept {
  return list_of(numbers, answer("PMPI_Comm_size", comm_));
}

int const* Narrowing::list_of(void const* numbers, int num_ranks) noexcept {
  if (numbers == nullptr) {
    return nullptr;
  }
  std::vector<int> result(static_cast<std::size_t>(num_ranks));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::int64_t number = 0;
    std::memcpy(&number, static_cast<std::byte const*>(numbers) + i * sizeof number, sizeof number);
    result[i] = count(number);
  }
  return keep(std::move(result));
}

int const* Narrowing::list_at_root(void const* numbers, int root) noexcept {
  return is_root(root, comm_) ? list(numbers) : nullptr;
}

int const* Narrowing::list_unless_in_place(void const* numbers, void const* buffer) noexcept {
  return is_in_place(buffer) ? nullptr : list(numbers);
}

}  // namespace espalier::shim
