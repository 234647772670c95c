// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/sysfs.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/cgroup.hpp"
#include "espalier/machine/text/file_text.hpp"
#include "espalier/machine/tree/numbers.hpp"

namespace espalier::machine {
namespace {

namespace fs = std::filesystem;

/// The number a file holds; -1 if it is missing, or holds none.
int number_in(fs::path const& path) {
  std::string text = file_text(path).value_or("");
  text.erase(text.find_last_not_of(" \n") + 1);
  return natural(text).value_or(-1);
}

/// The lowest processor of the list in a file: a name for what they share; -1 without a file.
int lowest_in(fs::path const& path) {
  CpuSet const cpus = CpuSet::parse(file_text(path).value_or(""));
  return cpus.empty() ? -1 : cpus.cpus().front();
}

int third_level_cache(fs::path const& cpu) {
  for (int index = 0;; ++index) {
    fs::path const cache = cpu / "cache" / ("index" + std::to_string(index));
    int const level = number_in(cache / "level");
    if (level < 0) {
      return -1;
    }
    if (level == 3) {
      return lowest_in(cache / "shared_cpu_list");
    }
  }
}

/// The NUMA node of each processor; of several, the one with the lowest number.
std::map<int, int> memories(fs::path const& folder) {
  std::map<int, int> memory_of;
  CpuSet const online = CpuSet::parse(file_text(folder / "online").value_or(""));
  for (int const number : online.cpus()) {
    fs::path const list = folder / ("node" + std::to_string(number)) / "cpulist";
    CpuSet const cpus = CpuSet::parse(file_text(list).value_or(""));
    for (int const cpu : cpus.cpus()) {
      memory_of.try_emplace(cpu, number);
    }
  }
  return memory_of;
}

Processor describe(int number, fs::path const& cpu, std::map<int, int> const& memory_of) {
  auto const memory = memory_of.find(number);
  int const core = lowest_in(cpu / "topology/thread_siblings_list");
  return {
      .os_number = number,
      .package = number_in(cpu / "topology/physical_package_id"),
      .numa = memory == memory_of.end() ? -1 : memory->second,
      .l3 = third_level_cache(cpu),
      .core = core < 0 ? number : core,
  };
}

}  // namespace

NodeTree read_sysfs(fs::path const& root) {
  fs::path const system = root / "sys/devices/system";
  Confinement const confinement = read_confinement(root);
  std::map<int, int> const memory_of = memories(system / "node");
  NodeTree tree{.source = "sysfs", .processors = {}};
  CpuSet const online = CpuSet::parse(file_text(system / "cpu/online").value_or(""));
  for (int const number : online.cpus()) {
    if (confinement.cpus.empty() || confinement.cpus.contains(number)) {
      fs::path const cpu = system / "cpu" / ("cpu" + std::to_string(number));
      tree.processors.push_back(describe(number, cpu, memory_of));
    } else {
      ++tree.num_disallowed;
    }
  }
  if (tree.processors.empty()) {
    throw Error(
        ErrorCode::io,
        "expected processors that may be used in " + (system / "cpu/online").string() +
            ", found none"
    );
  }
  tree.cpu_quota = confinement.cpu_quota;
  tree.is_container = confinement.is_container;
  return tree;
}

}  // namespace espalier::machine
