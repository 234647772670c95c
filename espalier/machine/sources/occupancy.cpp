// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/occupancy.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/cpu_set.hpp"

namespace espalier::machine {
namespace {

/// 0 if the system does not say.
int count_online(std::filesystem::path const& root) {
  std::ifstream file(root / "sys/devices/system/cpu/online");
  std::string list;
  file >> list;
  try {
    return CpuSet::parse(list).size();
  } catch (Error const&) {
    return 0;
  }
}

/// The ranks of one kernel.
struct Kernel {
  int num_ranks = 0;
  int num_online = 0;
  std::map<std::uint64_t, int> sizes;  ///< of different sets

  [[nodiscard]] Occupancy occupancy() const {
    int num_processors = 0;
    for (auto const& [set, size] : sizes) {
      num_processors += size;
    }
    return {
        .num_ranks = num_ranks,
        .num_processors = num_online > 0 ? std::min(num_processors, num_online) : num_processors,
    };
  }
};

bool is_fuller(Occupancy const& one, Occupancy const& other) {
  return std::int64_t{one.num_ranks} * other.num_processors >
         std::int64_t{other.num_ranks} * one.num_processors;
}

}  // namespace

std::string kernel_id(std::filesystem::path const& root) {
  std::ifstream file(root / "proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

ProcessorsOfRank processors_of_rank(std::filesystem::path const& root) {
  CpuSet const allowed = CpuSet::allowed_here();
  int const num_online = count_online(root);
  constexpr std::hash<std::string> number;
  return {
      .kernel = number(kernel_id(root)),
      .set = number(allowed.text()),
      .num = allowed.empty() ? num_online : allowed.size(),
      .num_online = num_online,
  };
}

Occupancy fullest(std::span<ProcessorsOfRank const> ranks) {
  std::map<std::uint64_t, Kernel> kernels;
  for (ProcessorsOfRank const& rank : ranks) {
    if (rank.num <= 0) {
      return {};
    }
    Kernel& kernel = kernels[rank.kernel];
    ++kernel.num_ranks;
    kernel.num_online = std::max(kernel.num_online, rank.num_online);
    kernel.sizes[rank.set] = rank.num;
  }
  Occupancy result;
  for (auto const& [id, kernel] : kernels) {
    Occupancy const occupancy = kernel.occupancy();
    if (result.num_processors == 0 || is_fuller(occupancy, result)) {
      result = occupancy;
    }
  }
  return result;
}

}  // namespace espalier::machine
