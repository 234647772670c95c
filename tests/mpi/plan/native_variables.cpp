// SPDX-License-Identifier: Apache-2.0

/// @file
/// Control variables: the registry of Open MPI says what MPI_T says, and a number that one of them
/// writes is read by the other.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "espalier/plan/native_algorithms/control_variable.hpp"
#include "espalier/plan/native_algorithms/variable_source.hpp"
#include "espalier/profile/call.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using plan::ControlVariable;
using plan::VariableSource;

bool is_same(ControlVariable const& left, ControlVariable const& right) {
  auto const is_same_value = [](ControlVariable::Value const& one, auto const& other) {
    return one.name == other.name && one.number == other.number;
  };
  return left.name() == right.name() && left.description() == right.description() &&
         left.is_writable() == right.is_writable() && left.read() == right.read() &&
         std::ranges::equal(left.values(), right.values(), is_same_value);
}

std::vector<std::string> names() {
  std::vector<std::string> names{"coll_tuned_use_dynamic_rules", "coll_tuned_priority"};
  for (profile::Call const call : profile::all_calls) {
    std::string const start = "coll_tuned_" + std::string(profile::to_string(call)) + "_algorithm";
    for (char const* const end : {"", "_segmentsize", "_tree_fanout", "_chain_fanout"}) {
      names.push_back(start + end);
    }
  }
  return names;
}

void check_descriptions(VariableSource& registry, VariableSource& tools, Checks& checks) {
  int num_writable = 0;
  for (std::string const& name : names()) {
    std::optional<ControlVariable> const ours = registry.find(name);
    std::optional<ControlVariable> const known = tools.find(name);
    checks.expect(ours.has_value() == known.has_value(), name + ": known to both");
    if (ours && known) {
      checks.expect(is_same(*ours, *known), name + ": as MPI_T says");
      num_writable += ours->is_writable() && !ours->values().empty() ? 1 : 0;
    }
  }
  checks.expect(num_writable > 5, "algorithms that can be selected");
}

void check_numbers(VariableSource& registry, VariableSource& tools, Checks& checks) {
  std::string const name = "coll_tuned_allgather_algorithm";
  std::optional<ControlVariable> const ours = registry.find(name);
  std::optional<ControlVariable> const known = tools.find(name);
  if (!ours || !known) {
    return;  // told above
  }
  int const before = ours->read();
  ours->write(4);
  checks.expect(known->read() == 4, "MPI_T reads what the registry has");
  known->write(before);
  checks.expect(ours->read() == before, "the registry has what MPI_T wrote");
}

void check_others(VariableSource& registry, Checks& checks) {
  checks.expect(!registry.find("coll_tuned_nonsense"), "no such variable");
  checks.expect(!registry.find("coll_tuned_dynamic_rules_filename"), "a text is no number");
}

void check(Checks& checks) {
  std::unique_ptr<VariableSource> const registry = plan::parameter_registry();
  bool const is_open_mpi = std::string_view(ESPALIER_MPI_VENDOR) == "openmpi";
  checks.expect((registry != nullptr) == is_open_mpi, "a registry in Open MPI, and only there");
  std::unique_ptr<VariableSource> const tools = plan::tool_interface();
  checks.expect(tools != nullptr, "MPI_T");
  if (registry != nullptr && tools != nullptr) {
    check_descriptions(*registry, *tools, checks);
    check_numbers(*registry, *tools, checks);
    check_others(*registry, checks);
  }
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  espalier::test::Checks checks;
  espalier::test::check(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
